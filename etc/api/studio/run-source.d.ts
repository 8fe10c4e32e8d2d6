import type { KeptRun, KeptRunInfo, RunQuery } from '@x/records';
import type { RunFuture, RunList, RunRows } from './protocol.ts';
import { type RowOfSteps } from './run-rows.ts';
export interface StudioSource {
    list(query?: RunQuery): Promise<readonly KeptRunInfo[]>;
    read(runId: string): Promise<KeptRun | undefined>;
}
export declare const bothOf: (source: StudioSource, apart: StudioSource) => StudioSource;
export interface RunSearch {
    readonly words: string;
    readonly query: RunQuery;
    readonly tag: string | null;
    readonly limit: number;
}
export interface LoadedRun {
    readonly run: KeptRun;
    readonly rows: readonly RowOfSteps[];
}
export declare class RunReader {
    #private;
    constructor(source: StudioSource);
    list({ words, query, tag, limit }: RunSearch): Promise<RunList>;
    load(runId: string, seen?: readonly string[]): Promise<LoadedRun | undefined>;
    rows(runId: string, since: number): Promise<RunRows | undefined>;
    forks(runId: string): Promise<readonly KeptRunInfo[]>;
    futures(runIds: readonly string[]): Promise<readonly RunFuture[]>;
}
