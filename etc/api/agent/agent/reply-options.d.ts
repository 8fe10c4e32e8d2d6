import type { Agent, ChatMessage, RunOptions } from '@x/interfaces';
import type { BuiltInName } from '../reply/built-in.ts';
import type { ReplyRequest } from '../reply/reply-request.ts';
export interface AskedReply<C = never> extends RunOptions {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly config?: C | null | undefined;
}
export type GenerateReplyOptions = ReplyRequest & RunOptions;
export type BuiltInOperation<Operations> = {
    [N in BuiltInName]: N extends keyof Operations ? `${N}Sync` extends keyof Operations ? N : {
        readonly 'a built-in reply function needs a blocking operation of its name': `${N}Sync`;
    } : {
        readonly 'a built-in reply function needs an operation of its name': N;
    };
}[BuiltInName];
