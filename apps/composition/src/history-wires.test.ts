import { AssistantAgent, toolContent, UserProxyAgent } from '@x/agent'
import { clearToolResults, fit, limitTokens, summarize, type FittedHistory } from '@x/history'
import type { ConfigEntry, XEvent } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { functionModel, startFakeOpenAI } from '@x/testing'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { startWireServer } from '@x/testing/wire'
import { describe, expect, it } from 'vitest'

const words = (count: number): string => 'word '.repeat(count).trim()

/** The cache of a provider: what a request has in common with the beginning of the one before it is not read again. */
function promptCache() {
  let last: readonly string[] = []
  const seen = { prompt: 0, cached: 0, misses: 0 }
  return {
    seen,
    usage(messages: readonly unknown[]) {
      const parts = messages.map((message) => JSON.stringify(message))
      const size = (some: readonly string[]): number => Math.ceil(some.join('').length / 4)
      let same = 0
      while (same < last.length && parts[same] === last[same]) same++
      if (same < last.length) seen.misses++
      last = parts
      const usage = { prompt: size(parts), completion: 50, cached: size(parts.slice(0, same)) }
      seen.prompt += usage.prompt
      seen.cached += usage.cached
      return usage
    },
  }
}

/** A chat with calls of a tool, and what its events say. */
async function chatWith(entries: readonly ConfigEntry[], history: FittedHistory, turns = 30) {
  const events: XEvent[] = []
  const io = { send: (event: XEvent) => void events.push(event), input: () => '' }
  const config = llmConfig({
    providers: [openai, anthropic, google],
    configList: entries.map((entry) => ({ apiKey: 'key', maxRetries: 0, price: [0, 0] as const, ...entry })),
    cacheSeed: null,
  })
  const look = {
    name: 'look',
    description: 'Looks',
    parameters: { type: 'object' },
    execute: () => words(300),
  } as const
  const assistant = new AssistantAgent({ name: 'assistant', llmConfig: config, functions: look, history, io })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', defaultAutoReply: `go on ${words(30)}`, io })
  user.registerForExecution(look)
  await user.initiateChat(assistant, { message: 'begin', maxTurns: turns })
  return { cuts: events.filter((event) => event.type === 'historyCut'), events }
}

const views: readonly (readonly [string, () => FittedHistory])[] = [
  ['limits', () => fit(limitTokens(4000))],
  ['cleared results', () => fit(limitTokens(4000), clearToolResults({ keep: 1 }))],
  ['summaries', () => fit(limitTokens(4000), summarize({ model: functionModel(() => 'They looked.') }))],
]

describe.each(views)('%s', (_, view) => {
  it('hit the prompt cache of chat completions in every request but at cuts', async () => {
    const cache = promptCache()
    let calls = 0
    await using server = await startFakeOpenAI({
      strict: true,
      replies: ({ messages, index }) => {
        const usage = cache.usage(messages)
        if (index % 2 === 1) return { content: `answer ${words(30)}`, usage }
        const call = { id: `call_${calls++}`, type: 'function', function: { name: 'look', arguments: '{}' } } as const
        return { content: null, tool_calls: [call], usage }
      },
    })
    const { cuts } = await chatWith([{ model: 'llama', baseUrl: server.url }], view())
    expect(cuts.length).toBeGreaterThan(1)
    expect(cuts.map(({ reason }) => reason)).not.toContain('overflow')
    expect(cache.seen.misses).toBe(cuts.length)
    expect(cache.seen.cached / cache.seen.prompt).toBeGreaterThan(0.7)
  })
})

describe('everything together', () => {
  const view = (): FittedHistory =>
    fit(limitTokens(4000), clearToolResults({ keep: 1 }), summarize({ model: functionModel(() => 'They looked.') }))

  it('hits the prompt cache of Anthropic', async () => {
    const cache = promptCache()
    await using server = await startWireServer(anthropicFormat, {
      steps: ({ body }, index) => {
        const usage = cache.usage(body['messages'] as unknown[])
        return index % 2 === 1
          ? { reply: { text: `answer ${words(30)}`, usage } }
          : { reply: { calls: [{ id: `toolu_${index}`, name: 'look' }], usage } }
      },
    })
    const { cuts } = await chatWith([{ apiType: 'anthropic', model: 'claude-opus-4-6', baseUrl: server.url }], view())
    expect(cuts.length).toBeGreaterThan(1)
    expect(cache.seen.misses).toBe(cuts.length)
    expect(cache.seen.cached / cache.seen.prompt).toBeGreaterThan(0.7)
  })

  it('hits the prompt cache of Google', async () => {
    const cache = promptCache()
    await using server = await startWireServer(googleFormat, {
      steps: ({ body }, index) => {
        const usage = cache.usage(body['contents'] as unknown[])
        return index % 2 === 1
          ? { reply: { text: `answer ${words(30)}`, usage } }
          : { reply: { calls: [{ id: `c${index}`, name: 'look' }], usage } }
      },
    })
    const { cuts } = await chatWith([{ apiType: 'google', model: 'gemini-2.5-flash', baseUrl: server.url }], view())
    expect(cuts.length).toBeGreaterThan(1)
    expect(cache.seen.misses).toBe(cuts.length)
    expect(cache.seen.cached / cache.seen.prompt).toBeGreaterThan(0.7)
  })
})

it('a refusal of the last provider is answered with a cut; what every provider then reads is valid', async () => {
  await using first = await startWireServer(anthropicFormat, {
    steps: ({ body }, index) =>
      JSON.stringify(body).length > 12_000
        ? { status: 400, body: anthropicFormat.errorBody(400, 'prompt is too long: 210000 tokens > 200000 maximum') }
        : { reply: { calls: [{ id: `toolu_${index}`, name: 'look' }], usage: { prompt: 100, completion: 5 } } },
  })
  await using second = await startFakeOpenAI({
    strict: true,
    replies: ({ messages }) =>
      JSON.stringify(messages).length > 12_000 ? { failure: 'context-overflow' } : { content: words(30) },
  })
  const entries = [
    { apiType: 'anthropic', model: 'claude-opus-4-6', baseUrl: first.url },
    { model: 'llama', baseUrl: second.url },
  ]
  const { cuts } = await chatWith(entries, fit(), 30)
  expect(cuts[0]).toMatchObject({ reason: 'overflow' })
  expect(cuts.filter(({ reason }) => reason === 'overflow').length).toBeLessThan(3)
})

it('a window of 4,096 tokens takes results of 200 kB', async () => {
  await using server = await startFakeOpenAI({
    strict: true,
    replies: ({ messages, index }) => {
      if (JSON.stringify(messages).length > 4096 * 4.5) return { failure: 'context-overflow' }
      if (index % 2 === 1) return words(20)
      return { content: null, tool_calls: [{ id: `c${index}`, function: { name: 'look', arguments: '{}' } }] }
    },
  })
  const events: XEvent[] = []
  const io = { send: (event: XEvent) => void events.push(event), input: () => '' }
  const config = llmConfig({
    providers: [openai],
    configList: [{ model: 'llama', baseUrl: server.url, apiKey: 'k', maxRetries: 0, price: [0, 0] }],
    cacheSeed: null,
  })
  const look = {
    name: 'look',
    description: 'L',
    parameters: { type: 'object' },
    execute: () => 'lorem ipsum, '.repeat(15_000),
  } as const
  const assistant = new AssistantAgent({
    name: 'assistant',
    llmConfig: config,
    functions: look,
    history: fit(limitTokens(3000)),
    io,
  })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', defaultAutoReply: 'go on', io })
  user.registerForExecution(look)
  const { chatHistory } = await user.initiateChat(assistant, { message: 'begin', maxTurns: 20 })
  expect(chatHistory.length).toBe(40)
  const cuts = events.filter((event) => event.type === 'historyCut')
  expect(cuts.some(({ shortened }) => shortened === 1)).toBe(true)
  expect(cuts.map(({ reason }) => reason)).not.toContain('overflow')
})

describe('a chat with 150 screenshots', () => {
  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Buffer.alloc(3000)]).toString('base64')
  const screenshot = {
    name: 'look',
    description: 'Looks',
    parameters: { type: 'object' },
    execute: () =>
      toolContent([
        { type: 'text', text: 'The page is open.' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ]),
  } as const

  /** A provider that refuses a request for its images or its size, as it was seen to. */
  async function lookAround(history: FittedHistory | undefined, refusal: (body: string) => [number, string] | null) {
    const seen = { refusals: 0, most: 0, last: '' }
    await using server = await startWireServer(anthropicFormat, {
      steps: ({ body }, index) => {
        const text = JSON.stringify(body)
        const refused = refusal(text)
        if (refused) {
          seen.refusals++
          return { status: refused[0], body: anthropicFormat.errorBody(...refused) }
        }
        seen.most = Math.max(seen.most, text.split('"type":"image"').length - 1)
        seen.last = text
        return { reply: { calls: [{ id: `toolu_${index}`, name: 'look' }] } }
      },
    })
    const events: XEvent[] = []
    const io = { send: (event: XEvent) => void events.push(event), input: () => '' }
    const config = llmConfig({
      providers: [anthropic],
      configList: [{ apiType: 'anthropic', model: 'claude-new', baseUrl: server.url, apiKey: 'k', maxRetries: 0 }],
      cacheSeed: null,
    })
    const common = { maxConsecutiveAutoReply: 1000, io }
    const assistant = new AssistantAgent({
      name: 'assistant',
      llmConfig: config,
      functions: screenshot,
      history,
      ...common,
    })
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', ...common })
    user.registerForExecution(screenshot)
    const message = 'Look at every page of the shop.'
    const { chatHistory } = await user.initiateChat(assistant, { message, maxTurns: 151 })
    return { seen, chatHistory, cuts: events.filter((event) => event.type === 'historyCut') }
  }

  const count = (body: string): number => body.split('"type":"image"').length - 1
  const manyImages = (body: string): [number, string] | null =>
    count(body) > 100 ? [400, `too many images and documents: ${count(body)} + 0 > 100`] : null
  const tooLarge = (body: string): [number, string] | null =>
    body.length > 200_000 ? [413, 'Request exceeds the maximum size'] : null

  it.each([
    ['their number', manyImages, 100],
    ['their size', tooLarge, 48],
  ])('goes on where a provider refuses %s: the oldest become a note', async (_, refusal, most) => {
    const { seen, chatHistory, cuts } = await lookAround(fit(), refusal)
    expect(chatHistory).toHaveLength(302)
    expect(seen.most).toBeLessThanOrEqual(most)
    expect(cuts[0]).toMatchObject({ reason: 'overflow', leftOut: 0, shortened: 0 })
    // What was refused once is a limit from then on.
    expect(seen.refusals).toBe(1)
    expect(cuts.length).toBeGreaterThan(1)
    expect(cuts.map(({ leftOut }) => leftOut)).toEqual(cuts.map(() => 0))
    expect(seen.last.includes('[an image was left out here]')).toBe(true)
    expect(seen.last.includes('Look at every page of the shop.')).toBe(true)
    expect(count(seen.last)).toBeGreaterThan(0)
  })

  it('ends with an error that says what to do where there is no history', async () => {
    for (const refusal of [manyImages, tooLarge]) {
      await expect(lookAround(undefined, refusal)).rejects.toMatchObject({
        kind: 'context-overflow',
        message: expect.stringContaining('`fit()`') as string,
      })
    }
  })
})
