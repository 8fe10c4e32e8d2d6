export declare class GrowingLists<T> {
    #private;
    keep(list: readonly T[]): ListSnapshot<T>;
}
export declare class ListSnapshot<T> {
    #private;
    constructor(line: readonly T[], length: number);
    get list(): readonly T[];
}
