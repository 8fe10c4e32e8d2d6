import type { ConfigEntry } from '@x/interfaces'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createOpenAI } from './openai.ts'
import { delta, framesOf } from './wire.fake.ts'

const never = (): Promise<never> => new Promise(() => {})
const stuck = (text: string, type: string) => async (): Promise<Response> =>
  new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(text)), cancel: never }), {
    headers: { 'content-type': type },
  })
const opening = framesOf([delta({ content: 'Hel' })]).replace('data: [DONE]\n\n', '')

/** What a caller may bring that hears of no signal. */
const STUBBORN: Readonly<Record<string, ConfigEntry>> = {
  'a function for the key that never answers': { apiKey: never },
  'a `fetch` that never answers': { fetch: never },
  'a body that never ends': { fetch: stuck('{"id": ', 'application/json') },
  'a stream that never begins': { fetch: stuck(': ping\n\n', 'text/event-stream') },
}

describe.each(Object.entries(STUBBORN))('%s', (_, config) => {
  const client = createOpenAI().createClient({ model: 'm', apiKey: 'sk-test', maxRetries: 0, ...config })
  const params = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
  const ways = {
    create: (options: object) => Promise.resolve(client.create(params, options)),
    stream: (options: object) => client.stream!(params, options).next(),
  }

  test.each(['create', 'stream'] as const)('ends with the time of a call (%s)', async (way) => {
    await expect(ways[way]({ timeout: 0.01 })).rejects.toMatchObject({ kind: 'timeout' })
  })

  test.each(['create', 'stream'] as const)('ends when the caller stops it (%s)', async (way) => {
    const stop = new AbortController()
    const call = ways[way]({ signal: stop.signal })
    setImmediate(() => stop.abort())
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
  })
})

test('a stream that stalls after its first piece ends with the time of a pause, whatever its source does', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const fetch = stuck(opening, 'text/event-stream')
  const client = createOpenAI().createClient({ model: 'm', apiKey: 'sk-test', maxRetries: 0, timeout: 60, fetch })
  const seen: string[] = []
  const read = async (): Promise<void> => {
    for await (const event of client.stream!({ model: 'm', messages: [] }, {})) {
      seen.push(event.type)
      // The next piece does not come: its time passes.
      if (event.type === 'textDelta') setImmediate(() => void vi.advanceTimersByTime(60_000))
    }
  }
  await expect(read()).rejects.toMatchObject({ kind: 'timeout' })
  expect(seen).toEqual(['start', 'textDelta'])
})
