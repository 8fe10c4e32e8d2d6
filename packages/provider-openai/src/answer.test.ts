import type { ModelAnswer } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { describe, expect, test } from 'vitest'
import { delta, fakeWire, framesOf, wholeAnswer } from './wire.fake.ts'
import fc from 'fast-check'

const streamed = async (...chunks: object[]) => await fakeWire(framesOf(chunks)).stream()
const message = ({ choices }: ModelAnswer) => choices[0]!.message
const piece = (part: object) => delta({ tool_calls: [part] })
const end = delta({}, 'tool_calls')

describe('X3: arguments come as they were written', () => {
  test.each([
    ['{"a": 1', '{"a": 1'],
    ['{"__proto__": 1}', '{"__proto__": 1}'],
    ['', '{}'],
    [{ a: 1 }, '{"a":1}'],
  ])('%j', async (args, text) => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }]
    const answer = await fakeWire(wholeAnswer({ content: null, tool_calls: calls })).create()
    expect(message(answer).tool_calls![0]!.function.arguments).toBe(text)
  })
})

test('X10: unknown types are not read as calls, the rest is read', async () => {
  const calls = [
    { id: 'a', type: 'novel', novel: { name: 'x' } },
    { id: 'b', type: 'function', function: { name: 'f', arguments: '{}' } },
  ]
  const answer = await fakeWire(
    wholeAnswer({ content: null, tool_calls: calls, annotations: [], audio: null }),
  ).create()
  expect(message(answer).tool_calls).toHaveLength(1)
  expect(answer.choices[0]!.provider_parts).toEqual([calls[0]])
  const { answer: fold } = await streamed(
    { object: 'weird.event' },
    { choices: [null] },
    delta({ content: 'x', novel: 1 }, 'stop'),
  )
  expect(message(fold).content).toBe('x')
  expect(fold.choices[0]!.extra).toEqual({ novel: 1 })
})

describe('X12, O16: usage', () => {
  test('parts are parts of the totals and never more', async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 9 },
    }
    expect((await fakeWire(wholeAnswer(undefined, { usage })).create()).usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      cached_tokens: 8,
      reasoning_tokens: 5,
    })
  })

  test('what says more than the counts of every answer is there, as it was sent', async () => {
    const plain = {
      prompt_tokens: 1,
      completion_tokens: 1,
      total_tokens: 2,
      prompt_tokens_details: { audio_tokens: 0 },
    }
    const said = async (usage: object) => (await fakeWire(wholeAnswer(undefined, { usage })).create()).usage
    expect(await said(plain)).not.toHaveProperty('raw')
    const more = { ...plain, completion_tokens_details: { accepted_prediction_tokens: 3 } }
    expect(await said(more)).toHaveProperty('raw', more)
  })

  const ZEROS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

  test('zeros behind the counts of a stream do not replace them', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
    const { answer } = await streamed(
      delta({ content: 'a' }, 'stop'),
      { choices: [], usage },
      { choices: [], usage: ZEROS },
    )
    expect(answer.usage).toEqual(usage)
  })

  test.each([null, {}, ZEROS, { prompt_tokens: null }, { prompt_tokens: 'many' }])('%j is not known', async (usage) => {
    expect(await fakeWire(wholeAnswer(undefined, { usage })).create()).not.toHaveProperty('usage')
  })

  test('tokens written to the cache cost more, long requests twice as much', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 }
    const written = { ...usage, prompt_tokens_details: { cached_tokens: 200, cache_write_tokens: 300 } }
    const wire = fakeWire(wholeAnswer(undefined, { model: 'gpt-6-sol-2026-09-22', usage: written }))
    const answer = await wire.create()
    expect(answer.usage).toMatchObject({ cached_tokens: 200, cache_write_tokens: 300 })
    expect(wire.client.cost(answer)).toBeCloseTo((500 * 2 + 200 * 0.2 + 300 * 2.5) / 1e6, 12)
    const long = { ...answer, usage: { ...usage, prompt_tokens: 300_000, completion_tokens: 10 } }
    expect(wire.client.cost(long)).toBeCloseTo((300_000 * 4 + 10 * 15) / 1e6, 12)
  })

  test('cost: by the model that answered, by its date’s model, cached tokens cheaper; not known is null', () => {
    const { client } = fakeWire(undefined, { model: 'gpt-5-mini' })
    const usage = {
      prompt_tokens: 1_000_000,
      completion_tokens: 1_000_000,
      total_tokens: 2_000_000,
      cached_tokens: 400_000,
    }
    const cost = (model: string): number | null => client.cost({ id: '', created: 0, choices: [], model, usage })
    expect(cost('gpt-4o-mini-2024-07-18')).toBeCloseTo(0.6 * 0.15 + 0.4 * 0.075 + 0.6)
    expect(cost('gpt-4o-2024-05-13')).toBeCloseTo(20)
    expect(cost('my-deployment')).toBeNull()
    expect(
      fakeWire(undefined, { model: 'llama' }).client.cost({ id: '', created: 0, choices: [], model: 'llama', usage }),
    ).toBeNull()
    expect(client.cost({ id: '', created: 0, choices: [], model: 'gpt-5' })).toBeNull()
  })
})

test('O10, O21, O26: chunks without choices, Azure’s first one, the empty first text', async () => {
  const { events, answer } = await streamed(
    { id: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'Hi' }),
    delta({}, 'stop'),
    { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
  )
  expect(events.map(({ type }) => type)).toEqual(['start', 'textDelta', 'finish', 'usage'])
  expect(answer).toMatchObject({ id: 'chatcmpl-1', model: 'gpt-4o-mini', usage: { total_tokens: 3 } })
})

test('O22: a choice without a delta', async () => {
  const { answer } = await streamed(
    delta({ content: 'Hi' }),
    { choices: [{ index: 0, content_filter_results: {} }] },
    delta(undefined, 'stop'),
  )
  expect(message(answer).content).toBe('Hi')
})

describe('O11: pieces of tool calls', () => {
  const NAMED = { function: { name: 'f', arguments: '{"a"' } }
  const REST = { function: { arguments: ': 1}' } }
  test.each<[string, object[], number]>([
    [
      'by index',
      [
        { index: 0, id: 'a', ...NAMED },
        { index: 0, ...REST },
      ],
      1,
    ],
    [
      'by an index that is not the first',
      [
        { index: 3, id: 'a', ...NAMED },
        { index: 3, ...REST },
      ],
      1,
    ],
    [
      'by id, without an index',
      [
        { id: 'a', ...NAMED },
        { id: 'a', ...REST },
      ],
      1,
    ],
    ['the latest, without both', [{ id: 'a', ...NAMED }, REST], 1],
    [
      'with an empty id in what follows',
      [
        { index: 0, id: 'a', ...NAMED },
        { index: 0, id: '', ...REST },
      ],
      1,
    ],
    [
      'with an id that comes late',
      [
        { index: 0, ...NAMED },
        { index: 0, id: 'a', ...REST },
      ],
      1,
    ],
    [
      'with a name that comes late',
      [
        { index: 0, id: 'a', function: { arguments: '{"a"' } },
        { index: 0, function: { name: 'f', arguments: ': 1}' } },
      ],
      1,
    ],
    [
      'with the name in every piece',
      [
        { index: 0, id: 'a', ...NAMED },
        { index: 0, function: { name: 'f', arguments: ': 1}' } },
      ],
      1,
    ],
    [
      'an index that is used twice',
      [
        { index: 0, id: 'a', ...NAMED },
        { index: 0, ...REST },
        { index: 0, id: 'b', ...NAMED },
        { index: 0, ...REST },
      ],
      2,
    ],
    [
      'two in turns',
      [
        { index: 0, id: 'a', ...NAMED },
        { index: 1, id: 'b', ...NAMED },
        { index: 0, ...REST },
        { index: 1, ...REST },
      ],
      2,
    ],
    ['two without index and id', [NAMED, REST, NAMED, REST], 2],
    [
      'E4: with another id in what follows',
      [
        { index: 0, id: 'a', ...NAMED },
        { index: 0, id: 'b', ...REST },
      ],
      1,
    ],
    [
      'E4: two whole ones of one index without ids',
      [
        { index: 0, id: '', function: { name: 'f', arguments: '{"a": 1}' } },
        { index: 0, id: '', function: { name: 'f', arguments: '{"a": 1}' } },
      ],
      2,
    ],
    [
      'without a type and an id',
      [
        { index: 0, ...NAMED },
        { index: 0, ...REST },
      ],
      1,
    ],
  ])('%s', async (_, pieces, count) => {
    const { events, answer } = await streamed(...pieces.map(piece), end)
    const calls = message(answer).tool_calls!
    expect(calls.map((call) => call.function)).toEqual(
      Array.from({ length: count }, () => ({ name: 'f', arguments: '{"a": 1}' })),
    )
    expect(new Set(calls.map(({ id }) => id)).size).toBe(count)
    for (const [place, call] of calls.entries()) {
      const own = events.filter((event) => 'call' in event && event.call === place)
      expect(own.map(({ type }) => type)).toEqual([
        'toolCallStart',
        ...own.slice(2).map(() => 'toolCallDelta'),
        'toolCallEnd',
      ])
      expect(own[0]).toMatchObject({ id: call.id, name: 'f' })
      expect(own.map((event) => (event.type === 'toolCallDelta' ? event.arguments : '')).join('')).toBe('{"a": 1}')
    }
  })
})

test('E4: a call of another name is another call, where ids are missing and the index stays', async () => {
  const { answer } = await streamed(
    piece({ index: 0, function: { name: 'a', arguments: '{"x"' } }),
    piece({ index: 0, function: { arguments: ': 1}' } }),
    piece({ index: 0, function: { name: 'b', arguments: '{' } }),
    piece({ index: 0, function: { name: 'b', arguments: '}' } }),
    end,
  )
  expect(message(answer).tool_calls!.map((call) => call.function)).toEqual([
    { name: 'a', arguments: '{"x": 1}' },
    { name: 'b', arguments: '{}' },
  ])
})

describe('O11: several calls of one id', () => {
  const called = (name: string, args: string, more: object = {}) => ({
    id: 'x',
    function: { name, arguments: args },
    ...more,
  })
  const both = [
    { name: 'f', arguments: '{"a": 1}' },
    { name: 'g', arguments: '{"b": 2}' },
  ]
  test.each<[string, object[], object[]]>([
    ['whole, by their names', [called('f', '{"a": 1}'), called('g', '{"b": 2}')], both],
    [
      'whole, of one name',
      [called('f', '{"a": 1}'), called('f', '{"a": 2}')],
      [both[0]!, { name: 'f', arguments: '{"a": 2}' }],
    ],
    ['by their indexes', [called('f', '{"a": 1}', { index: 0 }), called('g', '{"b": 2}', { index: 1 })], both],
    [
      'in turns, with and without the id',
      [
        called('f', '{"a"', { index: 0 }),
        called('g', '{"b"', { index: 1 }),
        { index: 0, id: 'x', function: { arguments: ': 1}' } },
        { index: 1, function: { arguments: ': 2}' } },
      ],
      both,
    ],
    [
      'one, with id and name in every piece',
      [called('f', '{"a"', { index: 0 }), called('f', ': 1}', { index: 0 })],
      [both[0]!],
    ],
  ])('%s', async (_, pieces, calls) => {
    const { answer } = await streamed(...pieces.map(piece), end)
    expect(message(answer).tool_calls!.map((call) => call.function)).toEqual(calls)
    const list = pieces.filter((each) => 'name' in (each as { function: object }).function)
    if (list.length < pieces.length || calls.length === 1) return
    const whole = await fakeWire(wholeAnswer({ content: null, tool_calls: list })).create()
    expect(message(whole).tool_calls!.map((call) => call.function)).toEqual(calls)
  })
})

test('O12: a call ends with the stream, not when its arguments look complete', async () => {
  const { events, answer } = await streamed(
    piece({ index: 0, id: 'a', function: { name: 'f', arguments: '{"n": 1}' } }),
    piece({ index: 0, function: { arguments: '   ' } }),
    end,
  )
  expect(events.map(({ type }) => type)).toEqual([
    'start',
    'toolCallStart',
    'toolCallDelta',
    'toolCallDelta',
    'toolCallEnd',
    'finish',
  ])
  expect(message(answer).tool_calls![0]!.function.arguments).toBe('{"n": 1}   ')
})

test('O13: calls are there whatever the reason says; a cut one keeps its reason', async () => {
  const call = piece({ index: 0, id: 'a', function: { name: 'f', arguments: '{"a": "tru' } })
  expect((await streamed(call, delta({}, 'stop'))).answer.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { tool_calls: [{ id: 'a' }] },
  })
  expect((await streamed(call, delta({}, 'length'))).answer.choices[0]!.finish_reason).toBe('length')
})

test('O14: a refusal is a content filter with its text, complete and streamed', async () => {
  const whole = await fakeWire(wholeAnswer({ role: 'assistant', content: null, refusal: 'I cannot.' })).create()
  const { answer } = await streamed(delta({ refusal: 'I ' }), delta({ refusal: 'cannot.' }), delta({}, 'stop'))
  for (const each of [whole, answer]) {
    expect(each.choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: 'I cannot.' } })
  }
})

test('O28: the older call, and reasons nobody knows', async () => {
  const { answer } = await streamed(
    delta({ function_call: { name: 'f', arguments: '{"a"' } }),
    delta({ function_call: { arguments: ':1}' } }),
    delta({}, 'function_call'),
  )
  expect(answer.choices[0]).toMatchObject({
    finish_reason: 'function_call',
    message: { content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
  })
  expect((await streamed(delta({ content: 'x' }, 'novel'))).answer.choices[0]!.finish_reason).toBe('novel')
})

test.each([
  ['model_length', 'length'],
  ['sensitive', 'content_filter'],
  ['eos', 'stop'],
])('O28: the reason `%s` is `%s`', async (word, reason) => {
  expect((await streamed(delta({ content: 'x' }, word))).answer.choices[0]!.finish_reason).toBe(reason)
})

test.each([
  ['error', 'server'],
  ['abort', 'server'],
  ['network_error', 'server'],
  ['insufficient_system_resource', 'overloaded'],
])('O28: an answer with the reason `%s` is none, and counts', async (word, kind) => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  for (const body of [
    wholeAnswer(undefined, { choices: [{ index: 0, message: { content: 'x' }, finish_reason: word }], usage }),
    framesOf([{ ...delta({}, word), usage }]),
  ]) {
    const counts: unknown[] = []
    const { client } = fakeWire(body)
    const hello = { messages: [{ role: 'user' as const, content: 'hello' }] }
    const options = { onUsage: (count: unknown) => void counts.push(count) }
    const asked = typeof body === 'string' ? client.stream!(hello, options).next() : client.create(hello, options)
    await expect(asked).rejects.toMatchObject({ kind, details: { code: word, inAnswer: true } })
    expect(counts).toEqual([usage])
  }
})

test('reasoning of compatible endpoints is carried, and several choices are kept apart', async () => {
  const { events, answer } = await streamed(delta({ reasoning_content: 'hm' }), {
    choices: [
      { index: 1, delta: { content: 'B' }, finish_reason: 'stop' },
      { index: 0, delta: { content: 'A' }, finish_reason: 'stop' },
    ],
  })
  expect(events[1]).toEqual({ type: 'reasoningDelta', index: 0, text: 'hm' })
  expect(answer.choices.map(({ message: { content } }) => content)).toEqual(['A', 'B'])
  expect(message(answer).provider_metadata).toEqual({ openai: { reasoning_content: 'hm' } })
})

test('X7: a stream that does not say that it has finished is cut', async () => {
  const frames = framesOf([delta({ content: 'half' })]).replace('data: [DONE]\n\n', '')
  const error: unknown = await fakeWire(frames)
    .stream()
    .catch((reason: unknown) => reason)
  expect(isXError(error) && error.kind).toBe('truncated')
})

test('an endpoint that ignores the wish for a stream', async () => {
  const { events, answer } = await fakeWire(wholeAnswer()).stream()
  expect(events.map(({ type }) => type)).toEqual(['start', 'textDelta', 'finish', 'usage'])
  expect(answer).toEqual(await fakeWire(wholeAnswer()).create())
})

test('complete equals streamed, however the stream is cut into bytes (X16)', async () => {
  const text = 'Grüße, 世界 🎉\n'
  const calls = [{ id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{"a": "ü"}' } }]
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, prompt_tokens_details: { cached_tokens: 1 } }
  const whole = await fakeWire(
    wholeAnswer(undefined, {
      usage,
      model: 'gpt-4o-mini',
      choices: [
        { index: 0, message: { role: 'assistant', content: text, tool_calls: calls }, finish_reason: 'tool_calls' },
      ],
    }),
  ).create()
  const frames = framesOf([
    delta({ role: 'assistant', content: '' }),
    delta({ content: text.slice(0, 5) }),
    delta({ content: text.slice(5) }),
    piece({ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }),
    piece({ index: 0, function: { arguments: '{"a": "ü"}' } }),
    end,
    { choices: [], usage },
  ])
  const bytes = new TextEncoder().encode(frames.replaceAll('\n\n', '\r\n\r\n: ping\r\n'))
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 }), async (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      const parts = places.slice(1).map((place, i) => bytes.subarray(places[i], place))
      const fetch = async (): Promise<Response> =>
        new Response(new ReadableStream({ start: (to) => (parts.forEach((part) => to.enqueue(part)), to.close()) }), {
          headers: { 'content-type': 'text/event-stream' },
        })
      const { events, answer } = await fakeWire('', { fetch }).stream()
      expect(answer).toEqual(whole)
      expect(events.filter(({ type }) => type === 'textDelta')).toHaveLength(2)
    }),
    { numRuns: 60 },
  )
})

test('whole choices of one index are choices of their own', async () => {
  const choices = ['a', 'b'].map((content) => ({ index: 0, message: { content }, finish_reason: 'stop' }))
  const answer = await fakeWire(wholeAnswer(undefined, { choices })).create({ n: 2 })
  expect(answer.choices.map(({ index, message: { content } }) => [index, content])).toEqual([
    [0, 'a'],
    [1, 'b'],
  ])
})
