export type Rational = readonly [numerator: number, denominator: number];
export declare function rational(numerator: number, denominator?: number): Rational;
export declare const OPERATIONS: Readonly<Record<string, (a: Rational, b: Rational) => Rational | null>>;
export declare const compare: (a: Rational, b: Rational) => number;
export declare const show: ([numerator, denominator]: Rational) => string;
export declare function readRational(text: string): Rational | null;
