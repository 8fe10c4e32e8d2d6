import type { RecordChange, RecordStore } from '@x/interfaces';
export declare class MemoryRecords implements RecordStore {
    #private;
    constructor(now: () => number);
    change<T>(key: string, change: RecordChange<T>): T;
}
