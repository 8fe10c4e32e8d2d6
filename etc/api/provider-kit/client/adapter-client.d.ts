import type { ConfigEntry, ModelAnswer, ModelClient } from '@x/interfaces';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Dialect, Wire } from './dialect.ts';
export interface AdapterInit {
    readonly config: ConfigEntry;
    readonly endpoint?: string | undefined;
    readonly dialect: Dialect;
    readonly connect: () => Wire;
    readonly load?: (() => Promise<unknown>) | undefined;
    readonly catalogue: Catalogue;
    readonly clock?: ModelClient['clock'];
    readonly now: () => number;
    readonly cost?: ((answer: ModelAnswer) => number | null) | undefined;
}
export declare function createAdapterClient(init: AdapterInit): ModelClient;
