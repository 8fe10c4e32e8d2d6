export type { McpAuth, TokenStore } from './client/mcp-auth.ts';
export { mcp } from './client/mcp.ts';
export type { McpCallOptions, McpConnection, McpRequestOptions, McpServerInfo } from './client/mcp-connection.ts';
export type { McpOptions } from './client/mcp-options.ts';
export type { McpContents, McpPrompt, McpPromptMessage, McpResource } from './client/readable.ts';
export type { ServerCommand } from './client/server-command.ts';
export type { McpTool, McpToolDefinition } from './client/tool-definition.ts';
export type { McpApproval, McpToolsOptions } from './client/tool-options.ts';
export type { McpLink, McpMedia, McpResult } from './text/mcp-result.ts';
