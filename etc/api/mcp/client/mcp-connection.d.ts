import type { RunOptions } from '@x/interfaces';
import type { McpTool, McpToolDefinition } from './tool-definition.ts';
import type { McpToolsOptions } from './tool-options.ts';
import type { McpResult } from '../text/mcp-result.ts';
export interface McpRequestOptions extends Pick<RunOptions, 'signal'> {
    readonly timeout?: number | undefined;
}
export interface McpCallOptions extends McpRequestOptions {
    readonly key?: string | undefined;
}
export interface McpServerInfo {
    readonly name: string;
    readonly version: string;
    readonly instructions: string;
    readonly protocolVersion: string;
}
export interface McpConnection extends AsyncDisposable {
    readonly name: string;
    readonly info: McpServerInfo | undefined;
    readonly definitions: readonly McpToolDefinition[];
    readonly leftOut: readonly {
        readonly name: string;
        readonly why: string;
    }[];
    tools(options: McpToolsOptions): McpTool[];
    refresh(options?: McpRequestOptions): Promise<readonly McpToolDefinition[]>;
    callTool(name: string, args?: Readonly<Record<string, unknown>>, options?: McpCallOptions): Promise<McpResult>;
    prompts(options?: McpRequestOptions): Promise<McpPrompt[]>;
    readPrompt(name: string, args?: Readonly<Record<string, string>>, options?: McpRequestOptions): Promise<McpPromptMessage[]>;
    resources(options?: McpRequestOptions): Promise<McpResource[]>;
    readResource(uri: string, options?: McpRequestOptions): Promise<McpContents[]>;
    close(): Promise<void>;
}
export interface McpPrompt {
    readonly name: string;
    readonly description: string;
    readonly arguments: readonly {
        readonly name: string;
        readonly required: boolean;
    }[];
}
export interface McpPromptMessage {
    readonly role: 'user' | 'assistant';
    readonly text: string;
}
export interface McpResource {
    readonly uri: string;
    readonly name: string;
    readonly description: string;
    readonly mimeType: string | undefined;
    readonly isTemplate: boolean;
}
export interface McpContents {
    readonly uri: string;
    readonly mimeType: string | undefined;
    readonly text: string | undefined;
    readonly data: string | undefined;
}
