import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import type { ConfigEntry, Provider, XEvent } from '@x/interfaces'
import { createMemoryCache, isXError, llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { fromAgUi, fromUiMessages, toAgUi, toAgUiResponse, toUiMessageResponse } from '@x/ui'

/** One thing that has to work in a runtime: gives a text when it did not. */
export type Trial = (baseUrl: string) => Promise<string | undefined>

/** Trials by name. */
export type Trials = readonly (readonly [name: string, trial: Trial])[]

const PROVIDERS: readonly Provider[] = [openai, anthropic, google]

/** The ways to a model: one per wire, and Google's SDK beside its own. */
const WIRES: Readonly<Record<string, ConfigEntry>> = {
  openai: { apiType: 'openai' },
  anthropic: { apiType: 'anthropic' },
  google: { apiType: 'google', sdk: 'fetch' },
  'google by its SDK': { apiType: 'google', sdk: 'generative-ai' },
}

/** Makes a model of the server at an address. */
export function modelAt(
  baseUrl: string,
  wire: ConfigEntry,
  more: Readonly<Record<string, unknown>> = { cacheSeed: null },
): ReturnType<typeof llmConfig> {
  const entry = {
    model: 'any',
    ...(baseUrl && { baseUrl, apiKey: 'key-of-a-test' }),
    timeout: 20,
    maxRetries: 0,
    price: [1, 1],
    ...wire,
  }
  return llmConfig({ providers: PROVIDERS, configList: [entry as ConfigEntry], ...more })
}

const asked = (content: string) => ({ messages: [{ role: 'user' as const, content }] })

/** A first call and a first stream of every wire. */
const wires = Object.entries(WIRES).flatMap(([name, wire]): [string, Trial][] => [
  [
    `${name}: call`,
    async (baseUrl) => {
      const { choices } = await modelAt(baseUrl, wire).createModel().create(asked('call'))
      return differs(choices[0]?.message.content, /^Answer \d+$/u)
    },
  ],
  [
    `${name}: stream`,
    async (baseUrl) => {
      const stream = modelAt(baseUrl, wire).createModel().createStream(asked('stream'))
      let text = ''
      let item = await stream.next()
      for (; !item.done; item = await stream.next()) if (item.value.type === 'textDelta') text += item.value.text
      const { choices } = item.value
      return differs(text, /^Answer \d+$/u) ?? differs(choices[0]?.message.content, new RegExp(`^${text}$`, 'u'))
    },
  ],
])

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => `rain in ${String(city)}`,
})

function pair(baseUrl: string) {
  const quiet = { send: () => {}, input: () => 'exit' }
  const assistant = new AssistantAgent({ name: 'assistant', llmConfig: modelAt(baseUrl, {}), io: quiet })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false, io: quiet })
  assistant.registerForLlm(weather)
  user.registerForExecution(weather)
  return { assistant, user }
}

const SIGNING = { secret: 'a secret of the server with 32 characters', scope: 'ann' }
const PAGE = { threadId: 't', runId: 'r', messages: [{ id: 'u', role: 'user', content: 'stream' }] }

/** The events of a run that waits for a decision. */
async function* waiting(): AsyncGenerator<XEvent> {
  const place = { runId: 'run', seq: 0, time: 0, chatId: '1', agentPath: null, parentId: null }
  const action = { type: 'toolCall', name: 'pay', arguments: {}, callId: 'c1' } as const
  yield await Promise.resolve({ ...place, type: 'approvalRequested', agent: 'clerk', id: '1.2', action } as const)
  const chat = { agent: 'user', recipient: 'clerk', ms: 0, outcome: 'suspended', error: null } as const
  yield { ...place, ...chat, type: 'chatEnd', id: '1', terminationReason: 'suspended' } as unknown as XEvent
}

/** The endpoints of pages. */
const endpoints: Trials = [
  [
    'an endpoint for useChat',
    async (baseUrl) => {
      const { message } = await fromUiMessages([{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'stream' }] }])
      const run = pair(baseUrl).assistant.runStream([message!])
      return differs(await toUiMessageResponse(run).text(), /"delta":.*"finishReason":"stop".*\[DONE\]/su)
    },
  ],
  [
    'an endpoint for AG-UI',
    async (baseUrl) => {
      const { message, input } = await fromAgUi(PAGE)
      const run = pair(baseUrl).assistant.runStream([message!])
      return differs(await toAgUiResponse(run, { input }).text(), /TEXT_MESSAGE_CONTENT.*RUN_FINISHED.*"success"/su)
    },
  ],
  [
    'a signed decision of a page',
    async () => {
      const { input } = await fromAgUi(PAGE)
      let end = ''
      for await (const event of toAgUi(waiting(), { ...SIGNING, input })) end = JSON.stringify(event)
      const [, interruptId] = /"id":"([^"]+\/run\/1\.2)"/u.exec(end) ?? []
      const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }]
      const [own, others] = await Promise.all(
        ['ann', 'bob'].map(async (scope) => await fromAgUi({ ...PAGE, resume }, { ...SIGNING, scope })),
      )
      return differs(`${own?.decisions.length} and ${others?.decisions.length}`, /^1 and 0$/u)
    },
  ],
]

/** Tries that have to work wherever the packages run. */
export const FIRST_CALLS: Trials = [
  ...wires,
  ...endpoints,
  [
    'tools in a chat',
    async (baseUrl) => {
      const { assistant, user } = pair(baseUrl)
      const { summary } = await user.initiateChat(assistant, { message: 'weather?', maxTurns: 2 })
      return differs(summary, /^It says: rain in Oslo$/u)
    },
  ],
  [
    'a chat as a stream',
    async (baseUrl) => {
      const { assistant, user } = pair(baseUrl)
      const stream = user.initiateChatStream(assistant, { message: 'weather?', maxTurns: 2 })
      const types = new Set<string>()
      for await (const { type } of stream) types.add(type)
      const { summary } = await stream.result
      return types.has('executeFunction') && types.has('textDelta')
        ? differs(summary, /^It says: rain in Oslo$/u)
        : `the events were ${[...types].join(', ')}`
    },
  ],
  ['the cache by default', (baseUrl) => answeredOnce(baseUrl, { cacheSeed: 7 })],
  ['a cache in memory', (baseUrl) => answeredOnce(baseUrl, { cache: createMemoryCache() })],
  [
    'a chat on the console',
    async (baseUrl) => {
      const assistant = new AssistantAgent({ name: 'assistant', llmConfig: modelAt(baseUrl, {}) })
      const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })
      const { summary } = await user.initiateChat(assistant, { message: 'Hello', maxTurns: 1 })
      return differs(summary, /^Answer \d+$/u)
    },
  ],
  [
    'a key that is missing is an error',
    () => codeOf(() => modelAt('', {}).createModel().create(asked('call')), /^model-failed$/u),
  ],
  [
    'a human without a terminal is an error',
    (baseUrl) => {
      const { assistant } = pair(baseUrl)
      const user = new UserProxyAgent({ name: 'user', codeExecutionConfig: false, silent: true })
      return codeOf(() => user.initiateChat(assistant, { message: 'weather?' }), /^end-of-input$/u)
    },
  ],
  [
    'the limit of a call',
    (baseUrl) => codeOf(() => modelAt(baseUrl, { timeout: 0.3 }).createModel().create(asked('hang')), /^timeout$/u),
  ],
]

/** Says how a promise came out in place of an error with such a code; undefined if it did. */
export async function codeOf(attempt: () => Promise<unknown>, expected: RegExp): Promise<string | undefined> {
  const code = await attempt().then(
    () => 'an answer',
    (error: unknown) => (isXError(error) ? error.code : String(error)),
  )
  return differs(code, expected)
}

/** Asks the same twice: the server counts its answers, so that a second one would be another. */
export async function answeredOnce(
  baseUrl: string,
  options: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const warnings: string[] = []
  const io = {
    send: (event: { readonly type: string; readonly text?: unknown }) => {
      if (event.type === 'warning') warnings.push(String(event.text))
    },
    input: () => '',
  }
  const model = modelAt(baseUrl, {}, { ...options, io }).createModel()
  const request = asked(`cache ${crypto.randomUUID()}`)
  const [first, second] = [await model.create(request), await model.create(request)]
  if (warnings.length > 0) return `it warned: ${warnings.join('; ')}`
  const [text, again] = [first, second].map(({ choices }) => choices[0]?.message.content)
  return typeof text === 'string' && text === again ? undefined : `it answered ${JSON.stringify([text, again])}`
}

/** Describes a value that differs from the expected one; undefined if it fits. */
export function differs(value: unknown, expected: RegExp): string | undefined {
  return typeof value === 'string' && expected.test(value) ? undefined : `${JSON.stringify(value)} is not ${expected}`
}
