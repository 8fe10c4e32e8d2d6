import type { AgentState } from './agent-state.ts';
import type { ChatState } from './chat-journal.ts';
export declare const STATE_VERSION = 1;
interface SavedKinds {
    agent: AgentState;
    chat: ChatState;
}
export declare function checkedState<K extends keyof SavedKinds>(saved: unknown, kind: K): SavedKinds[K];
export {};
