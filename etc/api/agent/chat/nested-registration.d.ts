import { type NestedChat, type NestedReply } from './nested.steps.ts';
import type { StepsReply } from '../memory/reply-slot.ts';
export interface RegisterNestedChatsOptions {
    readonly replyFuncFromNestedChats?: 'summary_from_nested_chats' | NestedReply | undefined;
    readonly position?: number | undefined;
    readonly useAsync?: boolean | null | undefined;
    readonly config?: unknown;
    readonly resetConfig?: ((config: never) => void) | null | undefined;
    readonly ignoreAsyncInSyncChat?: boolean | undefined;
}
export declare function nestedReply(queue: readonly NestedChat[], options: RegisterNestedChatsOptions): {
    reply: StepsReply;
    async: boolean;
    ignoreAsyncInSyncChat: boolean;
};
