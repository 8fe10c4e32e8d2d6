export { mcpServer } from './server/mcp-server.ts';
export type { ListeningServer, McpServer, McpServerOptions, ServedAgent, ServedAgentRun, } from './server/server-options.ts';
