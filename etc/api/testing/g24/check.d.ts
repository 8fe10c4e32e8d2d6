import { type Rational } from './rational.ts';
export declare const expressionOf: (answer: string) => string;
export declare function checkAnswer(answer: string, numbers: readonly number[]): boolean;
export declare function evaluate(expression: string): Rational | null;
