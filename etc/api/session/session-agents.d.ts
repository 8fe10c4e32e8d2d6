import { type ConversableAgent } from '@x/agent';
import type { HistoryView, Io, LlmConfig, Tool, UsageSummary } from '@x/interfaces';
import type { SavedAgents } from './session-store.ts';
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
export declare const saveAgents: ({ user, assistant, members }: SessionAgents) => SavedAgents;
export declare function loadAgents({ user, assistant, members }: SessionAgents, saved: SavedAgents): void;
export declare function usageOf({ user, assistant, members }: SessionAgents): UsageSummary;
