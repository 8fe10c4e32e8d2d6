import type { ContentPart } from '@x/interfaces';
export interface McpMedia {
    readonly type: 'image' | 'audio';
    readonly mimeType: string;
    readonly data: string;
}
export interface McpLink {
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
