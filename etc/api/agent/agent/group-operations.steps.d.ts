import type { Agent, Model, SharedVariables, Tool, ToolCall, ToolResponse } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { MappedFunction } from '../options/operations.ts';
interface VariableStore {
    readonly variables: SharedVariables;
    readonly values: Map<string, unknown>;
}
export declare function withVariables<T>(owner: Agent, { variables, values }: VariableStore, steps: Steps<T>): Steps<T>;
interface CallForOptions {
    readonly mapped: MappedFunction | undefined;
    readonly recipient: string;
}
interface CallResult {
    readonly success: boolean;
    readonly content: unknown;
    readonly arguments: unknown;
}
export declare const callFor: (agent: Agent, call: ToolCall, { mapped, recipient }: CallForOptions) => Steps<CallResult>;
export declare function functionOf(agent: Agent, name: string): MappedFunction | undefined;
export declare function toolNamesOf(agent: Agent): readonly string[];
export declare function forgetConversation(agent: Agent, counterpart: Agent): void;
export declare const functionOfTool: (its: Tool) => MappedFunction;
export declare const modelsOf: (agents: readonly Agent[]) => readonly Model[];
export declare const inReplyOf: <T>(agent: Agent, steps: Steps<T>) => Steps<T>;
export declare function noteAnswers(agent: Agent, counterpart: Agent, answered: ToolResponse[] | null): Steps<void>;
export declare function isRecorded(): Steps<boolean>;
export {};
