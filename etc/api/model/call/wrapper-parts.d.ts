import type { Io, Logger, ModelClient } from '@x/interfaces';
import type { SharedClients } from '../clients/shared-clients.ts';
import type { Ledger } from '../usage/ledger.ts';
import type { OwnClients, Slot } from '../config/slot.ts';
export interface ModelRuntime {
    readonly now: () => number;
    readonly newId: () => string;
}
export interface WrapperParts {
    readonly wrapperId: number;
    readonly slots: readonly Slot[];
    readonly own: OwnClients;
    readonly shared: SharedClients;
    readonly ledger: Ledger;
    readonly sentWarnings: Set<string>;
    readonly io: Io;
    readonly logger: Logger | null;
    readonly runtime: ModelRuntime;
}
export declare function clientOf(parts: WrapperParts, slot: Slot): ModelClient;
export declare function blockingClientOf(parts: WrapperParts, { index, provider, client }: Slot): Pick<ModelClient, 'create'>;
