import type { RunOptions } from '@x/interfaces';
export interface OptionKind<in T> {
    readonly expected: string;
    readonly takes: (value: T) => boolean;
    readonly remedy?: ((value: unknown) => string | undefined) | undefined;
    readonly isQuiet?: boolean | undefined;
}
export type OptionKinds<O> = {
    readonly [K in keyof Required<O>]: OptionKind<Exclude<O[K], undefined>>;
};
type Callable = (...args: never) => unknown;
export declare const kind: {
    readonly any: OptionKind<unknown>;
    readonly flag: OptionKind<boolean>;
    readonly text: OptionKind<string>;
    readonly call: OptionKind<Callable>;
    readonly object: OptionKind<object>;
    readonly list: OptionKind<readonly unknown[]>;
    readonly positive: OptionKind<number>;
    readonly timeout: OptionKind<number> & {
        warning(what: string, seconds: number): string | undefined;
    };
    readonly finite: OptionKind<number>;
    number(lowest: number): OptionKind<number>;
    whole(lowest: number): OptionKind<number>;
    limit(lowest: number): OptionKind<number>;
    oneOf<const V extends readonly (string | number | boolean)[]>(...values: V): OptionKind<V[number]>;
    having(expected: string, ...methods: readonly string[]): OptionKind<object>;
    orNull<T>(inner: OptionKind<T>): OptionKind<T | null>;
    either<A, B>(one: OptionKind<A>, other: OptionKind<B>): OptionKind<A | B>;
};
type ForeignWords = Readonly<Record<string, string | ((value: unknown, options: object) => string | undefined)>>;
export declare function checkOptions<O>(options: unknown, kinds: OptionKinds<O>, what: string, more?: string | ForeignWords): void;
export declare const runOptionKinds: OptionKinds<RunOptions>;
export declare const SIGNAL_OF_RUN: unique symbol;
export declare function nearestName(name: string, candidates: Iterable<string>, isWrong?: boolean): string | undefined;
type Versions = Readonly<Record<string, string | undefined>>;
export declare function oldNodeText({ node, bun, deno, workerd }: Versions): string | null;
export {};
