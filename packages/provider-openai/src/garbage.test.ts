import type { ModelAnswer } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { expect, test } from 'vitest'
import { fakeWire } from './wire.fake.ts'
import fc from 'fast-check'

/** Any JSON, or what the wire has at this place, whose own places hold any JSON, too. */
const odd = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) })
const record = (places: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  odd(
    fc.record(Object.fromEntries(Object.entries(places).map(([key, place]) => [key, odd(place)])), {
      requiredKeys: [],
    }),
  )
const list = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => odd(fc.array(item, { maxLength: 3 }))

const call = record({
  index: fc.nat(2),
  id: fc.constantFrom('a', 'b', ''),
  type: fc.constantFrom('function', 'custom'),
  function: record({ name: fc.constantFrom('f', '__proto__'), arguments: fc.constantFrom('{"a"', ':1}', '') }),
})
const message = record({
  role: fc.constant('assistant'),
  content: odd(fc.oneof(fc.string(), list(record({ type: fc.constant('text'), text: fc.string() })))),
  refusal: fc.string(),
  reasoning_content: fc.string(),
  reasoning: fc.string(),
  function_call: record({ name: fc.constant('f'), arguments: fc.string() }),
  tool_calls: list(call),
})
const chunk = record({
  id: fc.string(),
  model: fc.string(),
  created: fc.nat(),
  choices: list(
    record({
      index: fc.nat(2),
      delta: message,
      message,
      text: fc.string(),
      finish_reason: fc.constantFrom('stop', 'tool_calls', null, 'novel'),
    }),
  ),
  usage: record({
    prompt_tokens: fc.integer(),
    completion_tokens: fc.double(),
    total_tokens: fc.nat(),
    prompt_tokens_details: record({ cached_tokens: fc.integer() }),
    completion_tokens_details: record({ reasoning_tokens: fc.integer() }),
  }),
  error: odd(fc.constant(null)),
})

/** Whatever comes is an answer of the right types, or a failure of a kind; never an error of the language. */
async function outcome(asked: Promise<ModelAnswer>): Promise<void> {
  let answer: ModelAnswer
  try {
    answer = await asked
  } catch (error) {
    expect(isXError(error) && error.kind, String((error as Error).stack)).toBeTypeOf('string')
    return
  }
  const { id, model, created, choices, usage = {} } = answer
  expect([typeof id, typeof model, typeof created]).toEqual(['string', 'string', 'number'])
  for (const { message, finish_reason: reason } of choices) {
    expect(message.content === null || typeof message.content === 'string').toBe(true)
    expect(reason).toBeTypeOf('string')
    for (const { id, function: called } of message.tool_calls ?? [])
      expect([typeof id, typeof called.name, typeof called.arguments]).toEqual(['string', 'string', 'string'])
  }
  // What the provider counts beside these stands there as it came.
  for (const [name, count] of Object.entries(usage)) if (name !== 'raw') expect(count).toBeGreaterThanOrEqual(0)
}

test('any body is an answer or a failure', async () => {
  await fc.assert(
    fc.asyncProperty(chunk, (body) => outcome(fakeWire(body as object).create())),
    { numRuns: 500 },
  )
})

test('any stream is an answer or a failure', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 4 }), (chunks) => {
      const frames = chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')
      return outcome(
        fakeWire(frames)
          .stream()
          .then(({ answer }) => answer),
      )
    }),
    { numRuns: 500 },
  )
})
