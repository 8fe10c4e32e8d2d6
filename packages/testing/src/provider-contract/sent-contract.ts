import type { ModelParams } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { withAdapter } from './adapter-case.ts'
import { collectStream } from './collect-stream.ts'
import { findEmpty, findRequestDifference, type CompareRules } from './compare-requests.ts'
import type { CompleteContract } from './contract.ts'
import { bytesOf } from './fake-fetch.ts'
import type { MissingFeature, PlainPart, PlainRequest, WireMeaning } from './meaning.ts'
import {
  ConversationBuilder,
  Dice,
  IMAGE_URL,
  PIXEL_BASE64,
  randomRequest,
  type AskedRequest,
} from './random-conversation.ts'
import { typeOf } from './stream-text.ts'

/** Conversations that are generated for one adapter. */
const CONVERSATION_COUNT = 24

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'number' } },
  required: ['city', 'days'],
  additionalProperties: false,
} as const

const TOOLS = ['weather', 'now', 'geo.locate!'].map((name) => ({
  name,
  description: `Describes ${name}.`,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}))

const QUESTION: readonly PlainPart[] = [{ type: 'text', text: 'What is the weather?' }]

/** One input of a request, and what it says. */
interface Probe {
  /** Feature of the wire that it needs; default: every wire has it. */
  readonly feature?: MissingFeature | undefined
  readonly params?: Partial<ModelParams> | undefined
  readonly says?: Partial<PlainRequest> | undefined
  /** Parts of the question; default: a text. */
  readonly parts?: readonly PlainPart[] | undefined
  /** Parts of the result of a tool. */
  readonly result?: readonly PlainPart[] | undefined
  readonly tools?: typeof TOOLS | undefined
}

const LEVELS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

const IMAGE: PlainPart = { type: 'image', mediaType: 'image/png', data: PIXEL_BASE64 }

/** The first bytes of a PDF. */
const PDF: PlainPart = { type: 'file', mediaType: 'application/pdf', data: 'JVBERi0xLjQK' }

const jsonFormat = (schema: object): object => ({ type: 'json_schema', json_schema: { name: 'weather', schema } })

const PROBES: Readonly<Record<string, Probe>> = {
  '`max_tokens`': { feature: 'max_tokens', params: { max_tokens: 4321 }, says: { maxTokens: 4321 } },
  '`max_completion_tokens`': {
    feature: 'max_tokens',
    params: { max_completion_tokens: 4321 },
    says: { maxTokens: 4321 },
  },
  '`temperature`': { feature: 'temperature', params: { temperature: 0.4375 }, says: { temperature: 0.4375 } },
  '`temperature` of 0': { feature: 'temperature', params: { temperature: 0 }, says: { temperature: 0 } },
  '`top_p`': { feature: 'top_p', params: { top_p: 0.8125 }, says: { topP: 0.8125 } },
  '`top_k`': { feature: 'top_k', params: { top_k: 17 }, says: { topK: 17 } },
  '`seed`': { feature: 'seed', params: { seed: 7 }, says: { seed: 7 } },
  '`seed` of 0': { feature: 'seed', params: { seed: 0 }, says: { seed: 0 } },
  '`presence_penalty`': {
    feature: 'presence_penalty',
    params: { presence_penalty: 0.3125 },
    says: { presencePenalty: 0.3125 },
  },
  '`frequency_penalty`': {
    feature: 'frequency_penalty',
    params: { frequency_penalty: 0.1875 },
    says: { frequencyPenalty: 0.1875 },
  },
  '`stop` (a text)': { feature: 'stop', params: { stop: 'canary-stop' }, says: { stop: ['canary-stop'] } },
  '`stop` (a list)': {
    feature: 'stop',
    params: { stop: ['canary-stop', 'canary-end'] },
    says: { stop: ['canary-stop', 'canary-end'] },
  },
  '`n`': { feature: 'n', params: { n: 2 }, says: { n: 2 } },
  '`tool_choice` auto': { params: { tool_choice: 'auto' }, tools: TOOLS },
  '`tool_choice` none': {
    feature: 'choice-none',
    params: { tool_choice: 'none' },
    says: { choice: 'none' },
    tools: TOOLS,
  },
  '`tool_choice` required': {
    feature: 'choice-required',
    params: { tool_choice: 'required' },
    says: { choice: 'required' },
    tools: TOOLS,
  },
  '`tool_choice` of one tool': {
    feature: 'choice-named',
    // Its name has to be changed as that of the tool.
    params: { tool_choice: { type: 'function', function: { name: 'geo.locate!' } } },
    says: { choice: { name: 'geo.locate!' } },
    tools: TOOLS,
  },
  '`parallel_tool_calls`': {
    feature: 'parallel_tool_calls',
    params: { parallel_tool_calls: false },
    says: { parallelCalls: false },
    tools: TOOLS,
  },
  '`response_format` of any JSON': {
    feature: 'json',
    params: { response_format: { type: 'json_object' } },
    says: { format: 'json' },
    parts: [{ type: 'text', text: 'What is the weather? Answer in JSON.' }],
  },
  '`response_format` with a schema': {
    feature: 'schema',
    params: { response_format: jsonFormat(SCHEMA) },
    says: { format: SCHEMA },
  },
  '`response_format` beside tools': {
    feature: 'schema-with-tools',
    params: { response_format: jsonFormat(SCHEMA) },
    says: { format: SCHEMA },
    tools: TOOLS.slice(0, 1),
  },
  'an image': { feature: 'images', parts: [...QUESTION, IMAGE] },
  'a link of an image': { feature: 'image-links', parts: [...QUESTION, { type: 'link', url: IMAGE_URL }] },
  'a document': { feature: 'files', parts: [...QUESTION, PDF] },
  'an image of a tool': { feature: 'result-images', result: [{ type: 'text', text: 'canary-result' }, IMAGE] },
  ...Object.fromEntries(
    LEVELS.map((effort): [string, Probe] => [
      `\`reasoning_effort\` ${effort}`,
      { feature: 'reasoning_effort', params: { reasoning_effort: effort }, says: { effort } },
    ]),
  ),
}

/** Checks that a request says what was asked: whole conversations, and each input for itself. */
export function sentContract(runner: ContractRunner, contract: CompleteContract): void {
  const { meaning } = contract
  if (!meaning) return
  const lacks = new Set(meaning.lacks)
  checkConversations(runner, contract, meaning)
  checkOtherForms(runner, contract, meaning)
  for (const [name, probe] of Object.entries(PROBES)) {
    if (probe.feature !== undefined && lacks.has(probe.feature))
      checkLeftOut(runner, contract, meaning, { name, probe })
    else checkSent(runner, contract, meaning, { name, probe })
  }
}

const rulesOf = (meaning: WireMeaning): CompareRules => ({ ...meaning, lacks: new Set(meaning.lacks) })

function checkConversations({ test, expect }: ContractRunner, contract: CompleteContract, meaning: WireMeaning): void {
  const { model = '' } = contract.config

  test('sent: generated conversations arrive whole: order, parts, identifiers, tools, choice and limits', async () => {
    const rules = rulesOf(meaning)
    for (let seed = 0; seed < CONVERSATION_COUNT; seed++) {
      const request = withLimits(randomRequest(seed, model, rules.lacks), seed, rules.lacks)
      const { differences, warnings, error } = await sendRequest(contract, meaning, request)
      expect({ seed, error }).toEqual({ seed, error: undefined })
      expect({ seed, difference: differences[0] }).toEqual({ seed, difference: undefined })
      expect({ seed, warnings }).toEqual({ seed, warnings: [] })
    }
  })

  test('sent: a text of one message arrives with its white space', async () => {
    const talk = new ConversationBuilder()
    const text = 'One  line\n\n  and\tanother '
    talk.user([{ type: 'text', text }])
    const asked = { model, stream: false, messages: talk.plain }
    const { sent } = await sendRequest(contract, meaning, { params: { model, messages: talk.messages }, asked })
    const parts = sent.flatMap(({ messages }) => messages.flatMap((message) => message.parts))
    expect(parts).toEqual([
      { type: 'text', text },
      { type: 'text', text },
    ])
  })
}

/** Checks inputs in other forms: of older programs, of one provider, of another provider. */
function checkOtherForms({ test, expect }: ContractRunner, contract: CompleteContract, meaning: WireMeaning): void {
  const { model = '' } = contract.config
  const talk = new ConversationBuilder()
  talk.user(QUESTION)
  const params: ModelParams = { model, messages: talk.messages }
  const asked: PlainRequest = { model, stream: false, messages: talk.plain }
  const { key, lacks = [] } = meaning
  const expectSent = async (request: AskedRequest): Promise<void> => {
    const { differences, warnings, error } = await sendRequest(contract, meaning, request)
    expect(error).toBe(undefined)
    expect(differences[0]).toBe(undefined)
    expect(warnings).toEqual([])
  }

  test('sent: `prompt`', async () => {
    await expectSent({ params: { model, messages: [], prompt: 'What is the weather?' }, asked })
  })

  test('sent: `functions`', async () => {
    await expectSent({ params: { ...params, functions: TOOLS }, asked: { ...asked, tools: TOOLS } })
  })

  test('sent: a tool of an unknown type, or left out with a warning', async () => {
    const tools = [{ type: 'canary_tool_type' }]
    const { raw, warnings, error } = await sendRequest(contract, meaning, { params: { ...params, tools }, asked })
    expectWarningsSay(expect, warnings)
    const isSent = raw.length === 2 && raw.every((body) => body.includes('canary_tool_type'))
    expect(isSent || warnings.length > 0 || isRefusal(error)).toBe(true)
  })

  if (key === undefined) return
  if (!lacks.includes('temperature')) {
    test('sent: `providerOptions` under the name of the provider', async () => {
      const providerOptions = { [key]: { temperature: 0.4375 }, elsewhere: { temperature: 0.5625 } }
      await expectSent({ params: { ...params, providerOptions }, asked: { ...asked, temperature: 0.4375 } })
    })
  }

  test('sent: a message of the provider itself is no foreign one', async () => {
    const said = { role: 'assistant', content: 'So.', provider_metadata: { [key]: { unknown: 1 } } } as const
    const messages = [...talk.messages, said, ...talk.messages]
    const { warnings } = await sendRequest(contract, meaning, { params: { ...params, messages }, asked })
    expect(warnings).toEqual([])
  })
}

const isRefusal = (error: unknown): boolean => (error as { kind?: string } | undefined)?.kind === 'invalid-request'

/** Adds some parameters to a generated conversation. */
function withLimits({ params, asked }: AskedRequest, seed: number, lacks: ReadonlySet<MissingFeature>): AskedRequest {
  const dice = new Dice(1000 + seed)
  const more: Partial<ModelParams> = {}
  const says: Partial<PlainRequest> = {}
  for (const name of LIMITS) {
    const { feature, params: given, says: plain } = PROBES[name]!
    if (lacks.has(feature!) || !dice.once(3)) continue
    Object.assign(more, given)
    Object.assign(says, plain)
  }
  return { params: { ...params, ...more }, asked: { ...asked, ...says } }
}

/** Parameters of generated conversations that go beside each other everywhere. */
const LIMITS = ['`max_tokens`', '`temperature`', '`stop` (a list)', '`seed`', '`tool_choice` none']

interface NamedProbe {
  readonly name: string
  readonly probe: Probe
}

function checkSent(
  { test, expect }: ContractRunner,
  contract: CompleteContract,
  meaning: WireMeaning,
  { name, probe }: NamedProbe,
): void {
  test(`sent: ${name}`, async () => {
    const { differences, warnings, error } = await sendRequest(contract, meaning, requestOf(contract, probe))
    expect(error).toBe(undefined)
    expect(differences[0]).toBe(undefined)
    expect(warnings).toEqual([])
  })
}

function checkLeftOut(
  { test, expect }: ContractRunner,
  contract: CompleteContract,
  meaning: WireMeaning,
  { name, probe }: NamedProbe,
): void {
  test(`not sent: ${name} is refused, or left out with a warning`, async () => {
    const { sent, warnings, error } = await sendRequest(contract, meaning, requestOf(contract, probe))
    if (error !== undefined) {
      expect(error).toMatchObject({ kind: 'invalid-request' })
      return
    }
    expect(warnings.length > 0 ? 'a warning' : `${name} was left out without a warning`).toBe('a warning')
    expectWarningsSay(expect, warnings)
    for (const each of sent) expect(findEmpty(each)).toBe(undefined)
    const [parameter] = Object.keys(probe.params ?? {})
    if (parameter !== undefined) expect(warnings.flat().join('\n')).toContain(parameter)
    // All else is sent, without what is missing.
    const without = requestOf(contract, { ...probe, params: {}, says: {} }).asked
    for (const [at, each] of sent.entries()) {
      const left = findRequestDifference(
        { ...plainTexts(without), stream: at === 1 },
        { ...plainTexts(each), choice: undefined },
        rulesOf(meaning),
      )
      expect(left).toBe(undefined)
    }
  })
}

/** A warning of fewer characters says nothing. */
const SHORTEST_WARNING_CHARACTERS = 10

/** Checks that each warning has a topic and a text. */
function expectWarningsSay(expect: ContractRunner['expect'], warnings: SentRequest['warnings']): void {
  const faults = warnings.flatMap(([topic, text]) =>
    topic && text?.length > SHORTEST_WARNING_CHARACTERS ? [] : [`the warning \`${topic}: ${text}\` says too little`],
  )
  expect(faults).toEqual([])
}

/** Returns a request with its first text in each message alone: notes stand for what was left out. */
function plainTexts(request: PlainRequest): PlainRequest {
  const first = (parts: readonly PlainPart[]): PlainPart[] => {
    const [text] = parts
    return text?.type === 'text' ? [{ type: 'text', text: text.text.split('\n')[0]! }] : [...parts]
  }
  return {
    ...request,
    messages: request.messages.map(({ role, parts }) => ({
      role,
      parts: first(parts).map((part) => (part.type === 'result' ? { ...part, parts: first(part.parts) } : part)),
    })),
  }
}

/** Builds the request of a probe. */
function requestOf({ config }: CompleteContract, probe: Probe): AskedRequest {
  const { model = '' } = config
  const { params, says, parts = QUESTION, result, tools } = probe
  const talk = new ConversationBuilder()
  talk.system('You answer briefly.')
  talk.user(parts)
  if (result) {
    talk.assistant('', [{ id: 'call_1', name: 'weather', args: { city: 'Rome' } }])
    talk.result('call_1', 'weather', result)
  }
  const used = result ? TOOLS : tools
  return {
    params: {
      model,
      messages: talk.messages,
      ...(used && { tools: used.map((tool) => ({ type: 'function', function: tool })) }),
      ...params,
    },
    asked: { model, stream: false, messages: talk.plain, ...(used && { tools: used }), ...says },
  }
}

/** A request that reached the fake provider, complete and streamed. */
interface SentRequest {
  readonly sent: readonly PlainRequest[]
  /** The bodies as they were sent. */
  readonly raw: readonly string[]
  /** Differences between what was asked and what was sent. */
  readonly differences: readonly (string | undefined)[]
  /** Topics and texts of warnings, each once. */
  readonly warnings: readonly (readonly [topic: string, text: string])[]
  readonly error: unknown
}

async function sendRequest(
  contract: CompleteContract,
  meaning: WireMeaning,
  { params: given, asked }: AskedRequest,
): Promise<SentRequest> {
  const [{ whole, stream }] = contract.recordings as [CompleteContract['recordings'][number]]
  return await withAdapter(
    contract,
    (index) => ({
      headers: { 'content-type': index === 0 ? 'application/json' : typeOf(stream) },
      pieces: bytesOf(index === 0 ? whole : stream),
    }),
    async ({ client, params, requests }) => {
      const warnings = new Map<string, string>()
      const warn = (topic: string, text: string): void => void warnings.set(topic, text)
      const all = { ...params, ...given }
      let error: unknown
      try {
        await client.create(all, { warn })
        error = (await collectStream(client, all, undefined, warn)).error
      } catch (refusal) {
        error = refusal
      }
      const sent = requests.map(({ body, url }) => meaning.decode(JSON.parse(body) as Record<string, unknown>, { url }))
      const differences = sent.map((each, at) =>
        findRequestDifference({ ...asked, stream: at === 1 }, nearest(each, asked), rulesOf(meaning)),
      )
      return { sent, raw: requests.map(({ body }) => body), differences, warnings: [...warnings], error }
    },
  )
}

/** Levels in place of others that some wires lack. */
const NEAREST_LEVELS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  minimal: ['none', 'low'],
  xhigh: ['high', 'max'],
  max: ['high', 'xhigh'],
}

/** Returns a request whose level of reasoning counts as the asked one if it is the nearest that many wires have. */
function nearest(sent: PlainRequest, { effort }: PlainRequest): PlainRequest {
  const near = NEAREST_LEVELS[effort ?? '']
  const isNear = near?.includes(sent.effort) === true
  return isNear ? { ...sent, effort } : sent
}
