export interface NameRule {
    readonly maxLength: number;
    readonly forbidden: RegExp;
}
export interface NameMap {
    to(name: string): string;
    from(name: string): string;
}
export declare function createNameMap(names: readonly string[], { maxLength, forbidden }: NameRule): NameMap;
