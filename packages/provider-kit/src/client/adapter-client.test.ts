import { expect, test } from 'vitest'
import { createAdapterClient } from './adapter-client.ts'
import type { AnswerReader, Dialect, Wire } from './dialect.ts'
import { modelFailure } from '../failure/model-failure.ts'
import { platformClock } from './retry.ts'

/** A client whose provider answers with one frame, read by a reader that fails. */
function clientOf(push: AnswerReader['push'], lower?: Dialect['lower'], complete: Wire['complete'] = async () => ({})) {
  const dialect: Dialect = {
    provider: 'p',
    ids: { maxLength: 40, forbidden: /[^\w-]/gu },
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: () => ({}),
    lower: lower ?? ((_, { model }) => ({ model, body: {} })),
    reader: () => ({ push }),
  }
  const wire: Wire = {
    secrets: new Set(),
    url: 'http://p.invalid',
    complete,
    stream: async (request, call) =>
      (async function* () {
        yield [await complete(request, call)]
      })(),
  }
  const prices = { date: '2026-01-01', models: { m: { input: 1, output: 2 } } }
  const config = { model: 'm', maxRetries: 0 }
  return createAdapterClient({
    config,
    prices,
    clock: platformClock(),
    now: Date.now,
    dialect,
    connect: () => wire,
  })
}

test('an answer that the reader cannot read is a failure of the provider', async () => {
  const client = clientOf((frame) => (frame as { choices: { length: number } }).choices.length > 0)
  const failure = { kind: 'server', message: 'the answer has an unexpected form' }
  const params = { model: 'm', messages: [] }
  await expect(client.create(params, {})).rejects.toMatchObject(failure)
  await expect(client.stream!(params, {}).next()).rejects.toMatchObject(failure)
})

test('a refusal that says how to ask instead leads to that request and its reader, complete and streamed', async () => {
  const answered =
    (text: string): AnswerReader['push'] =>
    (_, answer) => {
      answer.text(text)
      answer.finish('stop')
      return true
    }
  const asked: unknown[] = []
  const client = clientOf(
    answered('first'),
    (_, { model }) => ({
      model,
      body: { form: 1 },
      instead: ({ message }) =>
        message === 'ask with 2'
          ? { model, body: { form: 2 }, reader: () => ({ push: answered('second') }) }
          : undefined,
    }),
    async ({ body }) => {
      asked.push(body['form'])
      if (body['form'] === 1) throw modelFailure('invalid-request', 'ask with 2')
      return {}
    },
  )
  const params = { model: 'm', messages: [] }
  expect((await client.create(params, {})).choices[0]!.message.content).toBe('second')
  const events = client.stream!(params, {})
  await events.next()
  expect((await events.next()).value).toMatchObject({ text: 'second' })
  expect(asked).toEqual([1, 2, 1, 2])
})

test('any other refusal stands', async () => {
  const client = clientOf(
    () => true,
    (_, { model }) => ({ model, body: {}, instead: () => undefined }),
    async () => {
      throw modelFailure('invalid-request', 'no')
    },
  )
  await expect(client.create({ model: 'm', messages: [] }, {})).rejects.toMatchObject({ message: 'no' })
})

test('X21: a model without a price answers at no known cost, whatever the asked model costs', () => {
  const client = clientOf(() => true)
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 }
  const cost = (model: string): number | null => client.cost({ id: '', created: 0, choices: [], model, usage })
  expect([cost('m'), cost('m-2026-01-01'), cost('another')]).toEqual([1, 1, null])
})
