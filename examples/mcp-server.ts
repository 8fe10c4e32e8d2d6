import { AssistantAgent, tool } from '@x/agent'
import type { McpServerOptions } from '@x/mcp/server'
import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then answers.
const llmConfig = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? `Done: ${messages.at(-1)?.content as string}. TERMINATE`
    : { tool_calls: [{ id: 'c1', function: { name: 'refund', arguments: '{"order":"17"}' } }] },
)

// #region program
const refund = tool({
  name: 'refund',
  description: 'Gives the money of an order back.',
  parameters: { type: 'object', properties: { order: { type: 'string' } } },
  needsApproval: true,
  execute: ({ order }) => `order ${String(order)} was refunded`,
})

/** What `x mcp examples/mcp-server.ts` offers. */
export const server: McpServerOptions = {
  name: 'shop',
  agents: [
    {
      name: 'clerk',
      description: 'Looks after orders.',
      create: (io) => new AssistantAgent({ name: 'clerk', llmConfig, io }).use(refund),
    },
  ],
}
// #endregion
