import type { ModelParams } from '@x/interfaces'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyMaker, endpointOf, type Endpoint } from './cache-key.ts'

const endpoint: Endpoint = {
  provider: 'openai',
  baseUrl: 'http://x',
  apiVersion: 'v1',
  more: { reasoningModel: true },
}
const base: ModelParams = {
  model: 'm',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [{ type: 'function', function: { name: 'f' } }],
  tool_choice: 'auto',
  response_format: { type: 'json_schema', json_schema: { name: 'r', schema: { type: 'object' } } },
  temperature: 0,
  top_p: 1,
  max_tokens: 5,
  stop: ['x'],
  seed: 1,
  n: 1,
  reasoning_effort: 'low',
  vendor_extra: { deep: { er: [1] } },
}
const keyOf = (params: ModelParams, who = endpoint, sample?: number): string =>
  new KeyMaker().keyOf(params, who, sample)
const KEY = keyOf(base)

test.each(Object.keys(base))('a changed or missing `%s` gives another key', (name) => {
  expect(keyOf({ ...base, [name]: name === 'messages' ? [] : 'other' })).not.toBe(KEY)
  const without = { ...base, [name]: undefined }
  if (name !== 'messages') expect(keyOf(without)).not.toBe(KEY)
})

test.each(Object.keys(endpoint))('another `%s` of who answers is another key', (name) => {
  expect(keyOf(base, { ...endpoint, [name]: 'other' })).not.toBe(KEY)
})

test('another sample is another key; order of keys and absent ones are not', () => {
  expect(keyOf(base, endpoint, 1)).not.toBe(keyOf(base, endpoint, 2))
  expect(keyOf(Object.fromEntries(Object.entries(base).toReversed()) as ModelParams)).toBe(KEY)
  expect(keyOf({ ...base, logprobs: undefined })).toBe(KEY)
})

test('no text can be read from a key', () => expect(KEY).toMatch(/^x3:[\w-]{43}$/u))

test('a runtime without modules of Node makes the same key', () => {
  const { process } = globalThis
  try {
    Object.assign(globalThis, { process: undefined })
    expect(keyOf(base)).toBe(KEY)
  } finally {
    Object.assign(globalThis, { process })
  }
})

test('different data, different keys; equal data, equal keys, frozen or not', () => {
  const frozen = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
    return value
  }
  const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string() })
  const list = fc.array(message, { maxLength: 4 }) as fc.Arbitrary<ModelParams['messages']>
  fc.assert(
    fc.property(list, list, fc.jsonValue(), fc.jsonValue(), (a, b, x, y) => {
      const maker = new KeyMaker()
      const one = maker.keyOf({ messages: a, x }, endpoint, undefined)
      const same = maker.keyOf({ messages: frozen(structuredClone(a)), x: structuredClone(x) }, endpoint, undefined)
      const other = maker.keyOf({ messages: b, x: y }, endpoint, undefined)
      expect(same).toBe(one)
      expect(other === one).toBe(JSON.stringify([a, x]) === JSON.stringify([b, y]) || isSame([a, x], [b, y]))
    }),
  )
})

test('a long conversation has one key, frozen, fresh or partly known; another message anywhere is another key', () => {
  const size = fc.constantFrom(1, 40, 3000, 5000)
  const content = fc.tuple(fc.string(), size).map(([text, length]) => text.padEnd(length, 'x'))
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 60 }), fc.nat(), (contents, at) => {
      const conversation = contents.map((text) => Object.freeze({ role: 'user' as const, content: text }))
      const maker = new KeyMaker()
      const key = (messages: ModelParams['messages']): string => maker.keyOf({ messages }, endpoint, undefined)
      // As it grows, so that every block is kept before the next request.
      for (let end = 1; end <= conversation.length; end++) key(conversation.slice(0, end))
      const fresh = conversation.map((message) => ({ ...message }))
      expect(key(conversation)).toBe(key(fresh))
      expect(new KeyMaker().keyOf({ messages: fresh }, endpoint, undefined)).toBe(key(conversation))
      const place = at % conversation.length
      const changed = conversation.with(place, Object.freeze({ role: 'user', content: `${contents[place]}!` }))
      expect(key(changed)).not.toBe(key(conversation))
      expect(key(changed)).toBe(new KeyMaker().keyOf({ messages: changed }, endpoint, undefined))
    }),
    { numRuns: 50 },
  )
})

test('parameters that are the same in every call are written once, and again when they can change', () => {
  const maker = new KeyMaker()
  const tools = [{ type: 'function' as const, function: { name: 'f' } }]
  const key = (temperature: number): string =>
    maker.keyOf({ messages: base.messages, temperature, tools }, endpoint, undefined, true)
  const before = key(0)
  tools[0]!.function.name = 'g'
  expect(key(0)).not.toBe(before)
  const fixed = (): string => maker.keyOf({ messages: base.messages, top_p: 1 }, endpoint, undefined, true)
  expect(fixed()).toBe(fixed())
  expect(fixed()).toBe(keyOf({ messages: base.messages, top_p: 1 }))
})

/** Equal but for the order of keys and the sign of zero, which JSON does not keep. */
function isSame(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
    // An empty list and an empty object differ.
    if (Array.isArray(value)) return ['list', ...value.map(sorted)]
    const entries = Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1))
    return ['object', ...entries.map(([key, each]) => [key, sorted(each)])]
  }
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

test('short questions that come again, in any order, have the keys that they had at first', () => {
  const text = fc.constantFrom('', 'a', 'b', 'user')
  const message = fc.record({ role: text, content: text, name: text }, { requiredKeys: ['role', 'content'] })
  const question = fc.record({
    messages: fc.array(message, { maxLength: 3 }),
    sample: fc.constantFrom(undefined, 0, 1),
  })
  fc.assert(
    fc.property(fc.array(question, { maxLength: 60 }), (questions) => {
      const keys = new KeyMaker()
      for (const { messages, sample } of [...questions, ...questions]) {
        const params = { ...base, messages } as ModelParams
        expect(keys.keyOf(params, endpoint, sample)).toBe(keyOf(params, endpoint, sample))
      }
    }),
    { numRuns: 20 },
  )
})

test('a message that changes between two calls changes the key', () => {
  const maker = new KeyMaker()
  const message = { role: 'user' as const, content: 'one' }
  const one = maker.keyOf({ messages: [message] }, endpoint, undefined)
  message.content = 'two'
  expect(maker.keyOf({ messages: [message] }, endpoint, undefined)).not.toBe(one)
})

test('keys that only the provider knows are part of who answers; key, time limit and price are not', () => {
  const provider = {
    apiTypes: ['p'],
    specVersion: 1,
    clientKeys: ['region'],
    createClient: () => ({}) as never,
  } as const
  const config = { apiType: 'p', model: 'm' }
  const who = (more: object): Endpoint => endpointOf({ ...config, ...more }, provider)
  expect(keyOf(base, who({ region: 'eu' }))).not.toBe(keyOf(base, who({ region: 'us' })))
  expect(keyOf(base, who({ apiKey: 'a', timeout: 1, maxRetries: 2 }))).toBe(keyOf(base, who({ apiKey: 'b' })))
})

test('the boundary between two messages is part of the key', () => {
  const message = (content: string) => ({ role: 'user' as const, content })
  const keys = [['a', 'b'], ['ab'], ['a'], ['b', 'a'], ['', 'ab'], []].map((texts) =>
    keyOf({ messages: texts.map(message) }),
  )
  expect(new Set(keys).size).toBe(keys.length)
})

test('a request with values that JSON does not have is refused as one', () => {
  const endless: Record<string, unknown> = {}
  endless['self'] = endless
  for (const extra of [5n, endless]) {
    expect(() => keyOf({ ...base, extra })).toThrow(expect.objectContaining({ code: 'invalid-argument' }) as Error)
  }
})
