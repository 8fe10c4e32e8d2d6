import type { ContentPart } from '@x/interfaces';
import type { CallToolResult } from '@modelcontextprotocol/client';
interface McpMedia {
    readonly type: 'image' | 'audio';
    readonly mimeType: string;
    readonly data: string;
}
interface McpLink {
    readonly uri: string;
    readonly name: string;
    readonly mimeType: string | undefined;
}
export interface McpResult {
    readonly text: string;
    readonly content: readonly ContentPart[];
    readonly isError: boolean;
    readonly structured: unknown;
    readonly media: readonly McpMedia[];
    readonly links: readonly McpLink[];
}
export declare function readResult(server: string, result: CallToolResult, maxLength: number): McpResult;
export {};
