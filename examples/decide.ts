import { createAgent, tool } from '@x/kit'
import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then answers.
const call = { id: 'c1', function: { name: 'refund', arguments: '{"order":"17"}' } }
const model = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : { tool_calls: [call] }))
const refund = tool({
  name: 'refund',
  description: 'Gives money back.',
  parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  needsApproval: true,
  execute: ({ order }) => `order ${String(order)} was refunded`,
})
const agent = createAgent({ name: 'clerk', model, tools: refund })
const question = 'Order 17 came broken.'

// #region program
const { pending, journal } = await agent.run(question) // suspended: `refund` needs an approval
for (const { id } of pending) await journal?.decide(id, { allow: true })
const { text } = await agent.run(question, { journal })
// #endregion
for (const { id, agent: name, action } of pending) console.log(`${name} waits at ${id}:`, action)
console.log(text)
