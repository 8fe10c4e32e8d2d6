import type { MaybePromise } from '@x/interfaces';
import type { JobRecord } from '../strategy/job.ts';
export interface SearchJournalData {
    version: number;
    question: string;
    records: Record<string, JobRecord>;
    checksum: string;
}
export interface SearchJournal {
    get(job: string): JobRecord | undefined;
    set(job: string, record: JobRecord): MaybePromise<void>;
}
export interface MemorySearchJournalOptions {
    question: string;
    saved?: unknown;
    append?: ((line: string) => void) | undefined;
}
export declare class MemorySearchJournal implements SearchJournal {
    #private;
    readonly question: string;
    constructor(options: MemorySearchJournalOptions);
    get size(): number;
    get(job: string): JobRecord | undefined;
    set(job: string, record: JobRecord): void;
    toJSON(): SearchJournalData;
}
