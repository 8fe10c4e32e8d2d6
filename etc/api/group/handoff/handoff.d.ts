import { type Parameters, type ToolDefinition } from '@x/agent';
import { type Target } from './target.ts';
import type { MaybePromise, Tool, ToolContext, ToolSchema } from '@x/interfaces';
export type Test<C> = (variables: Readonly<C>) => unknown;
interface CommonHandoff<C> {
    readonly to: Target<C>;
    readonly available?: Test<C> | undefined;
}
export interface ToolHandoff<C> extends CommonHandoff<C> {
    readonly when: string;
    readonly after?: undefined;
    readonly toolName?: string | undefined;
    readonly input?: Parameters | undefined;
    readonly needsApproval?: ToolDefinition<Parameters, unknown>['needsApproval'];
}
export interface TestHandoff<C> extends CommonHandoff<C> {
    readonly when: Test<C> | true;
    readonly after?: undefined;
}
export interface AfterWork<C> extends CommonHandoff<C> {
    readonly after: Test<C> | true;
    readonly when?: undefined;
}
export type Handoff<C = Record<string, unknown>> = ToolHandoff<C> | TestHandoff<C> | AfterWork<C>;
export interface HandoffLists {
    readonly tests: readonly TestHandoff<never>[];
    readonly words: readonly ToolHandoff<never>[];
    readonly after: readonly AfterWork<never>[];
}
export declare function handoff<C extends object = Record<string, unknown>>(given: Handoff<C>): Handoff<C>;
export declare function checkHandoff(given: Handoff<never>, attempt: string): void;
export declare function handoffLists(given: readonly Handoff<never>[]): HandoffLists;
export interface HandoffTool {
    readonly name: string;
    readonly handoff: ToolHandoff<never>;
    readonly tool: Tool;
}
export declare function handoffTool(handoff: ToolHandoff<never>, index: number, part?: string): HandoffTool;
export declare const toolSchemaOf: ({ name, handoff, tool: its }: HandoffTool, variables: Readonly<Record<string, unknown>>, onMissing: (name: string) => void) => ToolSchema;
export declare function argumentsOf({ tool: its }: HandoffTool): {
    readonly raw: (args: unknown, context: ToolContext) => MaybePromise<unknown>;
    readonly needsApproval: Tool['needsApproval'];
};
export {};
