import type { CacheStore, ConfigEntry, LogRecord, XEvent } from '@x/interfaces'
import { createDiskCache, createKeyvCache, llmConfig } from '@x/model'
import { createOpenAI, openai } from '@x/provider-openai'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

/** Every secret that a config may hold; none of them looks like a key. */
const CANARY = 'CanaryOf2026'
const canary = (place: string): string => `${CANARY}${place}`
const forms = [CANARY, Buffer.from(CANARY).toString('base64').slice(0, -4), encodeURIComponent(CANARY)]

const messages = [{ role: 'user' as const, content: 'hi' }]
let server: Worker
let baseUrl: string

beforeAll(async () => {
  server = new Worker(new URL('fault-thread.ts', import.meta.url))
  ;[baseUrl] = (await once(server, 'message')) as [string]
})
afterAll(async () => void (await server.terminate()))

const entryOf = (model: string): ConfigEntry => ({
  model,
  apiKey: canary('Key'),
  baseUrl: `${baseUrl.replace('//', `//ann:${canary('Password')}@`)}?api_key=${canary('Query')}`,
  // Gateways take a key in a header of any name.
  defaultHeaders: { 'X-Gateway-Token': canary('Header'), 'x-internal': canary('Internal') },
  maxRetries: 0,
})

/** Everything that can be seen of a value. */
const seen = (value: unknown): string => {
  const stacks: unknown[] = []
  for (let at = value; at instanceof Error && stacks.length < 9; at = at.cause) stacks.push(at.stack, String(at))
  return [inspect(value, { depth: 12, showHidden: true, getters: true }), JSON.stringify(value), ...stacks].join('\n')
}

const expectClean = (...values: unknown[]): void => {
  for (const value of values) for (const form of forms) expect(seen(value)).not.toContain(form)
}

const clean = (text: string): void => {
  for (const form of forms) expect(text).not.toContain(form)
}

function watched(config: object): { llm: ReturnType<typeof llmConfig>; events: XEvent[]; records: LogRecord[] } {
  const events: XEvent[] = []
  const records: LogRecord[] = []
  const io = { send: (event: XEvent) => void events.push(event), input: () => '' }
  const logger = { log: (record: LogRecord) => void records.push(record) }
  return { llm: llmConfig({ providers: [openai], io, logger, cacheSeed: null, ...config }), events, records }
}

const failure = async (call: () => unknown): Promise<unknown> => {
  try {
    await call()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe.each(['create', 'createStream', 'createSync'] as const)('no secret is seen after `%s`', (form) => {
  const asked = async (llm: ReturnType<typeof llmConfig>): Promise<unknown> => {
    const model = llm.createModel()
    if (form !== 'createStream') return await model[form]({ messages })
    const stream = model.createStream({ messages })
    for (;;) {
      const { done, value } = await stream.next()
      if (done) return value
    }
  }

  test.each(['echo', 'echo-text', 'echo-frame', 'hanging', 'broken'])(
    'of an endpoint that is `%s`, whose config others may print',
    async (model) => {
      const { llm, events, records } = watched({ configList: [entryOf(model)], timeout: 0.3 })
      const error = await failure(() => asked(llm))
      expect(error).toMatchObject({ name: 'XError' })
      expectClean(error, events, records, llm, llm.config, llm.createModel(), openai)
    },
  )

  test('of headers of one request', async () => {
    const { llm, events, records } = watched({ configList: [entryOf('echo')] })
    const model = llm.createModel()
    const error = await failure(() =>
      model[form === 'createStream' ? 'create' : form]({
        messages,
        extra_headers: { 'x-internal-2': canary('Request') },
      }),
    )
    expectClean(error, events, records)
  })

  test('of a server that is not there', async () => {
    const { llm, events, records } = watched({
      configList: [{ ...entryOf('m'), baseUrl: `http://ann:${canary('Password')}@127.0.0.1:1/v1?api_key=${CANARY}` }],
    })
    expectClean(await failure(() => asked(llm)), events, records)
  })

  test.each([
    ['a line end in the key', { apiKey: `${CANARY}\n${CANARY}` }],
    ['a line end in a header', { defaultHeaders: { 'x-token': `${CANARY}\r\nx: y` } }],
    ['a URL that is none', { baseUrl: `//${CANARY}` }],
    ['a URL of another kind', { baseUrl: `ftp://ann:${CANARY}@host/` }],
    ['a key for a URL', { baseUrl: CANARY }],
    ['a misspelt key', { apikey: CANARY }],
  ])('with %s', async (_, more) => {
    const heard: unknown[] = []
    const error = await failure(() => {
      const { llm, ...rest } = watched({ configList: [{ ...entryOf('good'), ...more }] })
      heard.push(rest)
      return asked(llm)
    })
    expect(error).toMatchObject({ name: 'XError' })
    expectClean(error, heard)
  })

  test('and a success leaves none in the answer, the log and the files of a cache', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'x-canary-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const cache: CacheStore = createDiskCache({ dir })
    const { llm, events, records } = watched({ configList: [entryOf('good')], cache })
    expectClean(await asked(llm), events, records)
    await cache.close?.()
    for (const file of readdirSync(dir)) clean(readFileSync(join(dir, file), 'latin1'))
  })
})

test.each(['create', 'createSync'] as const)('the events of the attempts of `%s` have none', async (form) => {
  const key = canary('Key')
  // A parameter with a key in it is not told.
  const good = { ...entryOf('good'), seed: 7, user: key, metadata: { token: `Bearer ${key}` } }
  const events: XEvent[] = []
  const model = watched({ configList: [entryOf('echo'), good] }).llm.createModel()
  await model[form]({ messages }, { emit: (event) => void events.push(event) })
  const ends = events.filter((event) => event.type === 'modelAttemptEnd')
  expect(ends.map(({ outcome }) => outcome)).toEqual(['error', 'ok'])
  const starts = events.filter((event) => event.type === 'modelAttemptStart')
  expect(starts.map(({ parameters }) => parameters)).toEqual([{}, { seed: 7 }])
  expectClean(events)
})

test('a function that gives keys: those it gave are not seen, nor what it throws', async () => {
  let n = 0
  const { llm, events, records } = watched({
    configList: [{ ...entryOf('echo'), apiKey: () => canary(`Rotating${n++}`) }],
  })
  expectClean(await failure(() => llm.createModel().create({ messages })), events, records)
  expect(n).toBe(1)
})

test('the error of a store that names its own password becomes a warning without it', async () => {
  const trouble = async (): Promise<never> => {
    throw new Error(`connect ECONNREFUSED redis://default:${CANARY}@cache:6379`)
  }
  const store: Parameters<typeof createKeyvCache>[0] = { get: trouble, set: trouble }
  const { llm, events } = watched({
    configList: [entryOf('good')],
    cache: createKeyvCache(store, { namespace: 'n' }),
  })
  await llm.createModel().create({ messages })
  expect(events.map(({ type }) => type)).toContain('warning')
  expectClean(events)
})

test('Azure: neither the key nor a token', async () => {
  for (const apiKey of [canary('Key'), async () => canary('Token')]) {
    const { llm, events, records } = watched({
      providers: [createOpenAI({ env: {} })],
      configList: [{ ...entryOf('echo'), apiType: 'azure', apiVersion: '2024-10-21', apiKey }],
    })
    expectClean(await failure(() => llm.createModel().create({ messages })), events, records, llm)
  }
})
