import type { JournalEntry, RunTrace, RunTracer, TraceContext } from '@x/interfaces';
import { type KeptRun } from './kept-run.ts';
import { type KeptRunInfo, type Piece, type RunLabel, type RunQuery } from './storage.ts';
export interface RecordsOptions {
    readonly file: string;
    readonly content?: boolean | undefined;
    readonly redact?: ((text: string) => string) | undefined;
    readonly maxContent?: number | undefined;
    readonly keepDays?: number | undefined;
    readonly maxBytes?: number | undefined;
    readonly tracer?: RunTracer | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
    readonly readOnly?: boolean | undefined;
    readonly now?: (() => number) | undefined;
}
export interface ForkOrigin {
    readonly parent: NonNullable<Piece['parent']>;
    readonly entries: readonly JournalEntry[];
}
export declare function openRecords(options: RecordsOptions | string): Records;
export declare class Records implements RunTracer {
    #private;
    constructor(options: RecordsOptions);
    begin(context?: TraceContext): RunTrace;
    tagged(tags: Readonly<Record<string, string>>): RunTracer;
    forking(origin: ForkOrigin, tags?: Readonly<Record<string, string>>): RunTracer;
    flush(): void;
    list(query?: RunQuery): Promise<readonly KeptRunInfo[]>;
    read(runId: string): Promise<KeptRun | undefined>;
    follow(runId: string): () => Promise<Pick<KeptRun, 'info' | 'events' | 'entries' | 'calls'> | undefined>;
    label(runId: string, label: Omit<RunLabel, 'at' | 'place'> & {
        readonly place?: string | undefined;
    }): Promise<void>;
    export(runId: string): Promise<string>;
    remove(runId: string): Promise<boolean>;
    close(): void;
}
