import { type OutputOf, type Parameters, type ToolDefinition } from '@x/agent';
import type { Agent, JsonSchema, MaybePromise, SharedVariables, Tool, ToolContext } from '@x/interfaces';
export declare class ContextVariables<C extends object = Record<string, unknown>> implements SharedVariables<C> {
    readonly '~values': unknown;
    constructor(initial?: C);
    get<K extends keyof C>(key: K): C[K];
    set<K extends keyof C>(key: K, value: C[K]): void;
    update(changes: Partial<C>): void;
    remove(key: keyof C): boolean;
    toJSON(): C;
}
export declare const valuesOf: (variables: object) => Map<string, unknown>;
export declare function copyForChat<T>(value: T, copies?: Map<unknown, unknown>): T;
export declare const plainVariables: (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
export declare const fillVariables: (template: string, variables: Readonly<Record<string, unknown>>, onMissing: (name: string) => void) => string;
interface GroupToolDefinition<C extends object, P extends Parameters, R> extends Omit<ToolDefinition<P, R>, 'execute'> {
    readonly execute: (args: OutputOf<P>, context: Omit<ToolContext, 'contextVariables' | 'caller'> & {
        readonly contextVariables: SharedVariables<C>;
        readonly caller: Agent;
    }) => MaybePromise<R>;
}
export declare function groupTool<C extends object>(...none: readonly never[]): <P extends Parameters = JsonSchema, R = unknown>(definition: GroupToolDefinition<C, P, R>) => Tool<OutputOf<P>, R>;
export {};
