import { AssistantAgent, ChatJournal, UserProxyAgent } from '@x/agent'
import type { JournalEntry, ModelAnswer, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { llmConfig } from '@x/model'
import { expect, test } from 'vitest'

/** A provider whose model `down` fails as a server does, so that its requests may be paid for, and whose other models answer. */
const provider: Provider = {
  apiTypes: ['fake'],
  specVersion: 1,
  createClient: () => ({
    create({ model = '' }): ModelAnswer {
      if (model === 'down') throw new XError('model-failed', 'out of order', { kind: 'server', status: 503 })
      const message = { role: 'assistant' as const, content: 'Hello.' }
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
      return { id: 'a', model, created: 0, choices: [{ index: 0, message, finish_reason: 'stop' }], usage }
    },
    messageRetrieval: ({ choices }) => choices.map(({ message }) => message.content as string),
    getUsage: ({ model, usage }) => ({
      model,
      promptTokens: usage?.prompt_tokens ?? 0,
      completionTokens: usage?.completion_tokens ?? 0,
      totalTokens: usage?.total_tokens ?? 0,
      cost: 0,
    }),
    cost: () => 0,
  }),
}

test('a chat that goes on from any entry costs what it cost, with requests that may be paid for', async () => {
  const ask = async (entries: readonly JournalEntry[]) => {
    const configList = [{ model: 'down' }, { model: 'up' }].map((entry) => ({ ...entry, apiType: 'fake' }))
    const models = llmConfig({
      providers: [provider],
      configList,
      price: [1000, 1000],
      max_tokens: 100,
      cacheSeed: null,
    })
    const io = { send: () => {}, input: () => '' }
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig: models, io })
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false, io })
    const journal = ChatJournal.load({ version: 3, kind: 'chat', entries })
    const { cost } = await user.initiateChat(assistant, { message: 'Hi', maxTurns: 2, journal })
    return { cost, entries: journal.saveState().entries }
  }
  const first = await ask([])
  const { models, totalCost } = first.cost.usageExcludingCachedInference
  // Each of two questions went to `down` before, which might have given the 100 tokens that it was allowed.
  expect(models).toMatchObject({ up: { totalTokens: 30 }, down: { completionTokens: 200 } })
  expect(totalCost).toBeGreaterThan(200)
  for (let length = 1; length <= first.entries.length; length++) {
    expect((await ask(first.entries.slice(0, length))).cost).toEqual(first.cost)
  }
})
