import { expect, test } from 'vitest'
import { createAdapterClient } from './adapter-client.ts'
import type { AnswerReader, Dialect, Wire } from './dialect.ts'
import { platformClock } from './retry.ts'

/** A client whose provider answers with one frame, read by a reader that fails. */
function clientOf(push: AnswerReader['push']) {
  const dialect: Dialect = {
    provider: 'p',
    ids: { maxLength: 40, forbidden: /[^\w-]/gu },
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: () => ({}),
    lower: (_, { model }) => ({ model, body: {} }),
    reader: () => ({ push }),
  }
  const wire: Wire = {
    secrets: new Set(),
    url: 'http://p.invalid',
    complete: async () => ({}),
    stream: async () =>
      (async function* () {
        yield [{}]
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

test('X21: a model without a price answers at no known cost, whatever the asked model costs', () => {
  const client = clientOf(() => true)
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 }
  const cost = (model: string): number | null => client.cost({ id: '', created: 0, choices: [], model, usage })
  expect([cost('m'), cost('m-2026-01-01'), cost('another')]).toEqual([1, 1, null])
})
