import type { Io, Logger, ModelClient } from '@x/interfaces';
import type { Family } from '../clients/shared-clients.ts';
import type { Ledger } from '../usage/ledger.ts';
import type { OwnClients, Slot } from '../config/slot.ts';
export interface Runtime {
    readonly now: () => number;
    readonly newId: () => string;
}
export interface Core {
    readonly wrapperId: number;
    readonly slots: readonly Slot[];
    readonly own: OwnClients;
    readonly family: Family;
    readonly ledger: Ledger;
    readonly spoken: Set<string>;
    readonly io: Io;
    readonly logger: Logger | null;
    readonly runtime: Runtime;
}
export declare function clientOf(core: Core, slot: Slot): ModelClient;
export declare function blockingClientOf(core: Core, { index, provider, client }: Slot): Pick<ModelClient, 'create'>;
