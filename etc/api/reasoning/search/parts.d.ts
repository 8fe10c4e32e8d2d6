import type { MaybePromise, Run, SearchUsage } from '@x/interfaces';
import type { FingerprintedPart } from '../strategy/fingerprint.ts';
import type { AnswerVerdict, Grade, ProposedOption } from '../strategy/job.ts';
import type { ThinkNode } from '../tree/think-node.ts';
export interface PartRequest {
    readonly question: string;
    readonly sample: number;
    readonly model?: string | undefined;
}
export interface PartUsage {
    readonly used?: SearchUsage | undefined;
    readonly warnings?: readonly string[] | undefined;
}
export interface ProposeRequest extends PartRequest {
    readonly node: ThinkNode;
    readonly context: string | null;
    readonly repair: string | null;
}
export interface Proposal extends PartUsage {
    readonly text: string;
    readonly reflection: string;
    readonly options: readonly ProposedOption[];
}
export interface Proposer extends FingerprintedPart {
    propose(request: ProposeRequest, run: Run): MaybePromise<Proposal>;
}
export interface GradeRequest extends PartRequest {
    readonly nodes: readonly ThinkNode[];
    readonly isOutcome: boolean;
    readonly context: string | null;
    readonly repair: string | null;
}
export interface Grading extends PartUsage {
    readonly grades: readonly Grade[];
}
export interface Grader extends FingerprintedPart {
    grade(request: GradeRequest, run: Run): MaybePromise<Grading>;
}
export interface WrittenAnswer extends PartUsage {
    readonly text: string;
}
export interface Answerer extends FingerprintedPart {
    answer(request: PartRequest & {
        readonly from: readonly ThinkNode[];
    }, run: Run): MaybePromise<WrittenAnswer>;
    merge?(request: PartRequest & {
        readonly answers: readonly string[];
    }, run: Run): MaybePromise<WrittenAnswer>;
}
export type VerifierResult = boolean | number | (Partial<AnswerVerdict> & {
    readonly accepted: boolean;
});
export type Verifier = (answer: string, node: ThinkNode | null, run: Run) => MaybePromise<VerifierResult>;
export declare function toVerdict(result: VerifierResult): AnswerVerdict;
