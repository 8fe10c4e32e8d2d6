import type { ModelErrorKind, SearchUsage } from '@x/interfaces';
import type { ThinkNode } from '../tree/think-node.ts';
export type JobPosition = readonly number[];
interface JobBase {
    readonly id: string;
    readonly position: JobPosition;
    readonly level: number;
    readonly sample: number;
    readonly model?: string | undefined;
}
export interface ExpandJob extends JobBase {
    readonly kind: 'expand';
    readonly node: ThinkNode;
    readonly context: string | null;
    readonly repair: string | null;
}
export interface GradeJob extends JobBase {
    readonly kind: 'grade';
    readonly nodes: readonly ThinkNode[];
    readonly isOutcome: boolean;
    readonly context: string | null;
    readonly repair: string | null;
}
export interface AnswerJob extends JobBase {
    readonly kind: 'answer';
    readonly from: readonly ThinkNode[];
}
export interface MergeJob extends JobBase {
    readonly kind: 'merge';
    readonly question: string;
    readonly answers: readonly string[];
}
export type SearchJob = ExpandJob | GradeJob | AnswerJob | MergeJob;
export interface ProposedOption {
    content: string;
    output?: string | null | undefined;
    grade?: number | null | undefined;
}
export interface AnswerVerdict {
    accepted: boolean;
    score: number;
    reason: string | null;
}
export interface Grade {
    value: number | null;
    details: string;
}
export type JobOutcome = {
    kind: 'expand';
    text: string;
    reflection: string;
    options: ProposedOption[];
} | {
    kind: 'grade';
    grades: Grade[];
} | {
    kind: 'answer' | 'merge';
    text: string;
    verdict: AnswerVerdict | null;
} | {
    kind: 'failed';
    code: string;
    message: string;
    errorKind?: ModelErrorKind | undefined;
};
export interface JobRecord {
    outcome: JobOutcome;
    used: SearchUsage;
    warnings?: readonly string[] | undefined;
    by?: {
        method?: string | undefined;
        part?: string | undefined;
        model?: string | undefined;
    } | undefined;
}
export declare function nodesOf(job: SearchJob): readonly ThinkNode[];
export declare function comparePositions(a: JobPosition, b: JobPosition): number;
export {};
