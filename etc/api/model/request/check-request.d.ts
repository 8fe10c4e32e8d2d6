import type { ModelRequest } from '@x/interfaces';
import { type SplitOptions } from '../config/entry.ts';
import type { OwnClients, Slot } from '../config/slot.ts';
export type WrapperRequest = Omit<ModelRequest, 'messages'> & {
    messages?: ModelRequest['messages'] | null | undefined;
    prompt?: string | null | undefined;
};
export interface CheckedRequest extends SplitOptions {
    readonly isPlain: boolean;
}
export declare function checkRequest({ plan, own }: CheckedParts, request: WrapperRequest): CheckedRequest;
interface CheckedParts {
    readonly plan: {
        readonly slots: readonly Slot[];
    };
    readonly own: OwnClients | null;
}
export declare const agentOf: ({ agent }: WrapperRequest) => string | null;
export declare function refuseDuplicateTools(tools: unknown): void;
export {};
