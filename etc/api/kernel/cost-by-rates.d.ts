import type { AnswerUsage, TokenRates } from '@x/interfaces';
export declare const RATE_NAMES: readonly (keyof TokenRates)[];
export declare function costByRates(rates: TokenRates, usage: AnswerUsage): number;
export declare const finite: (count: number | undefined) => number;
