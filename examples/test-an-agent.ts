import { deepStrictEqual } from 'node:assert'
import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import { forbidNetwork, scriptedModel } from '@x/testing'

using network = forbidNetwork()
const model = scriptedModel([
  { tool_calls: [{ id: 'call_1', function: { name: 'add', arguments: '{"a":19,"b":23}' } }], usage: [40, 12] },
  'It is 42. TERMINATE',
])

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute: ({ a, b }) => Number(a) + Number(b),
})
const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model, silent: true })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false, silent: true })
assistant.registerForLlm(add)
user.registerForExecution(add)
await user.initiateChat(assistant, { message: 'What are 19 and 23 together?', maxTurns: 2 })

// The log holds every request; the second one brought the result of the tool.
const roles = model.calls[1]?.messages.map(({ role }) => role)
deepStrictEqual(roles, ['system', 'user', 'assistant', 'tool'])
model.assertComplete()
network.assertUntouched()
console.log(model.calls[1]?.messages.at(-1))
