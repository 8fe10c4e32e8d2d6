import { type ListLine, type ValueLine } from './list-writer.ts';
export type MarkedValue = readonly ['t', line: ValueLine];
export declare class KeptList {
    readonly base: KeptList | null;
    readonly keep: number;
    readonly added: readonly unknown[];
    readonly length: number;
    readonly first: KeptList;
    readonly ofFirst: number;
    constructor(base: KeptList | null, keep: number, added: readonly unknown[]);
}
export declare class ListReader {
    #private;
    constructor(lines?: readonly (ValueLine | ListLine)[]);
    add(lines: readonly (ValueLine | ListLine | MarkedValue)[]): void;
    unmarked<T>(part: T): T;
    resolve(value: unknown): unknown;
    read(value: unknown): unknown;
    items(list: KeptList): readonly unknown[];
    itemsFrom(list: KeptList, first: number): readonly unknown[];
}
