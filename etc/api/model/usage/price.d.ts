import type { AnswerUsage, Price } from '@x/interfaces';
export type PricePair = readonly [prompt: number, completion: number];
export declare function pricePair(price: Price | null | undefined): PricePair | null;
export declare function costOf(usage: AnswerUsage | undefined, [prompt, completion]: PricePair): number;
export declare const finite: (count: number | undefined) => number;
