/**
 * Three writers answer the same task apart from each other, and a judge takes the best of them. After the redundant pattern of
 * AG2's pattern cookbook.
 */
import { equal } from 'node:assert/strict'
import { AssistantAgent, initiateChats, UserProxyAgent } from '@x/agent'
import { contentText } from '@x/kernel/tool-content'
import { functionModel, scriptedModel } from '@x/testing'

// Simulated models: `llmConfig({ … })` of `@x/model` gives real ones.
const writer = (name: string, line: string): AssistantAgent =>
  new AssistantAgent({ name, llmConfig: scriptedModel([line]), silent: true })
const writers = [writer('plain', 'Rain.'), writer('warm', 'Rain is a roof of sound.'), writer('dry', 'It rains.')]
const judge = new AssistantAgent({
  name: 'judge',
  systemMessage: 'You repeat the best of the answers below the context, and nothing else.',
  llmConfig: functionModel(({ messages }) => {
    const [, context = ''] = contentText(messages.at(-1)?.content).split('Context:')
    return context
      .trim()
      .split('\n')
      .toSorted((a, b) => b.length - a.length)[0]!
  }),
  silent: true,
})
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })

// The writers have no prerequisites, so that they work at once and see nothing of each other; the judge sees all summaries.
const task = { sender: user, message: 'Write a line about rain.', maxTurns: 1 }
const results = await initiateChats([
  ...writers.map((recipient, index) => ({ ...task, chatId: index + 1, recipient })),
  { ...task, chatId: 4, recipient: judge, prerequisites: [1, 2, 3] },
])
console.log(results.get(4)?.summary)
equal(results.get(4)?.summary, 'Rain is a roof of sound.')
