import type { Agent, ChatMessage, Io, Model } from '@x/interfaces';
export interface AgentInternals {
    readonly io: Io;
    readonly now: () => number;
    readonly model: Model | null;
    readonly conversations: ReadonlyMap<Agent | null, AgentConversation>;
}
export interface AgentConversation {
    readonly counterpart: Agent | null;
    readonly messages: readonly ChatMessage[];
    readonly autoReplies: number;
}
export declare const internalsOf: (agent: Agent) => AgentInternals;
