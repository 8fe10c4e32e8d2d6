import type { AnswerUsage, Price, TokenRates } from '@x/interfaces';
export type EntryPrice = readonly [prompt: number, completion: number] | TokenRates;
export declare function entryPrice(price: Price | null | undefined): EntryPrice | null;
export declare function costOf(usage: AnswerUsage | undefined, price: EntryPrice): number;
