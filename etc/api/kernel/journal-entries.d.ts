import type { Journal, JournalEntry } from '@x/interfaces';
export declare const escapeTexts: (value: unknown) => unknown;
export declare const unescapeTexts: (value: unknown) => unknown;
export declare function escapedEntry(entry: JournalEntry): JournalEntry;
export declare const RUN_PLACE = "0";
export declare function forkedEntries(entries: readonly JournalEntry[], place: string | null, { runId, version }: {
    readonly runId: string;
    readonly version?: string | null | undefined;
}): JournalEntry[];
export declare class MemoryJournal implements Journal {
    #private;
    readonly waits: boolean;
    constructor(entries?: Iterable<JournalEntry>, waits?: boolean);
    get entries(): readonly JournalEntry[];
    get length(): number;
    recall(place: string): readonly JournalEntry[];
    recallJob(place: string, name: string): JournalEntry | undefined;
    lastPlace(place: string): number;
    end(place: string): void;
    hasEnded(place: string): boolean;
    has({ place, kind, name }: JournalEntry): boolean;
    keep(entry: JournalEntry): void;
    removeFrom(entry: JournalEntry): void;
}
