import { createAgent } from '@x/agent'
import type { ConfigEntry, EmbedRequest, LlmConfig, ModelResponse, Provider } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { bestFirst, modelParts, search } from '@x/reasoning'
import type { CapabilityName, VendorName } from './evidence.ts'

/** How a vendor is asked. */
export interface Vendor {
  readonly provider: Provider
  /** Variable of the environment with the key. */
  readonly environmentKey: string
  readonly baseUrl: string
  /** A cheap model of the catalogue, and one for vectors. */
  readonly model: string
  readonly embeddingModel?: string | undefined
  readonly entry: ConfigEntry
}

const OPENAI = {
  provider: openai,
  environmentKey: 'OPENAI_API_KEY',
  baseUrl: 'https://api.openai.com/v1',
  model: 'gpt-5.4-nano',
}

/** The vendors, each with its own endpoint and cheap models. */
export const VENDOR_SETTINGS: Readonly<Record<VendorName, Vendor>> = {
  'openai-chat': {
    ...OPENAI,
    embeddingModel: 'text-embedding-3-small',
    entry: { apiType: 'openai', api: 'chat', endpointProfile: 'openai', reasoning_effort: 'none' },
  },
  'openai-responses': {
    ...OPENAI,
    entry: { apiType: 'openai', api: 'responses', endpointProfile: 'openai', reasoning_effort: 'low' },
  },
  anthropic: {
    provider: anthropic,
    environmentKey: 'ANTHROPIC_API_KEY',
    baseUrl: 'https://api.anthropic.com',
    model: 'claude-haiku-4-5',
    entry: { apiType: 'anthropic' },
  },
  google: {
    provider: google,
    environmentKey: 'GEMINI_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com',
    model: 'gemini-3.1-flash-lite',
    embeddingModel: 'gemini-embedding-001',
    entry: { apiType: 'google' },
  },
}

/** Most tokens of an answer, reasoning included; a budget reserves as many for each request. */
export const MAX_ANSWER_TOKENS = 2048

/** Makes the models of a vendor; `more` has key, budget, `fetch` and the address. */
export function modelsOf(vendor: VendorName, model: string, more: ConfigEntry): LlmModels {
  const { provider, entry, baseUrl } = VENDOR_SETTINGS[vendor]
  return llmConfig({
    providers: [provider],
    configList: [{ baseUrl, ...entry, ...more, model, max_tokens: MAX_ANSWER_TOKENS, maxRetries: 1 }],
    cacheSeed: null,
    io: { send: () => {}, input: () => '' },
  })
}

/** Models of one vendor. */
export type LlmModels = ReturnType<typeof llmConfig>

/** Runs one capability; returns what was read as JSON, and throws if it is not what was asked for. */
type Capability = (llm: LlmModels, embeddingModel: string | undefined) => Promise<unknown>

const MESSAGES = [{ role: 'user' as const, content: 'Reply with the single word: ready' }]
const POPULATION = 2_102_650
const PUZZLE = 'Pay exactly 26 with two coins, each of 16, 10 or 1. End with the sum, as in `16 + 1 = 17`.'
const MAX_SEARCH_CALLS = 6

/** The capabilities; each sends the same requests in every run, so that its recording can be replayed. */
export const RUNS: Readonly<Record<CapabilityName, Capability>> = {
  async answer(llm) {
    return textOf(await llm.createModel().create({ messages: MESSAGES }))
  },
  async blocking(llm) {
    return textOf(llm.createModel().createSync({ messages: MESSAGES }))
  },
  async stream(llm) {
    const messages = [{ role: 'user' as const, content: 'Count from one to ten in words.' }]
    const stream = llm.createModel().createStream({ messages })
    let text = ''
    let step = await stream.next()
    for (; !step.done; step = await stream.next()) if (step.value.type === 'textDelta') text += step.value.text
    const answer = textOf(step.value)
    require(text === answer.text, 'the pieces of the stream are not its answer')
    return answer
  },
  async tools(llm) {
    const population = {
      name: 'population',
      description: 'Returns how many people live in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      execute: () => POPULATION,
    }
    const agent = agentOf(llm, [population])
    const { text, toolCalls } = await agent.run(
      'Ask the tool how many people live in Paris, and reply with the exact number.',
      { maxTurns: 3 },
    )
    require(toolCalls.some(({ error }) => error === null), 'the tool was not called')
    require(text.replaceAll(/\D/gu, '').includes(String(POPULATION)), 'the answer does not have the result of the tool')
    return { text, calls: toolCalls.map((call) => call.arguments) }
  },
  async typed(llm) {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, country: { type: 'string' } },
      required: ['city', 'country'],
      additionalProperties: false,
    } as const
    const { result } = await agentOf(llm).run('What is the capital of France?', { result: schema, resultRepairs: 1 })
    require(result !== null, 'there is no result')
    return result
  },
  async embeddings(llm, model) {
    const request: EmbedRequest = { input: ['a cab', 'fog'], dimensions: 128 }
    const { embeddings } = await llm
      .with({ model })
      .createModel()
      .embed({ ...request, model })
    require(embeddings.every(({ length }) => length === 128), 'a vector has not 128 numbers')
    return embeddings.map((vector) => vector.slice(0, 3))
  },
  async search(llm) {
    const { status, answer, reason } = await search(PUZZLE, {
      ...modelParts({ model: llm.createModel() }),
      method: bestFirst({ maxDepth: 1 }),
      budget: { calls: MAX_SEARCH_CALLS },
    })
    require(answer !== null, `the search has no answer (${status}${reason ? `: ${reason}` : ''})`)
    return { status, answer }
  },
}

const agentOf = (llm: LlmConfig, tools: NonNullable<Parameters<typeof createAgent>[0]['tools']> = []) =>
  createAgent({ name: 'assistant', model: llm, tools, instructions: 'Be brief.' })

function textOf({ choices }: ModelResponse): { text: string } {
  const text = choices[0]?.message.content
  require(typeof text === 'string' && text !== '', 'the answer has no text')
  return { text: text as string }
}

function require(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem)
}
