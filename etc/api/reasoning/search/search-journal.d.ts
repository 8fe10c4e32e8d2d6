import type { MaybePromise } from '@x/interfaces';
import type { JobRecord } from '../strategy/job.ts';
export interface JournalData {
    version: number;
    question: string;
    records: Record<string, JobRecord>;
}
export interface Journal {
    get(job: string): JobRecord | undefined;
    set(job: string, record: JobRecord): MaybePromise<void>;
}
export interface MemoryJournalOptions {
    question: string;
    saved?: unknown;
    append?: ((line: string) => void) | undefined;
}
export declare class MemoryJournal implements Journal {
    #private;
    readonly question: string;
    constructor({ question, saved, append }: MemoryJournalOptions);
    get size(): number;
    get(job: string): JobRecord | undefined;
    set(job: string, record: JobRecord): void;
    toJSON(): JournalData;
}
