import type { Agent, ChatMessage, Io, Logger, Model, TerminationReason } from '@x/interfaces';
export interface AgentInternals {
    readonly io: Io;
    readonly logger: Logger | null;
    readonly now: () => number;
    readonly model: Model | null;
    readonly isTerminationMsg: (message: ChatMessage, sender: Agent | null) => boolean;
    readonly conversations: AgentConversations;
}
export interface AgentConversations {
    get(counterpart: Agent | null): AgentConversation | undefined;
    values(): Iterable<AgentConversation>;
}
export interface AgentConversation {
    readonly counterpart: Agent | null;
    readonly messages: readonly ChatMessage[];
    readonly autoReplies: number;
    readonly ended: TerminationReason | null;
}
export declare const internalsOf: (agent: Agent) => AgentInternals;
