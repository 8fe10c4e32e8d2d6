import type { MaybePromise, Run, SearchUsage } from '@x/interfaces';
import type { Grade, ProposedOption, Verdict } from '../strategy/job.ts';
import type { ThinkNode } from '../tree/think-node.ts';
export interface Asked {
    readonly question: string;
    readonly sample: number;
}
export interface Used {
    readonly used?: SearchUsage | undefined;
}
export interface ProposeRequest extends Asked {
    readonly node: ThinkNode;
    readonly context: string | null;
    readonly repair: string | null;
}
export interface Proposal extends Used {
    readonly text: string;
    readonly reflection: string;
    readonly options: readonly ProposedOption[];
}
export interface Proposer {
    propose(request: ProposeRequest, run: Run): MaybePromise<Proposal>;
}
export interface GradeRequest extends Asked {
    readonly nodes: readonly ThinkNode[];
    readonly outcome: boolean;
    readonly context: string | null;
    readonly repair: string | null;
}
export interface Grading extends Used {
    readonly grades: readonly Grade[];
}
export interface Grader {
    grade(request: GradeRequest, run: Run): MaybePromise<Grading>;
}
export interface WrittenAnswer extends Used {
    readonly text: string;
}
export interface Answerer {
    answer(request: Asked & {
        readonly from: readonly ThinkNode[];
    }, run: Run): MaybePromise<WrittenAnswer>;
    merge?(request: Asked & {
        readonly answers: readonly string[];
    }, run: Run): MaybePromise<WrittenAnswer>;
}
export type Verification = boolean | number | (Partial<Verdict> & {
    readonly accepted: boolean;
});
export type Verifier = (answer: string, node: ThinkNode | null, run: Run) => MaybePromise<Verification>;
export declare function verdictOf(said: Verification): Verdict;
