import type { JournalEntry } from '@x/interfaces';
export declare function fork(entries: Iterable<JournalEntry>, place: string, options?: {
    readonly runId?: string | undefined;
}): JournalEntry[];
