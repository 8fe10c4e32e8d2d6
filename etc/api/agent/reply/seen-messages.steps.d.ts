import type { Agent, ChatMessage, OpenCall } from '@x/interfaces';
import { type Steps } from '@x/kernel';
export interface SeenQuestion {
    readonly sender: Agent | null;
    readonly messages: readonly ChatMessage[];
    readonly open: OpenCall | undefined;
}
export declare function seenMessages(agent: Agent, question: SeenQuestion, { refused }?: {
    readonly refused?: boolean | undefined;
}): Steps<readonly ChatMessage[] | null>;
export declare function repeatSeen(agent: Agent, question: SeenQuestion): Steps<void>;
