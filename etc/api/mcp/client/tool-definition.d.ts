import type { JsonSchema, Tool, ToolContent } from '@x/interfaces';
export interface McpToolDefinition {
    readonly name: string;
    readonly originalName: string;
    readonly title: string | undefined;
    readonly description: string;
    readonly inputSchema: JsonSchema;
    readonly outputSchema: JsonSchema | undefined;
    readonly readOnly: boolean;
    readonly idempotent: boolean;
    readonly destructive: boolean;
    readonly fingerprint: string;
}
export type McpTool = Tool<Readonly<Record<string, unknown>>, Promise<string | ToolContent>>;
