import type { JsonSchema, MaybePromise, Tool, ToolContext, ToolSchema } from '@x/interfaces';
import type { MappedFunction } from '../options/operations.ts';
import { type OutputOf, type Parameters } from '../data/parameters.ts';
export interface ToolDefinition<P extends Parameters, R> {
    readonly name: string;
    readonly description: string;
    readonly parameters?: P | undefined;
    readonly timeout?: number | undefined;
    readonly needsApproval?: Tool['needsApproval'];
    readonly execute: (args: OutputOf<P>, context: ToolContext) => MaybePromise<R>;
}
export interface RegisterToolOptions {
    readonly name?: string | undefined;
    readonly description?: string | undefined;
}
export declare function tool<P extends Parameters = JsonSchema, R = unknown>(definition: ToolDefinition<P, R>): Tool<OutputOf<P>, R>;
export declare function toolList(tools: Tool | readonly Tool[] | undefined, attempt: string): readonly Tool[];
export declare const toolSchema: ({ name, description, parameters }: Tool) => ToolSchema;
export declare function mappedTool(definition: Tool): MappedFunction;
export declare function sharedMappedTool(definition: Tool): MappedFunction;
export declare function renamedTool<T extends Tool>(definition: T, { name, description }: RegisterToolOptions): T;
export interface TimedTool {
    readonly name: string;
    readonly timeout: number;
}
