import { createAgent } from '@x/agent'
import { mcp } from '@x/mcp'
import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then answers.
const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? `The server says: ${messages.at(-1)?.content as string}.`
    : { tool_calls: [{ id: 'c1', function: { name: 'clock__now', arguments: '{"zone":"UTC"}' } }] },
)

// A few lines stand for a server that somebody publishes.
const program = `
const answers = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'clock', version: '1' } },
  'tools/list': { tools: [{ name: 'now', description: 'The time.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] },
  'tools/call': { content: [{ type: 'text', text: 'noon' }] },
}
require('readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const its = answers[method] ? { result: answers[method] } : { error: { code: -32601, message: 'unknown' } }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...its }))
})`
const server = { command: process.execPath, args: ['-e', program] }

// #region program
await using clock = await mcp({ name: 'clock', ...server }) // or { name, url: 'https://…', headers: { … } }
const tools = clock.tools({ allow: ['now'], needsApproval: { now: false } })
const assistant = createAgent({ name: 'assistant', model, tools })

const { text } = await assistant.run('What time is it?')
console.log(text)
// #endregion
console.log(clock.definitions)
