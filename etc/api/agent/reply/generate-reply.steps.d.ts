import type { Agent, ChatMessage, Reply } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../state/state.ts';
export interface ReplyWishes {
    readonly messages?: readonly ChatMessage[] | null | undefined;
    readonly sender?: Agent | null | undefined;
    readonly exclude?: readonly object[] | undefined;
}
export declare function generateReply(state: State, { messages, sender, exclude }: ReplyWishes): Steps<Reply | null>;
