import type { EventBody, Io, Logger, MaybePromise } from '@x/interfaces';
import type { SharedClients } from '../clients/shared-clients.ts';
import type { OwnClients, Slot } from '../config/slot.ts';
import type { LastMessages } from '../request/prepare-request.ts';
import { Ledger } from '../usage/ledger.ts';
export interface ModelRuntime {
    readonly now: () => number;
    readonly newId: () => string;
    readonly random: () => number;
}
export interface WrapperPlan {
    readonly slots: readonly Slot[];
    readonly shared: SharedClients;
    readonly runtime: ModelRuntime;
    readonly console: Io;
}
export declare class CallMemory implements LastMessages {
    #private;
    lastMessages: LastMessages['lastMessages'];
    get ledger(): Ledger | null;
    openLedger(): Ledger;
    isNewUnpriced(model: string): boolean;
    isNewWarning(text: string): boolean;
}
export interface WrapperParts {
    readonly wrapperId: number;
    readonly plan: WrapperPlan;
    readonly memory: CallMemory;
    readonly io: Io;
    readonly logger: Logger | null;
    own: OwnClients | null;
}
export declare const sendToIo: ({ io, plan }: WrapperParts, event: EventBody) => MaybePromise<void>;
