import { type ConversableAgent } from '@x/agent';
import type { HistoryView, Io, LlmConfig, Tool } from '@x/interfaces';
export interface SessionAgents {
    readonly user: ConversableAgent;
    readonly assistant: ConversableAgent;
    readonly members?: readonly ConversableAgent[] | undefined;
}
export interface SessionAgentsOptions {
    readonly llmConfig: LlmConfig;
    readonly systemMessage?: string | undefined;
    readonly tools?: readonly Tool[] | undefined;
    readonly history?: HistoryView | undefined;
    readonly io?: Io | undefined;
}
export declare function createSessionAgents(options: SessionAgentsOptions): SessionAgents;
