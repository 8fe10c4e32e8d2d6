import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createAgent } from '@x/kit'
import { mcp, type McpToolDefinition } from '@x/mcp'
import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then answers.
const call = { id: 'c1', function: { name: 'clock__now', arguments: '{}' } }
const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool' ? `It is ${messages.at(-1)?.content as string}.` : { tool_calls: [call] },
)

// A few lines stand for a server that somebody publishes.
const program = `
const answers = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'clock', version: '1' } },
  'tools/list': { tools: [{ name: 'now', description: 'The time.', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'noon' }] },
}
require('readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const its = answers[method] ? { result: answers[method] } : { error: { code: -32601, message: 'unknown' } }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...its }))
})`
const server = { command: process.execPath, args: ['-e', program] }

// #region program
const LOCK = 'mcp.lock.json'
await using clock = await mcp({ name: 'clock', ...server })

// Once, and again after each review of what has changed:
if (!existsSync(LOCK)) writeFileSync(LOCK, JSON.stringify(clock.definitions, null, 2))

const reviewed = JSON.parse(readFileSync(LOCK, 'utf8')) as McpToolDefinition[]
const agent = createAgent({ name: 'a', model, tools: clock.tools({ allow: 'all', needsApproval: false, reviewed }) })
// #endregion
console.log((await agent.run('What time is it?')).text)

// A lock of another day, when the server described its tool otherwise: the call waits, and its note says why.
const earlier = reviewed.map((tool) => ({ ...tool, description: 'The time in Rome.', fingerprint: 'of that day' }))
const tools = clock.tools({ allow: 'all', needsApproval: false, reviewed: earlier })
const { pending } = await createAgent({ name: 'a', model, tools }).run('What time is it?')
for (const { action } of pending) console.log(action)
rmSync(LOCK)
