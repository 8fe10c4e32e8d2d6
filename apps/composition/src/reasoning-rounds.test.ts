import { ConversableAgent } from '@x/agent'
import type { ModelAnswer, ModelParams, Provider } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { ReasoningAgent, type ReasoningAgentOptions } from '@x/reasoning'
import { RoundCounter, StandInClient } from '@x/game-of-24'
import { expect, it } from 'vitest'

/** Four options, grades that differ, an answer. */
class Stub extends StandInClient {
  override create({ messages }: ModelParams): ModelAnswer {
    const [system, asked] = messages.map(({ content }) => content) as [string, string]
    const content = /next step/.test(system)
      ? 'Option 1: a\nOption 2: b\nOption 3: c\nOption 4: d'
      : /grader/.test(system)
        ? `Rating: ${'dcba'.indexOf(asked.at(-1)!) + 3}`
        : 'an answer'
    const choices = [{ index: 0, message: { role: 'assistant' as const, content }, finish_reason: 'stop' }]
    return { id: 'a', model: 'm', created: 0, choices }
  }
}

it.each<[string, ReasoningAgentOptions['reasonConfig'], { calls: number; rounds: number }]>([
  ['the default beam', {}, { calls: 51, rounds: 9 }],
  ['the default beam, 8 at once', { concurrency: 8 }, { calls: 51, rounds: 12 }],
  ['a forest of 5', { forestSize: 5 }, { calls: 256, rounds: 10 }],
  ['a forest of 5, 8 at once', { forestSize: 5, concurrency: 8 }, { calls: 256, rounds: 34 }],
  ['mcts by its default', { method: 'mcts' }, { calls: 16, rounds: 6 }],
])('rounds of model calls of an agent in a chat: %s', async (_, reasonConfig, wanted) => {
  const counter = new RoundCounter(new Stub())
  const provider: Provider = { apiTypes: ['stub'], specVersion: 1, createClient: () => counter }
  const llm = llmConfig({
    providers: [provider],
    configList: [{ model: 'm', apiType: 'stub', price: [0, 0] }],
    cacheSeed: null,
  })
  const agent = new ReasoningAgent({ name: 'r', llmConfig: llm, reasonConfig, silent: true })
  const user = new ConversableAgent({ name: 'u', humanInputMode: 'NEVER', llmConfig: false })
  const { summary } = await user.initiateChat(agent, { message: 'What is best?', maxTurns: 1, silent: true })
  expect(summary).toBe('an answer')
  expect({ calls: counter.calls, rounds: counter.rounds }).toEqual(wanted)
})
