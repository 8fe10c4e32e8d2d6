import type { CallInput, ChatMessage, JournalEntry, JournalKind, Reply, XEvent } from '@x/interfaces';
import { ListReader } from './list-reader.ts';
import type { KeptRunInfo } from './storage.ts';
export interface KeptRun {
    readonly info: KeptRunInfo;
    readonly message: Reply | null;
    readonly events: readonly XEvent[];
    readonly entries: readonly JournalEntry[];
    readonly calls: readonly KeptCall[];
    readonly waits: boolean;
    requestOf(spanId: string): readonly ChatMessage[] | undefined;
}
export declare function requireRun(run: KeptRun, attempt: string): void;
export interface KeptCall {
    readonly place: string;
    readonly kind: JournalKind;
    readonly name: string | null;
    readonly input: CallInput;
    readonly shortInput: CallInput;
}
export interface WrittenCall extends KeptCall {
    readonly written: Readonly<Record<string, unknown>>;
    readonly reader: ListReader;
}
export declare function readRun(info: KeptRunInfo, lines: Iterable<string>): KeptRun;
export declare const firstMessage: (events: readonly XEvent[]) => Reply | null;
export type RunPart = Pick<KeptRun, 'events' | 'entries' | 'calls'>;
export declare class RunReader {
    #private;
    constructor(runId: string);
    add(lines: Iterable<string>): RunPart;
    get waits(): boolean;
    get problem(): string | null;
    requestOf(spanId: string): readonly ChatMessage[] | undefined;
}
export declare function listIn<K, T>(lists: Map<K, T[]>, key: K): T[];
export declare const callId: ({ place, kind, name, }: {
    place: string;
    kind: JournalKind;
    name?: string | null | undefined;
}) => string;
export declare function agentPaths(events: readonly XEvent[]): ReadonlyMap<string, readonly string[]>;
export declare function recalledEntries({ info: { parent }, calls, entries }: KeptRun): readonly JournalEntry[];
export declare const isRequest: (call: KeptCall | JournalEntry) => boolean;
export interface Beginning {
    readonly options: unknown;
    readonly names: readonly string[];
    readonly conversations: readonly {
        readonly messages: readonly unknown[];
        readonly humanInput: readonly string[];
        readonly given?: number | undefined;
    }[];
}
export declare function isFreshBeginning({ kind, value }: JournalEntry): boolean;
