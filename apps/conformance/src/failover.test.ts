import type { ConfigEntry, ModelErrorKind, ModelEvent, ModelResponse } from '@x/interfaces'
import { ModelWrapper } from '@x/model'
import { startWireServer, type WireServer, type WireStep } from '@x/testing/wire'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { adapters, type Adapter } from './adapters.ts'

const CANARY_KEY = 'sk-canary-0123456789abcdef'
const messages = [{ role: 'user' as const, content: 'Hi' }]
const GOOD_STEP: WireStep = { reply: { text: 'Hello' } }
const silent = { send: () => {}, input: () => '' }

const quoted = { error: { message: `wrong key ${CANARY_KEY}` } }

/** Faults before any content, with their kinds. */
const CALL_FAULTS: Readonly<Record<string, readonly [WireStep, ModelErrorKind]>> = {
  '429 without Retry-After': [{ status: 429 }, 'rate-limit'],
  '429 with Retry-After': [{ status: 429, headers: { 'retry-after': '3600' } }, 'rate-limit'],
  '500': [{ status: 500 }, 'server'],
  '503': [{ status: 503 }, 'overloaded'],
  '529': [{ status: 529 }, 'overloaded'],
  '401': [{ status: 401, body: quoted }, 'auth'],
  '403': [{ status: 403 }, 'auth'],
  '404': [{ status: 404 }, 'not-found'],
  '400': [{ status: 400 }, 'invalid-request'],
  'context overflow': [
    { status: 400, body: { error: { message: 'prompt is too long: 9 tokens > 8' } } },
    'context-overflow',
  ],
  'quota exhausted': [{ status: 429, body: { error: { message: 'insufficient_quota' } } }, 'quota'],
  'HTML for an error': [{ status: 502, body: '<html>Bad gateway</html>' }, 'server'],
  'empty body': [{ status: 500, body: '' }, 'server'],
  'connection reset': [{ reset: true }, 'connection'],
  'no answer in time': [{ hang: true }, 'timeout'],
}

/** Faults of a stream before its first content. */
const STREAM_FAULTS: typeof CALL_FAULTS = {
  'cut before the first content': [{ ...GOOD_STEP, cutAfter: 0 }, 'truncated'],
  'stall before the first content': [{ ...GOOD_STEP, stallAfter: 0 }, 'timeout'],
}

interface Asked {
  readonly events: ModelEvent[]
  readonly response?: ModelResponse | undefined
  readonly error?: unknown
}

async function asked(
  adapter: Adapter,
  servers: readonly Pick<WireServer, 'url'>[],
  streamed: boolean,
  entry: ConfigEntry = {},
): Promise<Asked> {
  const model = new ModelWrapper({
    providers: [adapter.provider],
    configList: servers.map(({ url }, n) => ({
      ...adapter.entry,
      apiKey: CANARY_KEY,
      baseUrl: url,
      maxRetries: 0,
      cacheSeed: null,
      // Those behind it have all the time they need, however busy the machine is.
      ...(n === 0 && entry),
    })),
    io: silent,
  })
  const events: ModelEvent[] = []
  try {
    if (!streamed) return { events, response: await model.create({ messages }) }
    const stream = model.createStream({ messages })
    for (;;) {
      const next = await stream.next()
      if (next.done) return { events, response: next.value }
      events.push(next.value)
    }
  } catch (error) {
    return { events, error }
  }
}

for (const adapter of adapters) {
  describe(adapter.name, () => {
    const { format } = adapter
    for (const streamed of [false, true]) {
      const faults = Object.entries(streamed ? { ...CALL_FAULTS, ...STREAM_FAULTS } : CALL_FAULTS)
      test.concurrent.each(faults)(
        `${streamed ? 'stream' : 'call'}: %s goes to the next config`,
        async (_, [fault, kind]) => {
          await using bad = await startWireServer(format, { steps: [fault] })
          await using good = await startWireServer(format, { steps: [GOOD_STEP] })
          const timeout = kind === 'timeout' ? 0.2 : 30
          const { response } = await asked(adapter, [bad, good], streamed, { timeout })
          expect(response).toMatchObject({ configId: 1, attempts: [{ configId: 0, kind }] })
          expect(response!.choices[0]!.message.content).toBe('Hello')
          const alone = await asked(adapter, [bad], streamed, { timeout })
          expect(alone.error).toMatchObject({ kind })
          expect(inspect(alone.error, { depth: 9, showHidden: true })).not.toContain(CANARY_KEY)
        },
      )
    }

    test('goes to the next config after an error frame before the first content, and fails behind it', async () => {
      const frames = [format.overloaded]
      await using early = await startWireServer(format, { steps: [{ ...GOOD_STEP, inserted: { at: 0, frames } }] })
      await using good = await startWireServer(format, { steps: [GOOD_STEP] })
      const { response } = await asked(adapter, [early, good], true)
      expect(response).toMatchObject({ configId: 1, attempts: [{ kind: 'overloaded' }] })
      const at = format.frames(GOOD_STEP.reply).length - 1
      await using late = await startWireServer(format, { steps: [{ ...GOOD_STEP, inserted: { at, frames } }] })
      const { error, events } = await asked(adapter, [late, good], true)
      expect(error).toMatchObject({ kind: 'overloaded' })
      expect(events.some(({ type }) => type === 'textDelta')).toBe(true)
    })

    test('fails for a stream that is cut behind its first content', async () => {
      // An answer is whole from its finish on.
      const cutAfter = format
        .frames(GOOD_STEP.reply)
        .findIndex((frame) =>
          /(?:stop_reason|finish_?reason)\\*":\\*"|response\.completed/iu.test(JSON.stringify(frame)),
        )
      expect(cutAfter).toBeGreaterThan(0)
      await using cut = await startWireServer(format, { steps: [{ ...GOOD_STEP, cutAfter }] })
      await using good = await startWireServer(format, { steps: [GOOD_STEP] })
      const { error, events } = await asked(adapter, [cut, good], true)
      expect(error).toMatchObject({ kind: 'truncated' })
      expect(events.some(({ type }) => type === 'textDelta')).toBe(true)
    })

    test('asks the last config again', async () => {
      await using flapping = await startWireServer(format, {
        steps: [{ status: 503, headers: { 'retry-after-ms': '1' } }, GOOD_STEP],
      })
      const { response } = await asked(adapter, [flapping], false, { maxRetries: 1 })
      expect(response!.choices[0]!.message.content).toBe('Hello')
      expect(flapping.requests.length).toBe(2)
    })

    test('goes to the next config after a refused connection', async () => {
      // No program gets this port by chance, as it could one that was just given back.
      const gone = { url: 'http://127.0.0.1:2' }
      await using good = await startWireServer(format, { steps: [GOOD_STEP] })
      const { response } = await asked(adapter, [gone, good], false)
      expect(response).toMatchObject({ configId: 1, attempts: [{ kind: 'connection' }] })
    })
  })
}

test('three providers in one list: each failure leads to the next', async () => {
  const [one, two, , four] = adapters as [Adapter, Adapter, Adapter, Adapter]
  await using a = await startWireServer(one.format, { steps: [{ status: 529 }] })
  await using b = await startWireServer(two.format, { steps: [{ status: 503 }] })
  await using c = await startWireServer(four.format, { steps: [GOOD_STEP] })
  const model = new ModelWrapper({
    providers: [one.provider, two.provider],
    configList: [
      { ...one.entry, baseUrl: a.url },
      { ...two.entry, baseUrl: b.url },
      { ...four.entry, baseUrl: c.url },
    ].map((entry) => ({ ...entry, apiKey: CANARY_KEY, cacheSeed: null })),
    io: silent,
  })
  const response = await model.create({ messages })
  expect(response).toMatchObject({
    configId: 2,
    attempts: [
      { kind: 'overloaded', status: 529 },
      { kind: 'overloaded', status: 503 },
    ],
  })
})
