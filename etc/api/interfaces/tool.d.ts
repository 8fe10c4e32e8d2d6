import type { Agent } from './agent.ts';
import type { Io } from './io.ts';
import type { JsonSchema, ToolIssue } from './json.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ContentPart } from './message.ts';
import type { RunContext } from './run.ts';
export interface FunctionSchema {
    name: string;
    description?: string | undefined;
    parameters?: JsonSchema | undefined;
    strict?: boolean | undefined;
}
export interface ToolSchema {
    type: 'function';
    function: FunctionSchema;
}
export interface ToolContext extends RunContext {
    readonly callId?: string | undefined;
    readonly key: string;
    readonly caller?: Agent | undefined;
    readonly io?: Pick<Io, 'input'> | undefined;
}
export interface ToolContent {
    readonly parts: readonly ContentPart[];
}
export type ToolFunction<A = never, R = unknown> = (args: A, context: ToolContext) => MaybePromise<R>;
export interface Tool<A = never, R = unknown> {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    validate?(args: unknown): MaybePromise<{
        value: unknown;
    } | {
        issues: readonly ToolIssue[];
    }>;
    execute: ToolFunction<A, R>;
    readonly timeout?: number | undefined;
    readonly needsApproval?: boolean | ((args: Readonly<Record<string, unknown>>, context: RunContext) => MaybePromise<boolean | string>) | undefined;
}
