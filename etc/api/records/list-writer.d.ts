import { KeptSlice } from './kept-values.ts';
export type ValueLine = readonly ['v', id: number, value: unknown, content?: number];
export type ListLine = readonly ['l', id: number, base: number | null, keep: number, added: readonly ListPart[]];
export type ListPart = number | readonly [from: number, to: number];
export declare const TEXT_MARK = "\u0001";
export declare const hasMark: (json: string) => boolean;
export declare const markedLine: (line: string) => string;
export type WriteJson = (value: unknown) => string;
export declare const MAX_INLINE_LENGTH = 100;
export declare class ListWriter {
    #private;
    constructor(take: (line: string) => void, toJson: WriteJson, toTextJson?: WriteJson);
    text(text: string): number;
    value(value: object): number;
    list(values: readonly unknown[] | KeptSlice): number | undefined;
    isLast(id: number, list: readonly object[] | KeptSlice<object>): boolean;
}
export declare function sharedBeginning(items: readonly unknown[], values: readonly unknown[], most?: number): number;
