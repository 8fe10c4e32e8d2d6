import { AssistantAgent, ChatJournal, tool, type RunResult } from '@x/agent'
import { runRecorded } from '@x/agent/steps'
import { fit, limitTokens, summarize } from '@x/history'
import type {
  ChatMessage,
  JournalEntry,
  LlmConfig,
  ModelAnswer,
  ModelParams,
  Provider,
  Run,
  UsageSummary,
} from '@x/interfaces'
import { createMemoryCache, llmConfig } from '@x/model'
import { beam, modelParts, performJob, ReasoningAgent, search, type SearchParts } from '@x/reasoning'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'

const textOf = ({ content }: ModelParams['messages'][number]): string => (typeof content === 'string' ? content : '')

/** Price of a request, a power of two for each model: a sum tells which of them were counted, and how often. */
const PRICES: Readonly<Record<string, number>> = { talker: 1, thinker: 64, expert: 4096, vectors: 2 ** 18 }

/** A provider whose `talker` calls a tool first, and what all of its requests cost. */
function shop(): { config: (model: string, more?: object) => LlmConfig; paid: () => number } {
  let paid = 0
  const pay = (model: string): void => void (paid += PRICES[model]!)
  const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
  const createClient: Provider['createClient'] = () => ({
    create: ({ model = '', messages: sent }): ModelAnswer => {
      pay(model)
      const system = textOf(sent[0]!)
      const content = /next step/u.test(system)
        ? 'Option 1: left\nOption 2: right'
        : /rate/iu.test(system)
          ? 'Rating: 7'
          : 'fine'
      const isCall = model === 'talker' && sent.at(-1)!.role === 'user'
      const message: ChatMessage = isCall
        ? { role: 'assistant', content: null, tool_calls: [CONSULTING] }
        : { role: 'assistant', content }
      return { id: 'a', model, created: 0, usage, choices: [{ index: 0, message, finish_reason: 'stop' }] }
    },
    embed: ({ model = '', input }) => {
      pay(model)
      return { model, embeddings: input.map(() => [1]), usage }
    },
    messageRetrieval: ({ choices }) => choices.map(({ message }) => message),
    getUsage: ({ model }) => ({ model, ...COUNTED, cost: PRICES[model]! }),
    cost: ({ model }) => PRICES[model]!,
  })
  const provider: Provider = { apiTypes: ['shop'], specVersion: 1, createClient }
  const config = (model: string, more: object = {}): LlmConfig =>
    llmConfig({ providers: [provider], configList: [{ model, apiType: 'shop' }], cacheSeed: null, ...more })
  return { config, paid: () => paid }
}

const CONSULTING = { id: 'c', type: 'function', function: { name: 'consult', arguments: '{}' } } as const

const COUNTED = { promptTokens: 10, completionTokens: 1, totalTokens: 11 }

const method = beam({ maxDepth: 2, beamSize: 1 })
const messages = [{ role: 'user' as const, content: 'Which way?' }]

/** An agent whose tool asks a model, has vectors made, searches and asks a reasoning agent, of which two cut what it reads. */
async function consulted(config: (model: string) => LlmConfig, run: Run): Promise<RunResult> {
  const consult = tool({
    name: 'consult',
    description: 'Consults others.',
    execute: async (_, { run: inside }) => {
      await config('expert').createModel().create({ messages }, { run: inside })
      await config('vectors').createModel().embed!({ input: ['a', 'b'] }, { run: inside })
      await search('Which way?', { ...modelParts({ model: config('thinker').createModel() }), method, run: inside })
      return 'consulted'
    },
  })
  const clerk = new AssistantAgent({ name: 'clerk', llmConfig: config('talker') })
  return await clerk.run('Go.', { tools: consult, run })
}

/** A question to a reasoning agent, which a model writes again after another has summed up what came before. */
async function reasoned(config: (model: string) => LlmConfig, run?: Run): Promise<RunResult> {
  const reasoner = new ReasoningAgent({
    name: 'reasoner',
    llmConfig: config('thinker'),
    reasonConfig: { method: 'beam_search', maxDepth: 2, beamSize: 1, rewriter: 'model' },
    history: fit(limitTokens(400), summarize({ model: config('expert') })),
  })
  const earlier = Array.from({ length: 12 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${index} ${'word '.repeat(40)}`,
  }))
  return await reasoner.run([...earlier, ...messages], run ? { run } : {})
}

/** A program of all of that, which asks a model and searches on its own as well. */
async function program(entries: readonly JournalEntry[]) {
  const { config, paid } = shop()
  const journal = ChatJournal.load({ version: 3, kind: 'chat', entries: structuredClone([...entries]) })
  const [used, costs, errors] = await runRecorded(
    async (run, recorded) => {
      const first = await consulted(config, run)
      const second = await reasoned(config, run)
      await config('expert').createModel().create({ messages }, { run })
      await search('Which way?', { ...modelParts({ model: config('thinker').createModel() }), method, run })
      return [recorded.usage, [first.cost, second.cost], first.toolCalls.flatMap(({ error }) => error ?? [])] as const
    },
    { journal, runId: 'a' },
  )
  return { used, costs, errors, paid: paid(), entries: structuredClone(journal.saveState().entries) }
}

describe('the usage of a run', () => {
  it('counts what its tools and its program ask of models, and searches, once', async () => {
    const { used, costs, paid, errors } = await program([])
    expect(used.totalCost).toBe(paid)
    expect(costs[0] + costs[1]).toBeLessThan(paid)
    expect(errors).toEqual([])
    expect(used.models['vectors']).toMatchObject({ cost: PRICES['vectors'] })
    for (const [model, { cost, promptTokens }] of Object.entries(used.models))
      expect(promptTokens).toBe((cost / PRICES[model]!) * COUNTED.promptTokens)
  })

  it('is that of a run of a reasoning agent too', async () => {
    const { config, paid } = shop()
    const { usage, cost } = await reasoned(config)
    expect(cost).toBe(paid())
    expect(Object.keys(usage.models).sort()).toEqual(['expert', 'thinker'])
  })

  it('is the same when the run goes on from any entry of its journal', async () => {
    const whole = await program([])
    expect(whole.entries.length).toBeGreaterThan(20)
    for (let count = 1; count <= whole.entries.length; count++) {
      // eslint-disable-next-line no-await-in-loop -- one process after the other
      const resumed = await program(whole.entries.slice(0, count))
      expect({ count, used: resumed.used, costs: resumed.costs }).toEqual({
        count,
        used: whole.used,
        costs: whole.costs,
      })
    }
  })

  it('has no answers from a cache, and none of jobs that were performed elsewhere', async () => {
    const { config, paid } = shop()
    const cache = createMemoryCache()
    const asked = async (run: Run): Promise<void> => {
      const expert = config('expert').createModel()
      await expert.create({ messages, cache }, { run })
      await expert.create({ messages, cache }, { run })
    }
    const usedBy = async (use: (run: Run) => Promise<unknown>): Promise<UsageSummary> =>
      await runRecorded(async (run, recorded) => (await use(run), recorded.usage), {
        journal: new ChatJournal(),
        runId: 'a',
      })
    expect((await usedBy(asked)).totalCost).toBe(PRICES['expert'])
    expect(paid()).toBe(PRICES['expert'])
    const parts = modelParts({ model: config('thinker').createModel() })
    const perform: SearchParts['perform'] = async (_, request) =>
      await runRecorded((run) => performJob(request, parts, run), { journal: new ChatJournal(), runId: 'b' })
    const searched = await usedBy((run) => search('Which way?', { ...parts, perform, method, run }))
    expect(searched.totalCost).toBe(0)
    expect(paid()).toBeGreaterThan(PRICES['expert']!)
  })

  it('counts scripted models as others', async () => {
    const scripted = functionModel(() => ({ content: 'fine', usage: [10, 1], cost: 0.5 }))
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      execute: async (_, { run }) => {
        await scripted.createModel().create({ messages }, { run })
        return 'asked'
      },
    })
    const talker = functionModel(({ messages: seen }) =>
      seen.at(-1)!.role === 'tool'
        ? { content: 'done', cost: 0.125 }
        : { tool_calls: [{ id: 'c', function: { name: 'ask', arguments: '{}' } }], cost: 0.125 },
    )
    const clerk = new AssistantAgent({ name: 'clerk', llmConfig: talker })
    expect((await clerk.run('Go.', { tools: ask })).cost).toBe(0.75)
  })
})
