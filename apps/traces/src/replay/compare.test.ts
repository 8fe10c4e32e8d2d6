import { expect, test } from 'vitest'
import { compare } from './compare.ts'
import type { Facts, Recorded, Step, Trace } from './trace.ts'

const trace = (steps: readonly Step[] = [], extra: Partial<Trace> = {}): Trace => ({
  name: 'a/b',
  about: '',
  given: {},
  steps,
  recorded: {},
  ...extra,
})

const paths = (recorded: Partial<Recorded>, seen: Partial<Recorded>, of: Trace = trace()): string[] =>
  compare(of, 'async', { results: [], ...recorded }, { results: [], ...seen }).map(({ path }) => path)

const value = (of: unknown): Partial<Recorded> => ({ results: [{ value: of as never }] })

test.each<[string, Partial<Recorded>, Partial<Recorded>]>([
  ['the order of keys', value({ a: 1, b: 2 }), value({ b: 2, a: 1 })],
  ['null and absent', value({ a: 1, b: null }), value({ a: 1 })],
  ['absent and null', value({ a: 1 }), value({ a: 1, b: null })],
  ['a rounded sum', value(0.888888889), value(8 / 9)],
  [
    'a number and its spelling in the result of a tool',
    value({ role: 'tool', content: 3 }),
    value({ role: 'tool', content: '3' }),
  ],
  ['any text', value({ content: { $default: 'system_message' } }), value({ content: 'You are …' })],
  [
    'the class of an error',
    { results: [{ error: 'ValueError', code: 'x' }] },
    { results: [{ error: 'any', code: 'x' }] },
  ],
  ['a conversation without messages', { histories: { a: {} } }, { histories: { a: { b: [] } } }],
  ['a counter that never counted', { auto_reply_counters: { a: { b: 0 } } }, {}],
  ['the wording of a question', { prompts: ['...'] }, { prompts: ['Well? '] }],
])('%s is free', (_, recorded, seen) => {
  expect(paths(recorded, seen)).toEqual([])
})

test.each<[string, Partial<Recorded>, Partial<Recorded>, string[]]>([
  ['another value', value({ a: [1, 2] }), value({ a: [1, 3] }), ['results[0].value.a[1]']],
  ['a missing item', value([1, 2]), value([1]), ['results[0].value[1]']],
  ['a further item', value([1]), value([1, 2]), ['results[0].value[1]']],
  ['a missing key', value({ a: 1 }), value({}), ['results[0].value.a']],
  ['a further key', value({}), value({ a: 1 }), ['results[0].value.a']],
  [
    'a number and its spelling elsewhere',
    value({ role: 'user', content: 3 }),
    value({ role: 'user', content: '3' }),
    ['results[0].value.content'],
  ],
  ['an empty list and nothing', value({ a: [] }), value({}), ['results[0].value.a']],
  [
    'another code',
    { results: [{ error: 'E', code: 'x' }] },
    { results: [{ error: 'E', code: 'y' }] },
    ['results[0].code'],
  ],
  [
    'an error in place of a value',
    value('x'),
    { results: [{ error: 'E', code: 'x' }] },
    ['results[0].ended', 'results[0].value', 'results[0].code'],
  ],
  [
    'an error handed on in place of nothing',
    value(null),
    { results: [{ error: 'E', code: null }] },
    ['results[0].ended'],
  ],
  ['the plain question', { prompts: ['>'] }, { prompts: ['Well? '] }, ['prompts[0]']],
  ['a question too many', { prompts: [] }, { prompts: ['Well? '] }, ['prompts[0]']],
  [
    'a counter',
    { auto_reply_counters: { a: { b: 0 } } },
    { auto_reply_counters: { a: { b: 1 } } },
    ['auto_reply_counters.a'],
  ],
  ['a warning', {}, { warnings: 1 }, ['warnings']],
  ['an event that nobody knows', {}, { events: [{ type: 'news' }] }, ['events[0]']],
])('%s is noticed', (_, recorded, seen, where) => {
  expect(paths(recorded, seen)).toEqual(where)
})

test('the events of received messages are one event; who, to whom and what count', () => {
  const recorded = { type: 'tool_call', content: null, sender_name: 'a', recipient_name: 'b', tool_calls: [] }
  const seen = { type: 'received', content: null, sender_name: 'a', recipient_name: 'b' }
  expect(paths({ events: [recorded] }, { events: [seen] })).toEqual([])
  expect(paths({ events: [recorded] }, { events: [{ ...seen, sender_name: 'c' }] })).toEqual(['events[0].sender_name'])
})

test('a summary of nothing is null, a summary with models is ours', () => {
  const nothing = { usages: null, total_cost: null }
  const used = { usages: [{ model: 'm', cost: 1 }], total_cost: 1 }
  expect(
    paths(
      { events: [{ type: 'usage_summary', actual: nothing, total: used }] },
      { events: [{ type: 'usage_summary', actual: null, total: { total_cost: 1, m: { cost: 1 } } }] },
    ),
  ).toEqual([])
})

test('the code of a failed call is free in the log', () => {
  const record = (response: string): Partial<Recorded> => ({ log: [{ record: 'chat completion', response }] })
  expect(paths(record('error_code:None, config 0 failed'), record('error_code:server, config 0 failed'))).toEqual([])
  expect(paths(record('error_code:None, config 0 failed'), record('error_code:None, config 1 failed'))).toEqual([
    'log[0].response',
  ])
})

test('chats at once have an order within each pair of agents only', () => {
  const said = (sender: string, recipient: string, content: string): Facts => ({
    type: 'received',
    sender_name: sender,
    recipient_name: recipient,
    content,
  })
  const recorded = [said('a', 'b', '1'), said('a', 'c', '2'), said('b', 'a', '3'), said('c', 'a', '4')] as const
  const mixed = [recorded[1], recorded[3], recorded[0], recorded[2]]
  const swapped = [recorded[2], recorded[1], recorded[0], recorded[3]]
  const queue = trace([{ do: 'initiate_chats', on: 'a', args: [[{}, {}]] }])
  expect(paths({ events: recorded }, { events: mixed }, queue)).toEqual([])
  expect(paths({ events: recorded }, { events: swapped }, queue)).not.toEqual([])
  expect(paths({ events: recorded }, { events: mixed })).not.toEqual([])
  expect(compare(queue, 'sync', { results: [], events: recorded }, { results: [], events: mixed })).not.toEqual([])
})

test('where calls were counted, only results, counts, functions and warnings are compared', () => {
  const counted = trace([], { count_model_calls: true })
  const seen = {
    ...value({ summary: 's', cost: { total_cost: 1 } }),
    model_call_counts: { m: 1 },
    events: [{ type: 'x' }],
  }
  expect(paths({ ...value({ summary: 's' }), model_call_counts: { m: 1 } }, seen, counted)).toEqual([])
  expect(paths({ ...value({ summary: 's' }), model_call_counts: { m: 2 } }, seen, counted)).toEqual([
    'model_call_counts.m',
  ])
})
