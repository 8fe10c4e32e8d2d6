export { mcpServer } from './server/mcp-server.ts'
export type { McpServer, McpServerOptions, ServedAgent } from './server/server-options.ts'
