import type { Budget, Journal, MaybePromise, Run, RunOptions, SteeringSource, UsageSummary } from '@x/interfaces';
interface RecordedRun {
    readonly usage: UsageSummary;
    checkpoint(added: Readonly<Record<string, unknown>>): Promise<void>;
}
type RecordedFunction<T> = (run: Run, recorded: RecordedRun) => MaybePromise<T>;
interface RecordedRunOptions extends Pick<RunOptions, 'signal' | 'emit' | 'events' | 'tracer'> {
    readonly journal: Journal;
    readonly runId: string;
    readonly version?: string | undefined;
    readonly streams?: boolean | undefined;
    readonly waitsOut?: ((error: unknown) => boolean) | undefined;
    readonly leaves?: ((place: string, seconds: number) => Promise<never> | undefined) | undefined;
    readonly suspends?: (() => Promise<void>) | undefined;
    readonly whole?: boolean | undefined;
    readonly budget?: Budget | undefined;
    readonly steering?: SteeringSource | undefined;
    readonly firstSeq?: number | undefined;
}
export declare function runRecorded<T>(use: RecordedFunction<T>, options: RecordedRunOptions): Promise<T>;
export {};
