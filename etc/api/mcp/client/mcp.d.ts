import type { McpConnection } from './mcp-connection.ts';
import { type McpOptions } from './mcp-options.ts';
export declare function mcp(options: McpOptions): Promise<McpConnection>;
