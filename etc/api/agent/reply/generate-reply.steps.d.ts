import type { Agent, ChatMessage, Reply } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../memory/state.ts';
export interface ReplyRequest {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly exclude?: readonly object[] | undefined;
}
export declare function generateReply(state: State, { messages, sender, exclude }: ReplyRequest): Steps<Reply | null>;
