import type { ChatMessage, ConfigEntry, ModelParams, ToolSchema } from '@x/interfaces'
import { google } from '@x/provider-google'
import { googleFormat } from '@x/testing/google'
import { exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { refusalOf } from './any-history.fake.ts'
import { readRecording, nextRequest, type RecordedAnswer } from './recorded-exchange.fake.ts'

/** Answers as the provider sends them, with fields that the adapter does not read. */
const SAFETY = ['HATE_SPEECH', 'DANGEROUS_CONTENT', 'HARASSMENT', 'SEXUALLY_EXPLICIT'].map((category) => ({
  category: `HARM_CATEGORY_${category}`,
  probability: 'NEGLIGIBLE',
}))
const USAGE = {
  promptTokenCount: 1200,
  candidatesTokenCount: 30,
  totalTokenCount: 1350,
  cachedContentTokenCount: 1000,
  thoughtsTokenCount: 120,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1200 }],
  cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 1000 }],
}
const FACTS = { modelVersion: 'gemini-3-pro-preview', responseId: 'q7sLaN3fDoKdz7IP-8yH4Ac' }

type Part = Record<string, unknown>

const chunk = (parts: readonly Part[] | null, more: object = {}, usage: object = USAGE): object => ({
  candidates: [
    {
      ...(parts && { content: { ...(parts.length > 0 && { parts }), role: 'model' } }),
      index: 0,
      ...more,
    },
  ],
  usageMetadata: usage,
  ...FACTS,
})
const stop = { finishReason: 'STOP', avgLogprobs: -0.12, safetyRatings: SAFETY }
const EARLY = { promptTokenCount: 1200, totalTokenCount: 1200, trafficType: 'ON_DEMAND' }

const SIGNATURE = 'CpwCAdHtim9sVQ2j5c1RkYbPGzv0JmQ='
const SECOND = 'Cq8BAdHtim8wQnVzZSB0aGUgdG9vbA=='
const call = (name: string, args?: object, more: Part = {}): Part => ({
  functionCall: { name, ...(args && { args }) },
  ...more,
})

const GROUNDING = {
  groundingMetadata: {
    webSearchQueries: ['UEFA Euro 2024 winner'],
    searchEntryPoint: { renderedContent: '<div>…</div>' },
    groundingChunks: [{ web: { uri: 'https://vertexaisearch.cloud.google.com/x', title: 'uefa.com' } }],
    groundingSupports: [{ segment: { startIndex: 0, endIndex: 5, text: 'Spain' }, groundingChunkIndices: [0] }],
  },
  citationMetadata: { citationSources: [{ startIndex: 0, endIndex: 5, uri: 'https://uefa.com', license: '' }] },
}

const PRO: ConfigEntry = { model: 'gemini-3-pro-preview' }
const FLASH: ConfigEntry = { model: 'gemini-2.5-flash' }
const TOOL: ToolSchema = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
}

interface Case {
  readonly entry?: ConfigEntry
  readonly recorded: RecordedAnswer
  readonly content: string | null
  readonly finish: string
  readonly calls?: readonly string[]
  /** The parts of the turn that goes back; ids of calls are not compared. */
  readonly back: readonly Part[]
  readonly usage?: object
  readonly params?: Partial<ModelParams>
}

const thought: Part = { text: '**Considering**\n\nThe user wants…', thought: true }

const CASES: Record<string, Case> = {
  'a text that is signed at its end': {
    entry: PRO,
    recorded: {
      whole: chunk([thought, { text: 'Sunny, 22 °C.', thoughtSignature: SIGNATURE }], stop),
      frames: [
        chunk([thought], {}, EARLY),
        chunk([{ text: 'Sunny, ' }], {}, EARLY),
        chunk([{ text: '22 °C.' }]),
        chunk([{ text: '', thoughtSignature: SIGNATURE }], stop),
      ],
    },
    content: 'Sunny, 22 °C.',
    finish: 'stop',
    back: [{ text: 'Sunny, 22 °C.', thoughtSignature: SIGNATURE }],
  },
  'parallel calls without ids, of which the first is signed': {
    entry: PRO,
    recorded: {
      whole: chunk(
        [
          call('weather', { city: 'Rome' }, { thoughtSignature: SIGNATURE }),
          call('weather', { city: 'Oslo' }),
          call('now'),
        ],
        stop,
      ),
      frames: [
        chunk([thought], {}, EARLY),
        chunk([call('weather', { city: 'Rome' }, { thoughtSignature: SIGNATURE })], {}, EARLY),
        chunk([call('weather', { city: 'Oslo' }), call('now')]),
        chunk([{ text: '' }], stop),
      ],
    },
    content: null,
    finish: 'tool_calls',
    calls: ['{"city":"Rome"}', '{"city":"Oslo"}', '{}'],
    back: [
      call('weather', { city: 'Rome' }, { thoughtSignature: SIGNATURE }),
      call('weather', { city: 'Oslo' }),
      call('now', {}),
    ],
    params: { tools: [TOOL] },
  },
  'a text, a call, each signed': {
    entry: PRO,
    recorded: {
      whole: chunk(
        [{ text: 'Let me see.', thoughtSignature: SIGNATURE }, call('weather', {}, { thoughtSignature: SECOND })],
        stop,
      ),
    },
    content: 'Let me see.',
    finish: 'tool_calls',
    calls: ['{}'],
    back: [{ text: 'Let me see.', thoughtSignature: SIGNATURE }, call('weather', {}, { thoughtSignature: SECOND })],
    params: { tools: [TOOL] },
  },
  'an answer with grounding and citations': {
    recorded: {
      whole: chunk([{ text: 'Spain won.' }], { ...stop, ...GROUNDING }),
      frames: [chunk([{ text: 'Spain' }], {}, EARLY), chunk([{ text: ' won.' }], { ...stop, ...GROUNDING })],
    },
    content: 'Spain won.',
    finish: 'stop',
    back: [{ text: 'Spain won.' }],
  },
  'code that it ran': {
    recorded: {
      whole: chunk(
        [
          { text: 'I add. ' },
          { executableCode: { language: 'PYTHON', code: 'print(1+1)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2\n' } },
          { text: 'It is 2.' },
        ],
        stop,
      ),
    },
    content: 'I add. It is 2.',
    finish: 'stop',
    back: [
      { text: 'I add. ' },
      { executableCode: { language: 'PYTHON', code: 'print(1+1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2\n' } },
      { text: 'It is 2.' },
    ],
  },
  'an answer that was stopped for safety, with no content': {
    recorded: {
      whole: chunk(null, {
        finishReason: 'SAFETY',
        safetyRatings: [{ ...SAFETY[0], probability: 'HIGH', blocked: true }],
      }),
    },
    content: '',
    finish: 'content_filter',
    back: [],
  },
  'a recitation in the middle of a stream': {
    recorded: {
      frames: [
        chunk([{ text: 'It was the best' }], {}, EARLY),
        chunk(null, { finishReason: 'RECITATION', ...GROUNDING }),
      ],
    },
    content: 'It was the best',
    finish: 'content_filter',
    back: [{ text: 'It was the best' }],
  },
  'thoughts that took all tokens': {
    recorded: {
      whole: chunk(
        [],
        { finishReason: 'MAX_TOKENS' },
        { promptTokenCount: 10, thoughtsTokenCount: 90, totalTokenCount: 100 },
      ),
      frames: [
        chunk(
          [],
          { finishReason: 'MAX_TOKENS' },
          { promptTokenCount: 10, thoughtsTokenCount: 90, totalTokenCount: 100 },
        ),
      ],
    },
    content: '',
    finish: 'length',
    back: [],
    usage: { prompt_tokens: 10, completion_tokens: 90, reasoning_tokens: 90, total_tokens: 100 },
  },
  'a language that it does not speak': {
    recorded: { whole: chunk(null, { finishReason: 'LANGUAGE' }) },
    content: '',
    finish: 'language',
    back: [],
  },
  'text in several parts': {
    recorded: { whole: chunk([{ text: 'One. ' }, { text: 'Two.' }], stop) },
    content: 'One. Two.',
    finish: 'stop',
    back: [{ text: 'One. Two.' }],
  },
}

const withoutIds = (parts: readonly Part[]): Part[] =>
  parts.map((part) => {
    const { functionCall: called } = part
    if (typeof called !== 'object' || called === null) return part
    const { id: _, ...rest } = called as Part
    return { ...part, functionCall: rest }
  })

/** The newer ways; the contract of the older SDK, which takes no `fetch`, reads recordings as well. */
const WAYS = ['fetch', 'genai'].flatMap((sdk) =>
  Object.entries(CASES).map(([name, example]) => ({ name, sdk, example })),
)

describe.each(WAYS)('$name ($sdk)', ({ sdk, example }) => {
  const { entry: usual = FLASH, recorded, content, finish, calls = [], back, usage, params } = example
  const entry = { sdk, ...usual }
  const asked = { provider: google, entry, params }

  test('is read, complete and streamed', async () => {
    for (const { id, model, choices, usage: used } of await readRecording(asked, recorded)) {
      expect({ id, model }).toEqual({ id: FACTS.responseId, model: FACTS.modelVersion })
      const { message, finish_reason: reason } = choices[0]!
      expect(message.content).toBe(content)
      expect(reason).toBe(finish)
      expect((message.tool_calls ?? []).map(({ function: { arguments: args } }) => args)).toEqual(calls)
      expect(new Set((message.tool_calls ?? []).map(({ id: called }) => called)).size).toBe(calls.length)
      expect(used).toMatchObject(
        usage ?? {
          prompt_tokens: 1200,
          completion_tokens: 150,
          total_tokens: 1350,
          cached_tokens: 1000,
          reasoning_tokens: 120,
        },
      )
    }
  })

  test('goes back, is taken, and keeps what only the provider can read', async () => {
    for (const answer of await readRecording(asked, recorded)) {
      const body = await nextRequest(asked, answer, googleFormat.whole({ text: 'ok' }))
      expect(refusalOf(googleFormat, entry, body)).toBeUndefined()
      const contents = body['contents'] as { role: string; parts: Part[] }[]
      expect(withoutIds(contents.find(({ role }) => role === 'model')?.parts ?? [])).toEqual(back)
    }
  })
})

describe('failures in place of an answer', () => {
  const asked = { provider: google, entry: { ...FLASH, sdk: 'fetch' } }
  const blocked = {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT', safetyRatings: SAFETY },
    usageMetadata: EARLY,
    ...FACTS,
  }

  test.each<[string, RecordedAnswer, string]>([
    ['a prompt that was blocked', { whole: blocked }, 'content-filter'],
    ['a prompt that was blocked, streamed', { frames: [blocked] }, 'content-filter'],
    ['no candidates at all', { whole: { usageMetadata: EARLY, ...FACTS } }, 'truncated'],
    ['an empty list of candidates', { whole: { candidates: [], usageMetadata: EARLY, ...FACTS } }, 'truncated'],
    [
      'a call that cannot be read',
      {
        whole: chunk(null, {
          finishReason: 'MALFORMED_FUNCTION_CALL',
          finishMessage: 'Malformed function call: print(',
        }),
      },
      'server',
    ],
    ['a stream that ends without a reason', { frames: [chunk([{ text: 'Spain' }], {}, EARLY)] }, 'truncated'],
    [
      'an overload in the middle',
      {
        frames: [
          chunk([{ text: 'Spain' }], {}, EARLY),
          { error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } },
        ],
      },
      'overloaded',
    ],
  ])('%s', async (_, recorded, kind) => {
    await expect(readRecording(asked, recorded)).rejects.toMatchObject({ kind })
  })
})

test('calls of several answers without ids get unique ids, and each result finds its call', async () => {
  const asked = { provider: google, entry: { ...PRO, sdk: 'fetch' }, params: { tools: [TOOL] } }
  const whole = {
    candidates: [
      {
        content: { role: 'model', parts: [call('weather', { city: 'Rome' }), call('weather', { city: 'Oslo' })] },
        ...stop,
      },
    ],
  }
  const [first] = await readRecording(asked, { whole })
  const { message } = first!.choices[0]!
  const results = message.tool_calls!.map(({ id }, n): ChatMessage => ({
    role: 'tool',
    tool_call_id: id!,
    content: `r${n}`,
  }))
  // Without an id of the answer, a second one is given the same ids.
  const messages: ChatMessage[] = [{ role: 'user', content: 'Hi' }, message, ...results, message, ...results]
  const request = { ...asked.params, model: asked.entry.model!, messages }
  const { body, error } = await exchange(google, asked.entry, request, { whole: googleFormat.whole({ text: 'ok' }) })
  expect(error).toBeUndefined()
  expect(refusalOf(googleFormat, asked.entry, body)).toBeUndefined()
})
