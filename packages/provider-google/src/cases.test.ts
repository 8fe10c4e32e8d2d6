import type { ChatMessage, ConfigEntry, ModelParams } from '@x/interfaces'
import { googleFormat } from '@x/testing/google'
import { exchange, type Exchange, type RecordedAnswer } from '@x/testing/provider-contract'
import { describe, expect, test, vi } from 'vitest'
import { createGoogle, google } from './google.ts'

const HI: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const TEXT: RecordedAnswer = { whole: googleFormat.whole({ text: 'Hello' }) }
const TOOL = {
  type: 'function' as const,
  function: { name: 'weather', parameters: { $schema: 'x', type: 'object', properties: { city: { type: 'string' } } } },
}
const CALL = { id: 'c1', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Rome"}' } }

async function asked(
  params: Partial<ModelParams> = {},
  { config = {}, recorded = TEXT }: { config?: ConfigEntry; recorded?: RecordedAnswer } = {},
): Promise<Exchange> {
  const entry = { model: 'gemini-2.5-flash', ...config }
  return await exchange(google, entry, { model: entry.model, messages: HI, ...params }, recorded)
}

interface Sent {
  contents: { role: string; parts: Record<string, unknown>[] }[]
  systemInstruction?: object
  tools?: { functionDeclarations: Record<string, unknown>[] }[]
  toolConfig?: object
  generationConfig?: Record<string, unknown>
}

const sent = ({ body }: Exchange): Sent => body as unknown as Sent
const chunk = (parts: object[], finishReason?: string, more: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
  responseId: 'r1',
  modelVersion: 'gemini-2.5-flash',
  ...more,
})
const first = ({ answer }: Exchange): NonNullable<Exchange['answer']>['choices'][number] => answer!.choices[0]!

describe('requests', () => {
  test('G1: system texts at the start are the instruction, later ones the user’s; Gemma has none', async () => {
    const messages: ChatMessage[] = [{ role: 'system', content: 'S' }, ...HI, { role: 'system', content: 'T' }]
    const body = sent(await asked({ messages }))
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'S' }] })
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'Hi' }, { text: 'T' }] }])
    const gemma = sent(await asked({ messages }, { config: { model: 'gemma-3-27b-it' } }))
    expect(gemma.systemInstruction).toBe(undefined)
    expect(gemma.contents[0]!.parts[0]).toEqual({ text: 'S' })
  })

  test('G2, G3, G4, G6: results share one content, are objects, and know the function’s name and id', async () => {
    const { contents } = sent(
      await asked({
        messages: [
          ...HI,
          { role: 'assistant', tool_calls: [CALL, { ...CALL, id: 'c2', function: { name: 'now', arguments: '' } }] },
          { role: 'tool', tool_call_id: 'c2', content: '[1,2]' },
          { role: 'tool', tool_call_id: 'c1', content: 'Error: no' },
        ],
      }),
    )
    expect(contents[1]).toEqual({
      role: 'model',
      parts: [
        { functionCall: { id: 'c1', name: 'weather', args: { city: 'Rome' } } },
        { functionCall: { id: 'c2', name: 'now', args: {} } },
      ],
    })
    expect(contents.slice(2)).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'weather', response: { error: 'Error: no' } } },
          { functionResponse: { id: 'c2', name: 'now', response: { output: '[1,2]' } } },
        ],
      },
    ])
  })

  test('G6: Vertex gets no ids', async () => {
    const messages: ChatMessage[] = [
      ...HI,
      { role: 'assistant', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ]
    const config = { baseUrl: 'https://europe-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google' }
    const { contents } = sent(await asked({ messages }, { config }))
    expect(JSON.stringify(contents)).not.toContain('"id"')
  })

  test('G7, G8: a signature stands beside its call; foreign calls get the documented stand-in, siblings none', async () => {
    const calls = [CALL, { ...CALL, id: 'c2' }]
    const results: ChatMessage[] = ['c1', 'c2'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }))
    const config = { model: 'gemini-3-pro-preview' }
    const foreign = sent(
      await asked({ messages: [...HI, { role: 'assistant', tool_calls: calls }, ...results] }, { config }),
    )
    expect(foreign.contents[1]!.parts.map((part) => part['thoughtSignature'])).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ])
    const own = { parts: [{ call: true, thoughtSignature: 'sig' }, { call: true }] }
    const message: ChatMessage = { role: 'assistant', tool_calls: calls, provider_metadata: { google: own } }
    const back = sent(await asked({ messages: [...HI, message, ...results] }, { config }))
    expect(back.contents[1]!.parts.map((part) => part['thoughtSignature'])).toEqual(['sig', undefined])
    const older = sent(await asked({ messages: [...HI, { role: 'assistant', tool_calls: calls }, ...results] }))
    expect(older.contents[1]!.parts.some((part) => 'thoughtSignature' in part)).toBe(false)
  })

  test('G34: metadata are labels on Vertex, and left out elsewhere', async () => {
    const baseUrl = 'https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google'
    const metadata = { Team: 'Search & Co', run: 7, gone: null }
    const vertex = await asked({ metadata }, { config: { baseUrl } })
    expect(vertex.body['labels']).toEqual({ team: 'search___co', run: '7' })
    expect(vertex.warnings.map(([topic]) => topic)).toEqual(['metadata'])
    expect((await asked({ metadata, labels: { a: 'b' } }, { config: { baseUrl } })).body['labels']).toEqual({ a: 'b' })
    const gemini = await asked({ metadata, labels: { a: 'b' } })
    expect(gemini.body).not.toHaveProperty('labels')
    expect(gemini.warnings.map(([, text]) => text)).toEqual([
      expect.stringContaining('`metadata`'),
      expect.stringContaining('`labels`'),
    ])
  })

  test('G17, G18: schemas go as JSON Schema without `$schema`; a function without arguments has none; ours is untouched', async () => {
    const before = structuredClone(TOOL)
    const bare = {
      type: 'function' as const,
      function: { name: 'now', parameters: { type: 'object', properties: {} } },
    }
    const body = sent(await asked({ tools: [TOOL, bare] }))
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          { name: 'weather', parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } } },
          { name: 'now' },
        ],
      },
    ])
    expect(TOOL).toEqual(before)
  })

  test.each<[object | undefined, boolean, object]>([
    [undefined, false, {}],
    [{}, false, {}],
    [{ type: 'object' }, false, {}],
    [{ type: 'object' }, true, {}],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      false,
      { parametersJsonSchema: { type: 'object', additionalProperties: { type: 'string' } } },
    ],
  ])('G17: a function with the arguments %j (OpenAPI: %s) has %j', async (parameters, openApiSchemas, wanted) => {
    const tool = { type: 'function' as const, function: { name: 'now', ...(parameters && { parameters }) } }
    const body = sent(await asked({ tools: [tool] }, { config: { openApiSchemas } }))
    expect(body.tools).toEqual([{ functionDeclarations: [{ name: 'now', ...wanted }] }])
  })

  test('G17: the older subset of OpenAPI, when it is asked for', async () => {
    const parameters = {
      type: 'object',
      additionalProperties: false,
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      properties: {
        a: { type: ['string', 'null'] },
        b: { enum: [1, 2] },
        c: { const: 'x' },
        d: { type: 'array' },
        e: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
        f: { $ref: '#/$defs/node' },
        g: { type: 'number', minimum: 3 },
      },
    }
    const tools = [{ type: 'function' as const, function: { name: 'f', parameters } }]
    const body = sent(await asked({ tools }, { config: { openApiSchemas: true } }))
    expect(body.tools![0]!.functionDeclarations[0]!['parameters']).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', nullable: true },
        b: { type: 'string', enum: ['1', '2'], format: 'enum' },
        c: { type: 'string', enum: ['x'], format: 'enum' },
        d: { type: 'array', items: {} },
        e: { anyOf: [{ type: 'string' }, { type: 'number' }], nullable: true },
        f: {
          type: 'object',
          properties: { next: { type: 'string', description: 'Another value of this kind as JSON text' } },
        },
        g: { type: 'number', minimum: 3 },
      },
    })
  })

  test.each([
    ['auto', false, { mode: 'AUTO' }],
    ['none', false, { mode: 'NONE' }],
    ['required', false, { mode: 'ANY' }],
    [{ type: 'function', function: { name: 'weather' } }, true, { mode: 'ANY', allowedFunctionNames: ['weather'] }],
    ['auto', true, { mode: 'VALIDATED' }],
  ])('G19: choice %j, strict %s', async (tool_choice, strict, config) => {
    const tool = { ...TOOL, function: { ...TOOL.function, strict } }
    expect(sent(await asked({ tools: [tool], tool_choice })).toolConfig).toEqual({ functionCallingConfig: config })
  })

  test('G20: JSON beside tools is a further tool before Gemini 3, and asked for since', async () => {
    const params = {
      tools: [TOOL],
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object', properties: { a: {} } } } },
    }
    const recorded = { whole: chunk([{ functionCall: { name: 'json', args: { a: 1 } } }], 'STOP') }
    const older = await asked(params, { recorded })
    expect(sent(older).toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } })
    expect(first(older)).toMatchObject({ message: { content: '{"a":1}' }, finish_reason: 'stop' })
    const newer = sent(await asked(params, { config: { model: 'gemini-3-flash' } }))
    expect(newer.generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
    })
  })

  test.each([
    ['gemini-2.0-flash', 'high', undefined],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }],
    ['gemini-2.5-flash', 'low', { thinkingBudget: 1024 }],
    ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'high' }],
    ['gemini-3-flash-preview', 'none', { thinkingLevel: 'minimal' }],
    ['gemini-3.7-flash', 'minimal', { thinkingLevel: 'low' }],
    ['gemini-flash-latest', 'high', { thinkingLevel: 'high' }],
  ])('G21: %s with effort %s thinks as %j', async (model, reasoning_effort, thinking) => {
    const { generationConfig } = sent(await asked({ reasoning_effort }, { config: { model } }))
    expect(generationConfig?.['thinkingConfig']).toEqual(thinking)
  })

  test.each(['generative-ai', 'genai', 'fetch'] as const)(
    'G22, G29: %s asks for events, the key in a header',
    async (sdk) => {
      const seen: [string, string | null][] = []
      const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
        seen.push([(url as URL | string).toString(), new Headers(init?.headers).get('x-goog-api-key')])
        const body = `data: ${JSON.stringify(chunk([{ text: 'x' }], 'STOP'))}\n\n`
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      }
      const before = globalThis.fetch
      globalThis.fetch = fetch
      try {
        const { createClient } = createGoogle({ sdk, fetch })
        for (const model of ['gemini-2.5-flash', 'tunedModels/mine']) {
          const client = createClient({ model, apiKey: 'k', baseUrl: 'http://case.invalid/v1beta' })
          const events = client.stream!({ messages: HI }, {})
          while (!(await events.next()).done);
        }
        const behind = createClient({ model: 'm', apiKey: 'k', baseUrl: 'http://case.invalid/v1beta?gate=b' })
        await behind.stream!({ messages: HI }, {}).next()
      } finally {
        globalThis.fetch = before
      }
      expect(seen).toEqual([
        ['http://case.invalid/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', 'k'],
        ['http://case.invalid/v1beta/tunedModels/mine:streamGenerateContent?alt=sse', 'k'],
        ['http://case.invalid/v1beta/models/m:streamGenerateContent?alt=sse&gate=b', 'k'],
      ])
    },
  )

  test('G26: bytes with their type, files by their place; results hold images since Gemini 3', async () => {
    const image = 'data:image/png;base64,iVBORw0KGgo='
    const messages: ChatMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: image } },
          { type: 'file', file: { file_id: 'files/1' } },
        ],
      },
      { role: 'assistant', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'image_url', image_url: { url: image } }] },
    ]
    const inline = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
    const older = sent(await asked({ messages }))
    expect(older.contents[0]!.parts).toEqual([inline, { fileData: { fileUri: 'files/1' } }])
    expect(older.contents[2]!.parts).toEqual([
      { functionResponse: { id: 'c1', name: 'weather', response: { output: '[attachment; see "c1/1" below]' } } },
      { text: 'c1/1 (a result of a tool, not of the user):' },
      inline,
    ])
    const newer = sent(await asked({ messages }, { config: { model: 'gemini-3-pro-preview' } }))
    expect(newer.contents[2]!.parts).toMatchObject([{ functionResponse: { parts: [inline] } }])
  })

  test('G26: results of one turn stand together; what none of them may hold follows, or is a line of text', async () => {
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const sound = { type: 'input_audio' as const, input_audio: { data: 'UklGRg==', format: 'wav' as const } }
    const messages: ChatMessage[] = [
      ...HI,
      { role: 'assistant', tool_calls: [CALL, { ...CALL, id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'seen' }, image, sound] },
      { role: 'tool', tool_call_id: 'c2', content: 'b' },
    ]
    const kinds = async (model: string) =>
      sent(await asked({ messages }, { config: { model } })).contents[2]!.parts.map((part) => Object.keys(part)[0])
    const [one, two] = ['functionResponse', 'functionResponse']
    expect(await kinds('gemini-2.5-flash')).toEqual([one, two, 'text', 'inlineData', 'text', 'inlineData'])
    expect(await kinds('gemini-3-pro-preview')).toEqual([one, two, 'text', 'inlineData'])
    const { body } = await asked({ messages }, { config: { model: 'gemma-2-9b' } })
    expect(JSON.stringify(body)).toContain('seen\\n[image: image/png, 8 bytes]\\n[audio: audio/wav, 4 bytes]')
  })

  test('G30, X13: only fields that are known are sent; the rest is left out and said', async () => {
    const params = {
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 7,
      stop: 'x',
      seed: 3,
      n: 2,
      presence_penalty: 1,
      store: true,
    }
    const { body, warnings } = await asked(params)
    expect(body['generationConfig']).toEqual({
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 7,
      stopSequences: ['x'],
      seed: 3,
      candidateCount: 2,
    })
    expect(warnings.length).toBe(2)
    expect(sent(await asked(params, { config: { model: 'gemini-2.0-flash' } })).generationConfig).toMatchObject({
      presencePenalty: 1,
    })
  })
})

describe('answers', () => {
  test('G5, G23: calls arrive whole and are still begun, filled and ended; missing arguments are an empty object; a text is taken', async () => {
    const parts = [
      { functionCall: { name: 'a' } },
      { functionCall: { name: 'b', args: { x: 1 } } },
      { functionCall: { name: 'c', args: '{"y":2}' } },
    ]
    const { events, answer } = await asked({}, { recorded: { frames: [chunk(parts, 'STOP')] } })
    expect(answer!.choices[0]!.message.tool_calls!.map((call) => call.function.arguments)).toEqual([
      '{}',
      '{"x":1}',
      '{"y":2}',
    ])
    expect(events.filter(({ type }) => type.startsWith('toolCall')).length).toBe(9)
  })

  test('G6: a call without an id, or with an empty one, gets one that is always the same', async () => {
    const recorded = {
      whole: chunk([{ functionCall: { name: 'a', id: '' } }, { functionCall: { name: 'a', id: 'own' } }], 'STOP'),
    }
    const ids = first(await asked({}, { recorded })).message.tool_calls!.map(({ id }) => id)
    expect(ids[1]).toBe('own')
    expect(ids[0]).toMatch(/^call_\w+$/u)
    expect(first(await asked({}, { recorded })).message.tool_calls![0]!.id).toBe(ids[0])
  })

  test.each(['generative-ai', 'genai', 'fetch'] as const)(
    '%s: two calls of one chunk stay two, the signature with the first',
    async (sdk) => {
      const body = `data: ${JSON.stringify(chunk([{ functionCall: { name: 'a', args: {} }, thoughtSignature: 's' }, { functionCall: { name: 'b', args: {} } }], 'STOP'))}\r\n\r\n`
      const fetch = async (): Promise<Response> =>
        new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      const before = globalThis.fetch
      globalThis.fetch = fetch
      try {
        const client = createGoogle({ sdk, fetch }).createClient({ model: 'gemini-3-pro-preview', apiKey: 'k' })
        const events = client.stream!({ messages: HI }, {})
        let next = await events.next()
        while (!next.done) next = await events.next()
        const { message } = next.value.choices[0]!
        expect(message.tool_calls!.map((call) => call.function.name)).toEqual(['a', 'b'])
        expect(message.provider_metadata).toMatchObject({
          google: { parts: [{ call: true, thoughtSignature: 's' }, { call: true }] },
        })
      } finally {
        globalThis.fetch = before
      }
    },
  )

  test('G9, G10: a signature on an empty last part belongs to what came before; thoughts are reasoning', async () => {
    const frames = [
      chunk([{ text: 'Hm.', thought: true }]),
      chunk([{ text: 'Sun' }]),
      chunk([{ text: 'ny' }]),
      chunk([{ text: '', thoughtSignature: 's' }], 'STOP'),
    ]
    const result = await asked({}, { recorded: { frames } })
    const { message } = first(result)
    expect(message).toEqual({
      role: 'assistant',
      content: 'Sunny',
      provider_metadata: { google: { parts: [{ text: 5, thoughtSignature: 's' }], models: ['gemini-2.5-flash'] } },
    })
    expect(result.events.some((event) => event.type === 'reasoningDelta' && event.text === 'Hm.')).toBe(true)
    const { contents } = sent(await asked({ messages: [...HI, message, ...HI] }))
    expect(contents[1]!.parts).toEqual([{ text: 'Sunny', thoughtSignature: 's' }])
  })

  test('G10: an image that was made and signed goes back as it was', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'aa' }, thoughtSignature: 's' }
    const { message } = first(await asked({}, { recorded: { whole: chunk([{ text: 'Look:' }, image], 'STOP') } }))
    const { contents } = sent(await asked({ messages: [...HI, message, ...HI] }))
    expect(contents[1]!.parts).toEqual([{ text: 'Look:' }, image])
  })

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['UNEXPECTED_TOOL_CALL', 'unexpected_tool_call'],
    ['TOO_MANY_TOOL_CALLS', 'too_many_tool_calls'],
    ['LANGUAGE', 'language'],
    ['OTHER', 'other'],
  ])('G11, G12: %s is %s', async (reason, finish) => {
    expect(first(await asked({}, { recorded: { whole: chunk([{ text: 'x' }], reason) } })).finish_reason).toBe(finish)
  })

  test('G11: the end of an answer with calls is for its calls', async () => {
    const recorded = { whole: chunk([{ functionCall: { name: 'a' } }], 'STOP') }
    expect(first(await asked({}, { recorded })).finish_reason).toBe('tool_calls')
  })

  test.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE'])('G12: %s is a failure that may pass', async (reason) => {
    const { error } = await asked({}, { recorded: { whole: chunk([], reason) } })
    expect(error).toMatchObject({ kind: 'server' })
  })

  test.each(['whole', 'frames'] as const)('G13: a blocked prompt (%s) is a content filter', async (form) => {
    const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 4 } }
    const { error } = await asked({}, { recorded: form === 'whole' ? { whole: body } : { frames: [body] } })
    expect(error).toMatchObject({ code: 'content-filter', details: { reason: 'PROHIBITED_CONTENT' } })
  })

  test.each([{}, { content: {} }, { content: { role: 'model' } }, { content: { parts: [] } }])(
    'G14: a candidate that is %j is an empty answer with its reason',
    async (candidate) => {
      const recorded = { whole: { candidates: [{ ...candidate, finishReason: 'MAX_TOKENS' }] } }
      expect(first(await asked({}, { recorded }))).toMatchObject({ message: { content: '' }, finish_reason: 'length' })
    },
  )

  test('G15, G16, G28: thoughts are output, tool prompts are input, the last counts count, the model is the one that answered', async () => {
    const usage = (counts: object): object => ({ usageMetadata: counts })
    const frames = [
      chunk([{ text: 'a' }], undefined, usage({ promptTokenCount: 10, candidatesTokenCount: 1 })),
      chunk([{ text: 'b' }], undefined, usage({ trafficType: 'ON_DEMAND' })),
      chunk([], 'STOP', {
        ...usage({
          promptTokenCount: 10,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 7,
          toolUsePromptTokenCount: 100,
          cachedContentTokenCount: 4,
        }),
        modelVersion: 'gemini-2.5-flash-002',
      }),
    ]
    const { answer } = await asked({}, { recorded: { frames } })
    expect(answer).toMatchObject({
      id: 'r1',
      model: 'gemini-2.5-flash',
      usage: { prompt_tokens: 110, completion_tokens: 12, total_tokens: 122, cached_tokens: 4, reasoning_tokens: 7 },
    })
  })

  test('G16: counts that are null leave the earlier ones', async () => {
    const usageOf = async (...counts: object[]): Promise<unknown> => {
      const frames = [...counts, {}].map((each) => chunk([], 'STOP', { usageMetadata: each }))
      const { answer } = await asked({}, { recorded: { frames } })
      return answer?.usage && [answer.usage.prompt_tokens, answer.usage.completion_tokens]
    }
    expect(await usageOf({ promptTokenCount: null, candidatesTokenCount: null })).toBeUndefined()
    expect(
      await usageOf(
        { promptTokenCount: 10, candidatesTokenCount: 1 },
        { promptTokenCount: null, candidatesTokenCount: 5 },
      ),
    ).toEqual([10, 5])
  })

  test('G24: arguments in pieces with places; the end of the call may be missing; no place reaches a prototype', async () => {
    const piece = (path: string, value: object, name?: string): object => ({
      functionCall: { ...(name && { name }), partialArgs: [{ jsonPath: path, ...value }], willContinue: true },
    })
    const frames = [
      chunk([piece('$.city', { stringValue: 'Zü', willContinue: true }, 'a')]),
      chunk([piece('$.city', { stringValue: 'rich' })]),
      chunk([piece('$.days[1].hot', { boolValue: true })]),
      chunk([piece('$.__proto__.bad', { numberValue: 1 })]),
      chunk([], 'STOP'),
    ]
    const result = await asked({}, { recorded: { frames } })
    const args = first(result).message.tool_calls![0]!.function.arguments
    expect(args).toBe('{"city":"Zürich","days":[null,{"hot":true}],"__proto__":{"bad":1}}')
    expect(({} as { bad?: number }).bad).toBe(undefined)
  })

  test('G25: text, a call and text again keep their order', async () => {
    const parts = [{ text: 'a' }, { functionCall: { name: 'f' } }, { text: 'b' }]
    const { events } = await asked({}, { recorded: { frames: [chunk(parts, 'STOP')] } })
    expect(events.map(({ type }) => type).slice(1, 6)).toEqual([
      'textDelta',
      'toolCallStart',
      'toolCallDelta',
      'toolCallEnd',
      'textDelta',
    ])
  })
})

describe('prices', () => {
  test('a long input has its own price, a version of a model the model’s', () => {
    const client = google.createClient({ model: 'gemini-2.5-pro' })
    const answer = (prompt: number): Parameters<typeof client.cost>[0] => ({
      id: '',
      model: 'gemini-2.5-pro',
      created: 0,
      choices: [],
      usage: { prompt_tokens: prompt, completion_tokens: 0, total_tokens: prompt },
    })
    expect(client.cost(answer(100_000))).toBeCloseTo(0.125)
    expect(client.cost(answer(300_000))).toBeCloseTo(0.75)
  })

  test('the older SDK knows no Vertex, and says so', () => {
    const baseUrl = 'https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google'
    expect(() => google.createClient({ model: 'x', sdk: 'generative-ai', baseUrl })).toThrow(/leave `sdk` out/u)
  })
})

describe('keys', () => {
  test('none: the error names the variable that the documents name', async () => {
    vi.stubEnv('GOOGLE_API_KEY', '')
    vi.stubEnv('GEMINI_API_KEY', '')
    try {
      await expect(google.createClient({ model: 'x' }).create({ messages: HI }, {})).rejects.toThrow(
        "there is no API key: set GEMINI_API_KEY, or `apiKey` at the model, as in `google('gemini-2.5-flash', { apiKey })`",
      )
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test.each([undefined, 'fetch', 'genai', 'generative-ai'] as const)(
    '%s: the key of the environment is for Google alone',
    async (sdk) => {
      const seen: (string | null)[] = []
      const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
        seen.push(new Headers(init?.headers).get('x-goog-api-key'))
        return Response.json(googleFormat.whole({ text: 'x' }))
      }
      vi.stubEnv('GOOGLE_API_KEY', 'env-key')
      try {
        const { createClient } = createGoogle({ sdk, fetch })
        await createClient({ model: 'gemini-2.5-flash', baseUrl: 'http://case.invalid' }).create({ messages: HI }, {})
        await createClient({ model: 'gemini-2.5-flash', baseUrl: 'https://evil-googleapis.com' }).create(
          { messages: HI },
          {},
        )
        await createClient({ model: 'gemini-2.5-flash' }).create({ messages: HI }, {})
      } finally {
        vi.unstubAllEnvs()
      }
      expect(seen.map((key) => key === 'env-key')).toEqual([false, false, true])
    },
  )
})

test.each([{ type: 'grammar' }, {}])(
  'X13: an unknown format of the answer is left out with a warning: %j',
  async (format: { type?: string }) => {
    const { warnings } = await asked({ response_format: format })
    expect(warnings.join()).toContain(`\`response_format: ${format.type}\``)
    expect((await asked({ response_format: { type: 'text' } })).warnings).toEqual([])
  },
)
