export interface OptionKind<T> {
    readonly expected: string;
    read(value: unknown, origin: OptionOrigin): T | undefined;
}
export interface OptionOrigin {
    readonly what: string;
    readonly path: string;
}
export type OptionKinds<T> = {
    readonly [K in keyof T]-?: OptionKind<NonNullable<T[K]>>;
};
export type OptionValues<T> = {
    [K in keyof T]?: NonNullable<T[K]>;
};
export declare function readOptions<T extends object>(data: Readonly<Record<string, unknown>>, kinds: OptionKinds<T>, what?: string): OptionValues<T>;
export declare function readNested<T extends object>(data: Readonly<Record<string, unknown>>, kinds: OptionKinds<T>, { what, path }: OptionOrigin): OptionValues<T>;
export declare const option: {
    readonly boolean: OptionKind<boolean>;
    readonly number: OptionKind<number>;
    readonly text: OptionKind<string>;
    readonly object: OptionKind<Record<string, unknown>>;
    list<T>(item: OptionKind<T>): OptionKind<readonly T[]>;
    oneOf<const V extends readonly (string | number | boolean)[]>(...values: V): OptionKind<V[number]>;
    either<A, B>(a: OptionKind<A>, b: OptionKind<B>): OptionKind<A | B>;
    shape<T extends object>(kinds: OptionKinds<T>, closed?: boolean): OptionKind<OptionValues<T>>;
};
