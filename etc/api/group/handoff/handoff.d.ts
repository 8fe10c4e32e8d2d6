import { type Parameters, type ToolDefinition } from '@x/agent';
import { type Target } from './target.ts';
import type { MaybePromise, Tool, ToolContext, ToolSchema } from '@x/interfaces';
export type Test<C> = (variables: Readonly<C>) => unknown;
export declare function answerNow<T>(answer: T, what: string): T;
export declare const passes: (test: Test<never>, variables: Readonly<never>) => boolean;
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
    readonly byModel: readonly ToolHandoff<never>[];
    readonly after: readonly AfterWork<never>[];
}
export declare function handoff<C extends object = Record<string, unknown>>(options: Handoff<C>): Handoff<C>;
export declare function checkHandoff(options: Handoff<never>, attempt: string): void;
export declare function sortHandoffs(handoffs: readonly Handoff<never>[]): HandoffLists;
export interface HandoffTool {
    readonly name: string;
    readonly handoff: ToolHandoff<never>;
    readonly tool: Tool;
}
export declare function createHandoffTool(handoff: ToolHandoff<never>, index: number, part?: string): HandoffTool;
export declare const handoffToolSchema: ({ name, handoff, tool: { parameters } }: HandoffTool, variables: Readonly<Record<string, unknown>>, onMissing: (name: string) => void) => ToolSchema;
export declare function handoffFunctionParts({ tool: transfer }: HandoffTool): {
    readonly raw: (args: unknown, context: ToolContext) => MaybePromise<unknown>;
    readonly needsApproval: Tool['needsApproval'];
};
export {};
