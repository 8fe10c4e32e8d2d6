import type { Journal, MaybePromise, Run, RunOptions } from '@x/interfaces';
interface RecordedRunOptions extends Pick<RunOptions, 'signal' | 'emit' | 'events' | 'tracer'> {
    readonly journal: Journal;
    readonly runId: string;
    readonly version?: string | undefined;
    readonly streams?: boolean | undefined;
    readonly waitsOut?: ((error: unknown) => boolean) | undefined;
    readonly firstSeq?: number | undefined;
}
export declare function runRecorded<T>(use: (run: Run) => MaybePromise<T>, options: RecordedRunOptions): Promise<T>;
export {};
