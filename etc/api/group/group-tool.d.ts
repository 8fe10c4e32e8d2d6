import { type OutputOf, type Parameters, type ToolDefinition } from '@x/agent';
import type { Agent, JsonSchema, MaybePromise, SharedVariables, Tool, ToolContext } from '@x/interfaces';
interface GroupToolDefinition<C extends object, P extends Parameters, R> extends Omit<ToolDefinition<P, R>, 'execute'> {
    readonly execute: (args: OutputOf<P>, context: Omit<ToolContext, 'contextVariables' | 'caller'> & {
        readonly contextVariables: SharedVariables<C>;
        readonly caller: Agent;
    }) => MaybePromise<R>;
}
export declare const groupTool: <C extends object>() => <P extends Parameters = JsonSchema, R = unknown>(definition: GroupToolDefinition<C, P, R>) => Tool<OutputOf<P>, R>;
export {};
