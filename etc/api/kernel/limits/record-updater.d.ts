import type { RecordChange, RecordStore } from '@x/interfaces';
export interface RecordPlace {
    readonly records: RecordStore;
    readonly worker: string;
    readonly lease: number;
    readonly storeTimeout: number;
    readonly onError: (error: unknown) => void;
}
export interface RecordUpdate<A> {
    readonly change: RecordChange<A>;
    readonly onAnswer: (answer: A) => void;
    readonly onFailure: (error: unknown) => void;
}
export interface RecordUpdaterOptions<A> {
    readonly place: RecordPlace;
    readonly key: string;
    readonly durable: boolean;
    readonly makeUpdate: () => RecordUpdate<A>;
    readonly onIdle?: (() => void) | undefined;
    readonly again?: {
        readonly delayMs: number;
        readonly isAwaited: () => boolean;
    };
}
export declare class RecordUpdater<A> {
    #private;
    constructor(options: RecordUpdaterOptions<A>);
    get isIdle(): boolean;
    get isUpdating(): boolean;
    get isClosed(): boolean;
    update(): void;
    flush(): Promise<void>;
    beat(isHolding: boolean): void;
    close(): void;
}
export declare function unref<T>(timer: T): T;
export declare class MemoryRecords implements RecordStore {
    #private;
    constructor(now?: () => number);
    change<T>(key: string, change: RecordChange<T>): T;
}
