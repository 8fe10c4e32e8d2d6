import type { SearchBeliefs } from '@x/interfaces';
import type { Fingerprinted } from './fingerprint.ts';
import type { SearchJob, JobOutcome, AnswerVerdict } from './job.ts';
import type { Random } from './random.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import type { Tree } from '../tree/tree.ts';
export interface Candidate {
    readonly text: string | null;
    readonly node: ThinkNode | null;
    readonly verdict: AnswerVerdict | null;
    readonly accepted: boolean;
}
export interface JobSource {
    readonly size: number;
    has(job: SearchJob): boolean;
    takePosted(): readonly SearchJob[];
}
export interface Strategy {
    readonly trees: readonly Tree[];
    ask(): readonly SearchJob[];
    readonly jobs?: JobSource | undefined;
    tell(job: SearchJob, outcome: JobOutcome): void;
    readonly answer: Candidate | null;
    best(): Candidate;
    readonly beliefs?: SearchBeliefs | null;
    readonly reserve?: number;
    conclude?(): void;
}
export interface SearchTask {
    readonly question: string;
    readonly id: string;
    readonly sample: number;
    readonly stride: number;
    readonly random: Random;
    readonly verified: boolean;
}
export interface Method extends Fingerprinted {
    (task: SearchTask): Strategy;
}
export declare const sampleOf: (task: Pick<SearchTask, 'sample' | 'stride'>, k: number) => number;
