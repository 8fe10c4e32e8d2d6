import type { ConfigEntry, ModelAnswer, ModelClient } from '@x/interfaces';
import type { Dialect, Wire } from './dialect.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type RetryClock } from './retry.ts';
export interface AdapterPlatform {
    readonly catalogue: Catalogue;
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
