import { XError } from '@x/kernel';
export declare function expression(text: string): (context: Readonly<object>) => unknown;
export type Token = {
    readonly at: number;
    readonly text: string;
} & ({
    readonly kind: 'word' | 'comparison' | 'variable';
} | {
    readonly kind: 'value';
    readonly value: unknown;
});
export declare function tokensOf(text: string): Token[];
export declare const refusedExpression: (text: string, problem: string) => XError;
export type Comparison = '>' | '<' | '>=' | '<=' | '==' | '!=';
export declare function holds(value: unknown): boolean;
export declare function lengthOf(value: unknown): number;
export declare function compare(one: unknown, by: Comparison, other: unknown): boolean;
export declare function allHold(first: unknown, rest: readonly {
    readonly by: Comparison;
    readonly value: unknown;
}[], holdsFor: typeof compare): boolean;
