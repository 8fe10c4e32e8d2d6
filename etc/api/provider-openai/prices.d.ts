import type { PriceTable } from '@x/provider-kit';
export declare const openaiPrices: PriceTable;
