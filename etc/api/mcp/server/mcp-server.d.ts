import { type McpServer, type McpServerOptions } from './server-options.ts';
export declare function mcpServer(options: McpServerOptions): McpServer;
