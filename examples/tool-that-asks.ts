import { createAgent, tool } from '@x/kit'
import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then repeats what the person said.
const call = { id: 'c1', function: { name: 'ask_customer', arguments: '{"question":"Which colour?"}' } }
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)
  return last?.role === 'tool' ? `You get it in ${last.content as string}.` : { tool_calls: [call] }
})

// #region program
const askCustomer = tool({
  name: 'ask_customer',
  description: 'Asks the customer a question.',
  parameters: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
  execute: ({ question }, { io }) => io?.input(String(question)),
})
const agent = createAgent({ name: 'painter', model, tools: askCustomer })

const { pending, journal } = await agent.run('Paint my door.') // suspended: a question is pending
for (const { id, action } of pending)
  if (action.type === 'question') await journal?.decide(id, { allow: true, answer: 'blue' })
const { text } = await agent.run('Paint my door.', { journal })
// #endregion
for (const { id, action } of pending) console.log(`the run waits at ${id}:`, action)
console.log(text)
