import type { Budget, Journal, MaybePromise, RunTracer } from '@x/interfaces';
import { type KeptRun } from './kept-run.ts';
import type { Records } from './records.ts';
export interface ForkedOptions {
    readonly journal: Journal;
    readonly budget?: Budget;
    readonly tracer?: RunTracer;
}
export type ForkedProgram<T> = (options: ForkedOptions, sample: number) => MaybePromise<T>;
export interface ForkOptions {
    readonly records?: Records | undefined;
    readonly samples?: number | undefined;
    readonly budget?: Budget | undefined;
    readonly answer?: unknown;
    readonly tags?: Readonly<Record<string, string>> | undefined;
}
export type ForkedRun<T> = {
    readonly runId: string;
} & ({
    readonly value: T;
    readonly error?: undefined;
} | {
    readonly value?: undefined;
    readonly error: unknown;
});
export declare function forkRun<T>(run: KeptRun, place: string | null, program: ForkedProgram<T>, options?: ForkOptions): Promise<readonly ForkedRun<T>[]>;
