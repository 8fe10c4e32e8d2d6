import type { ModelEvent } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { BACKGROUND } from './read-answer.ts'
import { call, eventsOf, response, responsesWire, said, thought } from './responses.fake.ts'

type Event = { readonly type: string; readonly [key: string]: unknown }

const added = (at: number, item: object): Event => ({ type: 'response.output_item.added', output_index: at, item })
const done = (at: number, item: object): Event => ({ type: 'response.output_item.done', output_index: at, item })
const piece = (kind: string, at: number | undefined, delta: string, more: object = {}): Event => ({
  type: `response.${kind}.delta`,
  ...(at !== undefined && { output_index: at }),
  delta,
  ...more,
})
const completed = (output: object[], rest: object = {}): Event => ({
  type: 'response.completed',
  response: response(output, rest),
})
const streamed = async (...events: Event[]) => await responsesWire(eventsOf(events)).stream()
const failed = async (...events: Event[]): Promise<unknown> =>
  await streamed(...events).catch((error: unknown) => error)
const textsIn = (events: readonly ModelEvent[], type: 'textDelta' | 'reasoningDelta') =>
  events.flatMap((event) => (event.type === type ? [event.text] : []))

describe('R13: events', () => {
  test('text, parallel arguments and parts of a summary arrive as they come', async () => {
    const items = [
      thought('rs_1', {
        encrypted_content: 's',
        summary: [
          { type: 'summary_text', text: 'One.' },
          { type: 'summary_text', text: 'Two.' },
        ],
      }),
      said('I look.'),
      call('a', '{"a":1}'),
      call('b', '{"b":2}'),
    ]
    const { events, answer } = await streamed(
      { type: 'response.created', response: response([], { status: 'in_progress', usage: null }) },
      added(0, thought('rs_1', {})),
      piece('reasoning_summary_text', 0, 'On', { summary_index: 0 }),
      piece('reasoning_summary_text', 0, 'e.', { summary_index: 0 }),
      piece('reasoning_summary_text', 0, 'Two.', { summary_index: 1 }),
      done(0, items[0]!),
      added(1, said('', { content: [] })),
      piece('output_text', 1, 'I '),
      piece('output_text', 1, 'look.'),
      done(1, items[1]!),
      added(2, call('a', '')),
      added(3, call('b', '')),
      piece('function_call_arguments', 2, '{"a":'),
      piece('function_call_arguments', 3, '{"b":'),
      piece('function_call_arguments', 2, '1}'),
      piece('function_call_arguments', 3, '2}'),
      done(2, items[2]!),
      done(3, items[3]!),
      completed(items),
    )
    expect(textsIn(events, 'reasoningDelta').join('|')).toBe('On|e.|\n\n|Two.')
    expect(textsIn(events, 'textDelta')).toEqual(['I ', 'look.'])
    expect(events.flatMap((event) => (event.type === 'toolCallDelta' ? [[event.call, event.arguments]] : []))).toEqual([
      [0, '{"a":'],
      [1, '{"b":'],
      [0, '1}'],
      [1, '2}'],
    ])
    const whole = await responsesWire(response(items)).create()
    expect(answer).toEqual(whole)
    expect(answer.choices[0]!.finish_reason).toBe('tool_calls')
  })

  test('arguments that are an object, and a content that is a text, are read as others are', async () => {
    const items = [said('', { content: 'I look.' }), { ...call('a'), arguments: { a: 1 } }]
    const whole = await responsesWire(response(items)).create()
    const { answer } = await streamed(done(0, items[0]!), done(1, items[1]!), completed(items))
    for (const { choices } of [whole, answer]) {
      const { content, tool_calls: calls } = choices[0]!.message
      expect([content, calls?.map((each) => each.function.arguments)]).toEqual(['I look.', ['{"a":1}']])
    }
    const next = responsesWire()
    await next.create({ messages: [{ role: 'user', content: 'hi' }, whole.choices[0]!.message] })
    expect(next.sent[0]!.body['input']).toMatchObject([
      {},
      { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', arguments: '{"a":1}' },
      {},
    ])
  })

  test('what came in no piece comes with its item, or with the last event', async () => {
    const items = [thought('rs_1', { summary: [{ text: 'Hm.' }] }), said('Hello'), call('a')]
    const whole = (await responsesWire(response(items)).create()).choices
    const ways: Event[][] = [
      [...items.map((item, at) => done(at, item)), completed(items)],
      [completed(items)],
      [added(1, items[1]!), piece('output_text', 1, 'Hel'), completed(items)],
    ]
    for (const way of ways) {
      const { events, answer } = await streamed(...way)
      expect(answer.choices).toEqual(whole)
      expect(textsIn(events, 'textDelta').join('')).toBe('Hello')
      expect(textsIn(events, 'reasoningDelta')).toEqual(['Hm.'])
    }
  })

  test('events without a number belong to the item they name, else to the latest', async () => {
    const items = [said('Hello'), call('a', '{"a":1}'), call('b', '{"b":2}')]
    const begun = (item: object): Event => ({ type: 'response.output_item.added', item })
    const ended = (item: object): Event => ({ type: 'response.output_item.done', item })
    const { events, answer } = await streamed(
      begun(said('', { content: [] })),
      piece('output_text', undefined, 'Hello'),
      ended(items[0]!),
      begun(call('a', '')),
      begun(call('b', '')),
      piece('function_call_arguments', undefined, '{"a":', { item_id: 'fc_a' }),
      piece('function_call_arguments', undefined, '{"b":', { item_id: 'fc_b' }),
      piece('function_call_arguments', undefined, '1}', { item_id: 'fc_a' }),
      piece('function_call_arguments', undefined, '2}', { item_id: 'fc_b' }),
      ended(items[1]!),
      ended(items[2]!),
      completed(items),
    )
    expect(answer.choices).toEqual((await responsesWire(response(items)).create()).choices)
    expect(textsIn(events, 'textDelta')).toEqual(['Hello'])
  })

  test('several items may have one number, and one item several ids', async () => {
    const items = [thought('rs_1', { summary: [{ text: 'Hm.' }] }), said('Hello'), call('a')]
    const { answer } = await streamed(...items.map((item) => done(0, item)), completed(items))
    expect(answer.choices).toEqual((await responsesWire(response(items)).create()).choices)
    const renamed = items.map((item, at) => ({ ...item, id: `other_${at}` }))
    const { events, answer: same } = await streamed(...items.map((item, at) => done(at, item)), completed(renamed))
    expect(same.choices).toEqual(answer.choices)
    expect(textsIn(events, 'textDelta')).toEqual(['Hello'])
  })

  test('items of one number are told apart by the ids of their calls where they have none', async () => {
    const items = [call('a', '{"a":1}'), call('b', '{"b":2}')].map((item) => ({ ...item, id: undefined }))
    const { answer } = await streamed(
      ...items.flatMap((item) => [added(0, { ...item, arguments: '' }), done(0, item)]),
      completed([]),
    )
    expect(answer.choices[0]!.message.tool_calls).toMatchObject([
      { id: 'a', function: { arguments: '{"a":1}' } },
      { id: 'b', function: { arguments: '{"b":2}' } },
    ])
  })

  test('what came in no piece comes with the end of its text or arguments', async () => {
    const ended = (kind: string, at: number, value: object): Event => ({
      type: `response.${kind}.done`,
      output_index: at,
      ...value,
    })
    const { events, answer } = await streamed(
      ended('output_text', 0, { text: 'Hello' }),
      added(1, call('a', '')),
      ended('function_call_arguments', 1, { arguments: '{"a":1}' }),
      added(2, call('b', '')),
      piece('function_call_arguments', 2, '{"b":2}'),
      ended('function_call_arguments', 2, { arguments: '{ "b": 2 }' }),
      completed([]),
    )
    expect(textsIn(events, 'textDelta')).toEqual(['Hello'])
    expect(answer.choices[0]!.message.tool_calls!.map((each) => each.function.arguments)).toEqual([
      '{"a":1}',
      '{"b":2}',
    ])
  })

  test('where the last event tells another text, what was streamed stays', async () => {
    const { answer } = await streamed(piece('output_text', 0, 'Hello'), completed([said('Good day')]))
    expect(answer.choices[0]!.message.content).toBe('Hello')
  })

  test('a refusal comes as text, and ends as `content_filter`', async () => {
    const item = said('', { content: [{ type: 'refusal', refusal: 'I cannot.' }] })
    const { events, answer } = await streamed(
      piece('refusal', 0, 'I '),
      piece('refusal', 0, 'cannot.'),
      completed([item]),
    )
    const whole = await responsesWire(response([item])).create()
    expect(textsIn(events, 'textDelta')).toEqual(['I ', 'cannot.'])
    for (const { choices } of [answer, whole])
      expect(choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: 'I cannot.' } })
  })

  test('a whole answer in place of a stream is read', async () => {
    const { answer } = await responsesWire(`data: ${JSON.stringify(response())}\n\n`).stream()
    expect(answer.choices[0]!.message.content).toBe('hi')
  })
})

describe('R14: ends', () => {
  test.each([
    [{ reason: 'max_output_tokens' }, 'length'],
    [{ reason: 'content_filter' }, 'content_filter'],
    [{ reason: 'max_tool_calls' }, 'max_tool_calls'],
    [null, 'incomplete'],
  ])('incomplete by %j', async (details, finish) => {
    const rest = { status: 'incomplete', incomplete_details: details }
    const whole = await responsesWire(response([said('Hel', { status: 'incomplete' })], rest)).create()
    const { answer } = await streamed(piece('output_text', 0, 'Hel'), {
      type: 'response.incomplete',
      response: response([said('Hel', { status: 'incomplete' })], rest),
    })
    for (const { choices } of [whole, answer])
      expect(choices[0]).toMatchObject({ finish_reason: finish, message: { content: 'Hel' } })
  })

  test.each([
    ['server_error', 'The server had an error', 'server'],
    ['rate_limit_exceeded', 'Slow down', 'rate-limit'],
    ['insufficient_quota', 'No money', 'quota'],
    ['context_length_exceeded', 'Too long', 'context-overflow'],
    ['invalid_prompt', 'Your prompt was flagged', 'content-filter'],
    ['image_content_policy_violation', 'No', 'content-filter'],
    ['invalid_image_url', 'No such image', 'invalid-request'],
    ['vector_store_timeout', 'Too late', 'timeout'],
    [null, 'Something else', 'server'],
  ])('a failure with the code %s', async (code, message, kind) => {
    const body = response([], { status: 'failed', error: { code, message }, usage: null })
    const ways = [
      failed({ type: 'response.failed', response: body }),
      failed(piece('output_text', 0, 'Hel'), { type: 'response.failed', response: body }),
      failed({ type: 'error', code, message, param: null, sequence_number: 1 }),
      failed({ type: 'error', error: { type: 'x', code, message } }),
      responsesWire(body)
        .create()
        .catch((error: unknown) => error),
    ]
    for (const error of await Promise.all(ways)) expect(error).toMatchObject({ kind, message })
  })

  test.each([
    ['queued', 'truncated'],
    ['in_progress', 'truncated'],
    ['cancelled', 'aborted'],
  ])('an answer that is %s has no end', async (status, kind) => {
    await expect(responsesWire(response([], { status })).create()).rejects.toMatchObject({ kind })
  })

  test('a stream without its last event fails', async () => {
    expect(await failed(piece('output_text', 0, 'Hello'), done(0, said('Hello')))).toMatchObject({ kind: 'truncated' })
  })

  test('an answer without the list of its output fails, and an empty list is an empty answer', async () => {
    await expect(responsesWire({ id: 'x' }).create()).rejects.toMatchObject({ kind: 'server' })
    const { choices } = await responsesWire(response([])).create()
    expect(choices).toMatchObject([{ message: { content: '' }, finish_reason: 'stop' }])
  })
})

test('R15: usage, with its parts, and the cost of the model that answered', async () => {
  const wire = responsesWire()
  const answer = await wire.create()
  expect(answer).toMatchObject({
    id: 'resp_1',
    created: 1,
    model: 'gpt-5-mini-2025-08-07',
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cached_tokens: 4, reasoning_tokens: 3 },
  })
  expect(wire.client.cost(answer)).toBeCloseTo((6 * 0.25 + 4 * 0.025 + 5 * 2) / 1e6, 12)
})

test('names of tools are restored', async () => {
  const wire = responsesWire(response([call('a', '{}', { name: 'geo_locate' })]))
  const tools = [{ type: 'function' as const, function: { name: 'geo.locate' } }]
  await wire.create({ tools })
  const [sent] = wire.sent[0]!.body['tools'] as { name: string }[]
  const answered = responsesWire(response([call('a', '{}', { name: sent!.name })]))
  const { choices } = await answered.create({ tools })
  expect(choices[0]!.message.tool_calls![0]!.function.name).toBe('geo.locate')
})

test('an answer in the background with an unknown status has ended only if it has content', () => {
  const pending = (status: unknown, output: object[] = []): unknown =>
    BACKGROUND.pending(response(output, { status, created_at: 2 }))
  expect(pending('queued')).toEqual({ id: 'resp_1', createdAt: 2000 })
  expect(pending('paused')).toEqual({ id: 'resp_1', createdAt: 2000, unknown: 'paused' })
  for (const status of ['completed', 'incomplete', 'failed', 'cancelled', undefined])
    expect(pending(status)).toBe(undefined)
  expect(pending('done', [said('hi')])).toBe(undefined)
})
