import type { Agent, ChatMessage, OpenCall } from '@x/interfaces';
import { type Steps } from '@x/kernel';
export interface ConversationQuestion {
    readonly sender: Agent | null;
    readonly messages: readonly ChatMessage[];
    readonly open: OpenCall | undefined;
}
export declare function viewMessages(agent: Agent, question: ConversationQuestion, { refused }?: {
    readonly refused?: boolean | undefined;
}): Steps<readonly ChatMessage[] | null>;
export declare function repeatCuts(agent: Agent, question: ConversationQuestion): Steps<void>;
