import type { ConfigEntry, ModelRequest } from '@x/interfaces';
import type { OwnClients, Slot } from '../config/slot.ts';
export type WrapperRequest = Omit<ModelRequest, 'messages'> & {
    messages?: ModelRequest['messages'] | null | undefined;
    prompt?: string | null | undefined;
};
export declare function checkRequest({ slots, own }: {
    readonly slots: readonly Slot[];
    readonly own: OwnClients;
}, request: WrapperRequest): ConfigEntry;
