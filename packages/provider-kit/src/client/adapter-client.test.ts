import { expect, test } from 'vitest'
import { createAdapterClient } from './adapter-client.ts'
import type { AnswerReader, Dialect, Wire } from './dialect.ts'
import { platformClock } from './retry.ts'

/** A client whose provider answers with one frame, read by a reader that stumbles over it. */
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
  const prices = { date: '2026-01-01', models: {} }
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

test('an answer that its reader stumbles over is a failure of who gave it', async () => {
  const client = clientOf((frame) => (frame as { choices: { length: number } }).choices.length > 0)
  const failure = { kind: 'server', message: 'the answer is not of the form that it should have' }
  const params = { model: 'm', messages: [] }
  await expect(client.create(params, {})).rejects.toMatchObject(failure)
  await expect(client.stream!(params, {}).next()).rejects.toMatchObject(failure)
})
