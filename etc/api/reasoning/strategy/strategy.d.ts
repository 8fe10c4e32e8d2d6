import type { Job, Outcome, Verdict } from './job.ts';
import type { Random } from './random.ts';
import type { ThinkNode } from '../tree/think-node.ts';
import type { Tree } from '../tree/tree.ts';
export interface Found {
    readonly text: string | null;
    readonly node: ThinkNode | null;
    readonly verdict: Verdict | null;
    readonly accepted: boolean;
}
export interface Strategy {
    readonly trees: readonly Tree[];
    ask(): readonly Job[];
    tell(job: Job, outcome: Outcome): void;
    readonly answer: Found | null;
    best(): Found;
    readonly reserve?: number;
    conclude?(): void;
}
export interface Task {
    readonly question: string;
    readonly id: string;
    readonly sample: number;
    readonly stride: number;
    readonly random: Random;
    readonly verified: boolean;
}
export type Method = (task: Task) => Strategy;
export declare const sampleOf: (task: Task, k: number) => number;
