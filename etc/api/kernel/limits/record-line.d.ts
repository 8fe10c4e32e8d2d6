import type { RecordChange, RecordStore } from '@x/interfaces';
export interface RecordPlace {
    readonly records: RecordStore;
    readonly worker: string;
    readonly lease: number;
    readonly storeTimeout: number;
    readonly onError: (error: unknown) => void;
}
export interface RecordQuestion<A> {
    readonly change: RecordChange<A>;
    readonly onAnswer: (answer: A) => void;
    readonly onFailure: (error: unknown) => void;
}
export interface RecordLineOptions<A> {
    readonly place: RecordPlace;
    readonly key: string;
    readonly durable: boolean;
    readonly makeQuestion: () => RecordQuestion<A>;
    readonly onIdle?: (() => void) | undefined;
    readonly again?: {
        readonly delayMs: number;
        readonly isAwaited: () => boolean;
    };
}
export declare class RecordLine<A> {
    #private;
    constructor(options: RecordLineOptions<A>);
    get isIdle(): boolean;
    get isAsking(): boolean;
    get isClosed(): boolean;
    ask(): void;
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
