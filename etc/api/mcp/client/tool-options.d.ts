import type { MaybePromise } from '@x/interfaces';
import type { McpToolDefinition } from './tool-definition.ts';
type McpApproval = (tool: McpToolDefinition, args: Readonly<Record<string, unknown>>) => MaybePromise<boolean | string>;
export interface McpToolsOptions {
    readonly allow: readonly string[] | 'all';
    readonly needsApproval?: boolean | Readonly<Record<string, boolean>> | McpApproval | undefined;
    readonly trust?: 'annotations' | undefined;
    readonly reviewed?: Readonly<Record<string, string>> | readonly McpToolDefinition[] | undefined;
    readonly idempotent?: readonly string[] | undefined;
    readonly timeout?: number | undefined;
    readonly totalTimeout?: number | undefined;
    readonly maxResultLength?: number | undefined;
}
export declare function allowedTools(server: string, options: McpToolsOptions, known: readonly McpToolDefinition[]): readonly McpToolDefinition[];
export {};
