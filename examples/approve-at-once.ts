import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import type { Io } from '@x/interfaces'
import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then answers.
const call = { id: 'c1', function: { name: 'refund', arguments: '{"order":"17","euros":25}' } }
const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool' ? `Done: ${messages.at(-1)?.content as string}.` : { tool_calls: [call] },
)

/** Stands for the console, and for a person who types this. */
let typed = 'yes'
const io: Io = {
  takes: new Set(),
  send() {},
  input(prompt) {
    console.log(`${prompt}${typed}`)
    return typed
  },
}

// #region program
const refund = tool({
  name: 'refund',
  description: 'Gives money back.',
  parameters: { type: 'object', properties: { order: { type: 'string' }, euros: { type: 'number' } } },
  needsApproval: ({ euros }) => Number(euros) > 10,
  execute: ({ order, euros }) => `${String(euros)} euros of order ${String(order)} were given back`,
})
const clerk = new AssistantAgent({ name: 'clerk', llmConfig: model, io })
const desk = new UserProxyAgent({ name: 'desk', humanInputMode: 'NEVER', io })
clerk.registerForLlm(refund)
desk.registerForExecution(refund)

const { summary } = await desk.initiateChat(clerk, { message: 'Order 17 came broken.', maxTurns: 2 })
// #endregion
console.log(summary)

typed = 'Ask for a photo first.'
const { chatHistory } = await desk.initiateChat(clerk, { message: 'Order 17 came broken.', maxTurns: 2 })
for (const { role, content } of chatHistory) if (role === 'tool') console.log('The model reads:', content)
