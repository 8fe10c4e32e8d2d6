import { createAgent, tool } from '@x/kit'
import { functionModel } from '@x/testing'

// A function stands for a model: it calls the tool, then repeats what it got.
const call = { id: 'c1', function: { name: 'orders', arguments: '{}' } }
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)
  return last?.role === 'tool' ? (last.content as string) : { tool_calls: [call] }
})

// #region program
const agent = createAgent({ name: 'clerk', model, instructions: 'You help with orders.' })

/** The tools of one user: the model never names whose orders it reads. */
const toolsOf = (user: string) =>
  tool({ name: 'orders', description: 'The orders of the user.', execute: () => `${user} ordered a lamp.` })

const answer = async (user: string, question: string): Promise<string> =>
  (await agent.run(question, { tools: toolsOf(user) })).text

console.log(await Promise.all([answer('Ann', 'What did I order?'), answer('Bob', 'And I?')]))
// #endregion
