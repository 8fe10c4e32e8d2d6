import type { AnswerUsage, ConfigEntry, TokenRates } from '@x/interfaces';
export type EntryPrice = readonly [prompt: number, completion: number] | TokenRates;
export declare function entryPrice(price: ConfigEntry['price'] | null | undefined): EntryPrice | null;
export declare function costOf(usage: AnswerUsage | undefined, price: EntryPrice): number;
