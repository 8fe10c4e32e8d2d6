import type { ConfigEntry, ModelRequest } from '@x/interfaces';
import type { Core } from './core.ts';
export type WrapperRequest = Omit<ModelRequest, 'messages'> & {
    messages?: ModelRequest['messages'] | null | undefined;
    prompt?: string | null | undefined;
};
export declare function checkedRequest(core: Core, request: WrapperRequest): ConfigEntry;
