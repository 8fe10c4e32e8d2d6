import type { Journal, JournalKind, MaybePromise, RunTracer } from '@x/interfaces';
import { type RunDifference } from './difference.ts';
import { type KeptRun } from './kept-run.ts';
export interface RepeatOptions {
    readonly journal: Journal;
    readonly tracer: RunTracer;
}
export type RepeatedProgram = (options: RepeatOptions, run: KeptRun) => MaybePromise<unknown>;
export interface ReplayOptions {
    readonly ignore?: readonly string[] | undefined;
    readonly make?: readonly JournalKind[] | undefined;
}
export type ReplayReport = {
    readonly outcome: 'same';
    readonly text?: string;
} | {
    readonly outcome: 'differs';
    readonly difference: RunDifference;
    readonly text: string;
} | {
    readonly outcome: 'cannot';
    readonly text: string;
};
export declare function replay(run: KeptRun, program: RepeatedProgram, options?: ReplayOptions): Promise<ReplayReport>;
export declare function expectReplay(run: KeptRun | string, program: RepeatedProgram, options?: ReplayOptions): Promise<void>;
