import type { CallInput, XEvent } from '@x/interfaces';
export declare function keptOf(value: unknown, depth?: number): unknown;
export declare class KeptSlice<T = unknown> {
    readonly all: readonly T[];
    readonly length: number;
    constructor(all: readonly T[], length: number);
    get items(): readonly T[];
}
export declare class KeptValues {
    #private;
    input(input: CallInput): CallInput | undefined;
    list<T>(values: readonly T[]): readonly T[] | KeptSlice<T> | undefined;
}
export declare function keptFields<T extends object>(fields: T): T | undefined;
export declare const keptEvent: (event: XEvent) => XEvent | undefined;
