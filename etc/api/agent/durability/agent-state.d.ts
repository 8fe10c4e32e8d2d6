import type { Agent, UsageSummary } from '@x/interfaces';
import { type SavedConversation } from './saved-conversation.ts';
import { AGENT_VERSION } from './saved-shapes.ts';
import { type State } from '../memory/state.ts';
export interface SavedSettings {
    readonly name: string;
    readonly systemMessage: string;
    readonly maxConsecutiveAutoReply: number;
    readonly contextVariables: Readonly<Record<string, unknown>>;
    readonly humanInput: readonly string[];
    readonly usage: {
        readonly actual: UsageSummary | null;
        readonly total: UsageSummary | null;
    };
}
export interface AgentState extends SavedSettings {
    readonly version: typeof AGENT_VERSION;
    readonly kind: 'agent';
    readonly conversations: readonly SavedConversation[];
}
export declare function savedAgent(state: State): AgentState;
export declare function loadAgent(state: State, saved: unknown, agents: Iterable<Agent>): void;
export declare function savedSettings(state: State): SavedSettings;
export declare function loadProgress(state: State, saved: SavedSettings): void;
