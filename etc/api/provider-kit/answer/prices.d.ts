import type { AnswerUsage } from '@x/interfaces';
export interface ModelPrice {
    readonly input: number;
    readonly output: number;
    readonly cached?: number | undefined;
    readonly cacheWrite?: number | undefined;
    readonly long?: (Omit<ModelPrice, 'long'> & {
        readonly above: number;
    }) | undefined;
}
export interface PriceTable {
    readonly date: string;
    readonly models: Readonly<Record<string, ModelPrice>>;
}
export declare function priceOf({ models }: PriceTable, model: string): ModelPrice | undefined;
export declare function costOf(price: ModelPrice, usage: AnswerUsage): number;
