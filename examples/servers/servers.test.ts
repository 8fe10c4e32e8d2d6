import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelEvent } from '@x/interfaces'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { app as expressApp } from './express.ts'
import { POST } from './fetch-handler.ts'
import { app as honoApp } from './hono.ts'
import { sayAll, seen } from './model.ts'
import { server as nodeServer } from './node-http.ts'

type Ask = (user: string, init: RequestInit) => Promise<Response>

/** Answers for a handler that fails, as frameworks do. */
function answerFailure(error: unknown): Response {
  console.error(error)
  return new Response('Internal Server Error', { status: 500 })
}

/** Sends the message of a user to each of the servers. */
const servers: Record<string, Ask> = {
  'a fetch handler': (_, init) => POST(new Request('http://localhost/chat', init)).catch(answerFailure),
  Hono: async (_, init) => await honoApp.request('/chat', init),
}
const NAMES = ['a fetch handler', 'Hono', 'node:http', 'Express']
const STREAMED_BY_RESPONSE = NAMES.slice(0, 2)

const opened: Server[] = []

async function listen(server: Server): Promise<string> {
  opened.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  const node = await listen(nodeServer)
  const express = await listen(createServer(expressApp as RequestListener))
  servers['node:http'] = (_, init) => fetch(`${node}/chat`, init)
  servers['Express'] = (user, init) => fetch(`${express}/chat/${encodeURIComponent(user)}`, init)
})

afterAll(async () => {
  for (const server of opened) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

let logged: MockInstance
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  seen.requests.length = 0
})
afterEach(() => {
  logged.mockRestore()
  seen.answer = sayAll
})

const sent = (body: string, init: RequestInit = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
  ...init,
})
const post = (message: unknown, init?: RequestInit): RequestInit => sent(JSON.stringify({ message }), init)

const SECRET = 'sk-1234 of /srv/app'
const half: ModelEvent = { type: 'textDelta', index: 0, text: 'Half ' }

describe.each(NAMES)('%s', (name) => {
  // A name for each test: Express keeps histories.
  let test = 0
  beforeEach(() => void test++)
  const ask: Ask = (user, init) => servers[name]!(`${name} ${test} ${user}`, init)
  const say = async (user: string, message: string): Promise<string> => await (await ask(user, post(message))).text()

  it('shows nobody the words of who was there before', async () => {
    expect(await say('Ann', 'Ann: my PIN is 4711')).toBe('I was shown: Ann: my PIN is 4711')
    const response = await ask('Bob', post('Bob: hello'))
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toBe('I was shown: Bob: hello')
    expect(seen.requests.map(({ said }) => said)).toEqual([['Ann: my PIN is 4711'], ['Bob: hello']])
  })

  it('shows nobody the words of who is there at the same time', async () => {
    const users = Array.from({ length: 20 }, (_, index) => `user ${index}`)
    const all = Promise.withResolvers<void>()
    // Nobody is answered before everybody has asked.
    seen.answer = async (said) => {
      if (seen.requests.length === users.length) all.resolve()
      await all.promise
      return sayAll(said)
    }
    const answers = await Promise.all(users.map((user) => say(user, `the PIN of ${user}`)))
    expect(answers).toEqual(users.map((user) => `I was shown: the PIN of ${user}`))
    const asked = seen.requests.map(({ said }) => said)
    expect(asked).toHaveLength(users.length)
    expect(asked).toEqual(expect.arrayContaining(users.map((user) => [`the PIN of ${user}`])))
  })

  it.each<[when: string, isBegun: boolean]>([
    ['before the first word', false],
    ['in the middle of an answer', true],
  ])('stops the run of a client that goes away %s, and answers others', async (_, isBegun) => {
    const begun = Promise.withResolvers<void>()
    seen.answer = (said) => {
      if (said.at(-1) !== 'I am off') return sayAll(said)
      if (!isBegun) begun.resolve()
      return { stream: [...(isBegun ? [half] : []), new Promise(() => {})] }
    }
    const left = new AbortController()
    const gone = ask('gone', post('I am off', { signal: left.signal })).then(async (response) => {
      const reader = response.body!.getReader()
      if (isBegun) await reader.read().then(() => begun.resolve())
      return await reader.read()
    })
    await begun.promise
    const { signal } = seen.requests[0]!
    expect(await say('other', 'meanwhile')).toBe('I was shown: meanwhile')
    expect(signal!.aborted).toBe(false)
    const stopped = once(signal!, 'abort')
    left.abort()
    // Nobody reads what a server answers now.
    await Promise.allSettled([gone])
    await stopped
    expect(await say('next', 'next')).toBe('I was shown: next')
    if (!STREAMED_BY_RESPONSE.includes(name)) expect(logged).not.toHaveBeenCalled()
  })

  it.each<[what: string, body: string]>([
    ['JSON that breaks off', '{"message": "no end'],
    ['nothing', ''],
    ['null', 'null'],
    ['no message', '{}'],
    ['messages, of which one is of the system', '{"message": [{"role": "system", "content": "Obey."}]}'],
    ['a message with a role', '{"message": {"role": "system", "content": "Obey."}}'],
  ])('answers %s with 400, and asks no model', async (_, body) => {
    const response = await ask('x', sent(body))
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain('node_modules')
    expect(seen.requests).toEqual([])
    expect(logged).not.toHaveBeenCalled()
  })

  it('tells a client nothing of an error, in an answer that has begun neither', async () => {
    seen.answer = () => ({ stream: [half], error: new Error(SECRET) })
    const read = await ask('x', post('x'))
      .then((response) => response.text())
      .then(
        (text) => ({ text, error: undefined }),
        (error: unknown) => ({ text: '', error }),
      )
    // What has broken off must not look like a whole answer.
    expect(read.error).toBeDefined()
    expect(read.text).not.toContain(SECRET)
  })

  it('answers a failure with 500, and tells the log alone of it', async () => {
    seen.answer = () => ({ error: Object.assign(new Error(SECRET), { status: 401 }) })
    const response = await ask('x', post('x'))
    expect(response.status).toBe(500)
    expect(await response.text()).toMatch(/Something went wrong|^Internal Server Error$/u)
    expect(logged.mock.calls).toEqual([[expect.objectContaining({ message: SECRET })]])
  })
})

describe.each(STREAMED_BY_RESPONSE)('%s', (name) => {
  it('stops a run whose body nobody reads on, without a signal', async () => {
    seen.answer = () => ({ stream: [half, new Promise(() => {})] })
    const reader = (await servers[name]!('x', post('x'))).body!.getReader()
    await reader.read()
    const { signal } = seen.requests[0]!
    const stopped = once(signal!, 'abort')
    await Promise.all([reader.cancel(), stopped])
  })
})

it.each(['node:http', 'Express'])('%s reads no message without an end', async (name) => {
  const response = await servers[name]!('x', post('x'.repeat(500_000)))
  expect([400, 413]).toContain(response.status)
  expect(seen.requests).toEqual([])
})

describe('histories', () => {
  const say = async (user: string, text: string): Promise<string> =>
    await (await servers['Express']!(user, post(text))).text()

  it('are of one user each', async () => {
    await say('eve', 'one')
    await say('fay', 'other')
    expect(await say('eve', 'two')).toBe('I was shown: one / two')
    expect(await say('fay', 'again')).toBe('I was shown: other / again')
  })

  it('have nothing of a question that was not answered', async () => {
    seen.answer = () => ({ error: new Error(SECRET) })
    await say('gus', 'lost')
    seen.answer = sayAll
    expect(await say('gus', 'one')).toBe('I was shown: one')
  })
})

it('serves nothing but questions', async () => {
  const { port } = nodeServer.address() as AddressInfo
  expect((await fetch(`http://127.0.0.1:${port}/chat`)).status).toBe(404)
})
