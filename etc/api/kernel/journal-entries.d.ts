import type { JournalEntry } from '@x/interfaces';
export declare const escapeTexts: (value: unknown) => unknown;
export declare const unescapeTexts: (value: unknown) => unknown;
export declare function escapedEntry(entry: JournalEntry): JournalEntry;
export declare const RUN_PLACE = "0";
export declare function entriesBefore(entries: readonly JournalEntry[], place: string | null): JournalEntry[];
