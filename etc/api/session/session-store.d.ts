import type { AgentState } from '@x/agent';
import type { JournalEntry } from '@x/interfaces';
declare const FORMAT_VERSION = 1;
export interface SavedChat {
    readonly version: typeof FORMAT_VERSION;
    readonly turns: number;
    readonly message: string | null;
    readonly agents: SavedAgents | null;
}
export interface SavedAgents {
    readonly user: AgentState;
    readonly assistant: AgentState;
    readonly members?: readonly AgentState[] | undefined;
}
export declare class SessionStore {
    #private;
    constructor(folder: string);
    requireUnchanged(): void;
    get unfinished(): string | null;
    get agents(): SavedAgents | null;
    begin(message: string): void;
    takeOver(): void;
    append(entry: JournalEntry): void;
    get lines(): string;
    end(agents: SavedAgents): void;
}
export {};
