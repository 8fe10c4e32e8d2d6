import type { MaybePromise } from '@x/interfaces';
import { XError } from '@x/kernel';
import { type RunSummary, type SummaryPart } from './run-summary.ts';
export interface Piece {
    readonly runId: string;
    readonly session: string;
    readonly number: number;
    readonly text: string;
    readonly summary: SummaryPart | null;
    readonly tags: Readonly<Record<string, string>>;
    readonly parent: {
        readonly runId: string;
        readonly place: string | null;
    } | null;
}
export interface KeptRunInfo extends RunSummary {
    readonly runId: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly parent: Piece['parent'];
    readonly labels: readonly RunLabel[];
    readonly bytes: number;
    readonly cutOff: boolean;
}
export interface RunLabel {
    readonly name: string;
    readonly value: unknown;
    readonly place: string | null;
    readonly at: number;
}
export interface RunQuery {
    readonly runId?: string | undefined;
    readonly tags?: Readonly<Record<string, string>> | undefined;
    readonly agent?: string | undefined;
    readonly outcome?: RunSummary['outcome'] | undefined;
    readonly since?: number | undefined;
    readonly before?: number | undefined;
    readonly limit?: number | undefined;
}
export declare const checkQuery: (query: RunQuery) => void;
export interface KeptLines {
    readonly info: KeptRunInfo;
    readonly lines: Iterable<string>;
    readonly end: number;
}
export interface RecordBounds {
    readonly before: number;
    readonly maxBytes: number;
}
export interface RecordReader {
    read(runId: string, after?: number): MaybePromise<KeptLines | undefined>;
    list(query: RunQuery): MaybePromise<readonly KeptRunInfo[]>;
    close(): void;
}
export interface RecordStorage extends RecordReader {
    write(pieces: readonly Piece[], waits: boolean): void;
    label(runId: string, label: RunLabel): MaybePromise<void>;
    remove(runId: string): MaybePromise<boolean>;
    retain(bounds: RecordBounds): void;
}
export declare const RECORD_VERSIONS: readonly unknown[];
export declare const RECORD_VERSION = 2;
export declare function checkRecordVersion(version: unknown, what: string): void;
export declare const DEFAULT_LIMIT = 100;
export declare const isWanted: (info: KeptRunInfo, { runId, tags, agent, outcome }: RunQuery) => boolean;
export declare const joined: (before: RunSummary | null, later: SummaryPart | null) => RunSummary;
export declare const withLabel: (labels: readonly RunLabel[], label: RunLabel) => readonly RunLabel[];
export declare const unknownRun: (runId: string) => XError;
export declare function checkedInfo(info: object): KeptRunInfo;
export declare const isPiece: (value: unknown) => boolean;
export declare const isLabel: (value: unknown) => boolean;
export declare const isLater: ({ number }: Pick<Piece, 'number'>) => boolean;
export declare const pieceLine: ({ session, number }: Pick<Piece, 'session' | 'number'>) => string;
export declare const damagedRecord: (what: string, cause?: unknown) => XError;
