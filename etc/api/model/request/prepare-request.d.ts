import type { CacheStore, ChatMessage, ModelParams } from '@x/interfaces';
import type { SharedClients } from '../clients/shared-clients.ts';
import type { Extra } from '../config/config-keys.ts';
import { type Slot } from '../config/slot.ts';
import { type CheckedRequest } from './check-request.ts';
import { type EntryPrice } from '../usage/price.ts';
export declare const LEGACY_DEFAULT_CACHE_SEED = 41;
export interface PreparedRequest {
    readonly params: ModelParams;
    readonly format: unknown;
    readonly fixed: boolean;
    readonly store: CacheStore | null;
    readonly cacheName: string | number | null;
    readonly extra: Extra;
    readonly price: EntryPrice | null;
}
export declare function prepareRequest(slot: Slot, request: CheckedRequest, { plan, memory }: {
    readonly plan: {
        readonly shared: SharedClients;
    };
    readonly memory: LastMessages;
}): PreparedRequest;
export interface LastMessages {
    lastMessages: readonly ChatMessage[] | null;
}
