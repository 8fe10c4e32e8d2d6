export { mcp } from './client/mcp.ts';
export type { McpConnection, McpContents, McpPrompt, McpResource } from './client/mcp-connection.ts';
export type { McpOptions } from './client/mcp-options.ts';
export type { McpAuth, TokenStore } from './client/authorization.ts';
export type { ServerCommand } from './client/server-process.ts';
export type { McpTool, McpToolDefinition } from './client/tool-definition.ts';
export type { McpToolsOptions } from './client/tool-options.ts';
export type { McpResult } from './text/mcp-result.ts';
