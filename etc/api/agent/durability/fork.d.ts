import type { JournalEntry } from '@x/interfaces';
export declare function fork(entries: Iterable<JournalEntry>, place: string, { runId }?: {
    readonly runId?: string | undefined;
}): JournalEntry[];
