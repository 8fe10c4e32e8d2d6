export type ValueLine = readonly ['v', id: number, value: unknown];
export type ListLine = readonly ['l', id: number, base: number | null, keep: number, added: readonly number[]];
export type WriteJson = (value: unknown) => string;
export declare class ListWriter {
    #private;
    constructor(take: (line: string) => void, toJson: WriteJson);
    value(value: object | string): number;
    list(values: readonly object[]): number;
}
