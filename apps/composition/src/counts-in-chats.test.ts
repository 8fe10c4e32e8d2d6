import { ChatJournal, ConversableAgent, tool } from '@x/agent'
import type { Provider } from '@x/interfaces'
import { createBudget, ModelWrapper } from '@x/model'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'

const io = { send: () => {}, input: () => 'exit' }

/** A provider that counts tokens, and how often it was asked. */
function countingProvider(): { provider: Provider; asked: () => number } {
  let asked = 0
  const createClient: Provider['createClient'] = () => ({
    create: () => Promise.reject(new Error('unused')),
    countTokens: () => ++asked * 10,
    messageRetrieval: () => [],
    getUsage: ({ model }) => ({ model, promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 }),
    cost: () => 0,
  })
  return { provider: { apiTypes: ['counting'], specVersion: 1, createClient }, asked: () => asked }
}

/** A chat whose tool counts the tokens of a text, with a budget and a journal. */
async function chatWith(provider: Provider, journal: ChatJournal) {
  const counter = new ModelWrapper({
    providers: [provider],
    configList: [{ apiType: 'counting', model: 'm' }],
    cacheSeed: null,
    io,
  })
  const budget = createBudget({ calls: 10 })
  const assistant = new ConversableAgent({
    name: 'assistant',
    io,
    humanInputMode: 'NEVER',
    llmConfig: functionModel(({ messages }) => {
      const last = messages.at(-1)!
      if (last.role === 'tool') return `counted ${last.content as string}`
      return {
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'count', arguments: '{}' } }],
      }
    }),
  })
  const user = new ConversableAgent({ name: 'user', io, humanInputMode: 'NEVER' })
  user.registerForExecution(
    tool({
      name: 'count',
      description: 'Counts.',
      parameters: { type: 'object' },
      execute: async (_, { run }) =>
        (await counter.countTokens({ messages: [{ role: 'user', content: 'x' }] }, { run })).promptTokens,
    }),
  )
  const { summary } = await user.initiateChat(assistant, { message: 'hi', maxTurns: 2, journal, budget })
  return { summary, calls: budget.spent.calls }
}

it('a count in a tool is kept in the journal of the chat and paid by its budget', async () => {
  const first = countingProvider()
  const journal = new ChatJournal()
  // Two answers of the model and the count.
  expect(await chatWith(first.provider, journal)).toEqual({ summary: 'counted 10', calls: 3 })
  const { version, kind, entries } = journal.saveState()
  const counted = entries.findIndex(({ name }) => name === 'countTokens')
  expect(entries[counted]!.value).toEqual({ promptTokens: 10, model: 'm', configId: 0 })

  const second = countingProvider()
  const torn = ChatJournal.load({ version, kind, entries: entries.slice(0, counted + 1) })
  expect(await chatWith(second.provider, torn)).toMatchObject({ summary: 'counted 10' })
  expect([first.asked(), second.asked()]).toEqual([1, 0])
})

it('vectors in a tool are kept in the journal, paid by the budget, and counted again when they are recalled', async () => {
  let asked = 0
  const createClient: Provider['createClient'] = () => ({
    ...countingProvider().provider.createClient({}),
    embed: ({ input }) => {
      asked++
      const usage = { prompt_tokens: 30, completion_tokens: 0, total_tokens: 30 }
      return { model: 'm', embeddings: input.map(() => [0.5, 1]), usage }
    },
    cost: ({ usage }) => usage!.prompt_tokens / 10,
  })
  const provider: Provider = { apiTypes: ['counting'], specVersion: 1, createClient }
  const runIn = async (journal: ChatJournal) => {
    const embedder = new ModelWrapper({
      providers: [provider],
      configList: [{ apiType: 'counting', model: 'm' }],
      cacheSeed: null,
      io,
    })
    const budget = createBudget({ cost: 10 })
    const user = new ConversableAgent({ name: 'user', io, humanInputMode: 'NEVER' })
    const assistant = new ConversableAgent({
      name: 'assistant',
      io,
      humanInputMode: 'NEVER',
      llmConfig: functionModel(({ messages }) =>
        messages.at(-1)!.role === 'tool'
          ? 'done'
          : { content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'find', arguments: '{}' } }] },
      ),
    })
    user.registerForExecution(
      tool({
        name: 'find',
        description: 'Finds.',
        parameters: { type: 'object' },
        execute: async (_, { run }) => JSON.stringify((await embedder.embed({ input: 'x' }, { run })).embeddings),
      }),
    )
    const { chatHistory } = await user.initiateChat(assistant, { message: 'hi', maxTurns: 2, journal, budget })
    const { totalCost } = embedder.actualUsageSummary!
    return { found: chatHistory.find(({ role }) => role === 'tool')?.content, spent: budget.spent.cost, totalCost }
  }
  const journal = new ChatJournal()
  expect(await runIn(journal)).toEqual({ found: '[[0.5,1]]', spent: 3, totalCost: 3 })
  const { version, kind, entries } = journal.saveState()
  const kept = entries.findIndex(({ name }) => name === 'embed')
  const torn = ChatJournal.load({ version, kind, entries: entries.slice(0, kept + 1) })
  expect(await runIn(torn)).toMatchObject({ found: '[[0.5,1]]', totalCost: 3 })
  expect(asked).toBe(1)
})
