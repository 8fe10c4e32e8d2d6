import type { ConfigEntry, ModelAnswer, ModelClient } from '@x/interfaces';
import type { Dialect, Wire } from './dialect.ts';
import { type PriceTable } from '../answer/prices.ts';
import { type RetryClock } from './retry.ts';
export interface AdapterPlatform {
    readonly prices: PriceTable;
    readonly clock: RetryClock;
    readonly now: () => number;
}
export interface AdapterInit extends AdapterPlatform {
    readonly config: ConfigEntry;
    readonly dialect: Dialect;
    readonly connect: () => Wire;
    readonly cost?: ((answer: ModelAnswer) => number | null) | undefined;
}
export declare function createAdapterClient(init: AdapterInit): ModelClient;
