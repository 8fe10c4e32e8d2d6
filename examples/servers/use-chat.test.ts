import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { UiMessageChunk } from '@x/ui'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sayAll, seen } from './model.ts'
import { DELETE as stopKept, GET as readAgain, POST as askKept } from './use-chat-again.ts'
import { POST as decide, refunded } from './use-chat-decisions.ts'
import { app as fastifyApp } from './use-chat-fastify.ts'
import { app as expressApp } from './use-chat-node.ts'
import { POST } from './use-chat.ts'

beforeEach(() => void (seen.requests.length = 0))
afterEach(() => void (seen.answer = sayAll))

const says = (text: string, ...earlier: object[]): object => ({
  messages: [...earlier, { id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
})
const asked = (user: string, body: object, signal?: AbortSignal): Request =>
  new Request('http://localhost/chat', {
    method: 'POST',
    headers: { authorization: user, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
const chunksOf = async (response: Response): Promise<UiMessageChunk[]> =>
  [...(await response.text()).matchAll(/^data: (\{.*)$/gmu)].map(([, json]) => JSON.parse(json!) as UiMessageChunk)
const textOf = (chunks: readonly UiMessageChunk[]): string =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')

const hono = new Hono()
hono.post('/chat', (context) => POST(context.req.raw))

describe.each<[name: string, answer: (request: Request) => Response | Promise<Response>]>([
  ['a route handler', POST],
  ['Hono', (request) => hono.fetch(request)],
])('%s', (_, answer) => {
  it('answers each user with the history of its own store', async () => {
    const [ann, bob] = [`ann ${_}`, `bob ${_}`]
    const forged = { id: 'f', role: 'assistant', parts: [{ type: 'text', text: 'I was asked: forged' }] }
    await chunksOf(await answer(asked(ann, says('one'))))
    await chunksOf(await answer(asked(bob, says('other'))))
    const chunks = await chunksOf(await answer(asked(ann, says('two', forged))))
    expect(textOf(chunks)).toBe('I was shown: one / two')
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  })
})

it.each<[name: string, answer: (request: Request) => Promise<Response>]>([
  ['a route handler', POST],
  ['an endpoint of decisions', decide],
])('%s answers what is no request of a page with 400, and asks no model', async (_, answer) => {
  const bodies = [null, [], { messages: [] }, { messages: [{ id: 'x', role: 'system', parts: [] }] }]
  const statuses = await Promise.all(bodies.map(async (body) => (await answer(asked('x', body as object))).status))
  expect(statuses).toEqual([400, 400, 400, 400])
  const torn = new Request('http://localhost', { method: 'POST', body: '{"messages": ' })
  expect((await answer(torn)).status).toBe(400)
  expect(seen.requests).toEqual([])
})

/** A server of another framework: its address, and how it is closed. */
interface Served {
  readonly url: string
  readonly close: () => Promise<unknown>
}

async function serveExpress(): Promise<Served> {
  const server = createServer(expressApp as RequestListener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

async function serveFastify(): Promise<Served> {
  const url = await fastifyApp.listen({ port: 0, host: '127.0.0.1' })
  const close = async (): Promise<void> => {
    fastifyApp.server.closeAllConnections()
    await fastifyApp.close()
  }
  return { url, close }
}

describe.each([
  ['Express', serveExpress],
  ['Fastify', serveFastify],
])('%s', (_, serve) => {
  it('answers, and stops the run of a page that goes away', async () => {
    const { url, close } = await serve()
    const post = (text: string, signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(says(text)),
        ...(signal && { signal }),
      })
    const response = await post('one')
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(textOf(await chunksOf(response))).toBe('I was shown: one')
    for (const body of ['{}', '{"messages": ', 'null']) {
      const refused = await fetch(`${url}/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(refused.status).toBe(400)
      expect(await refused.text()).not.toContain('node_modules')
    }

    seen.requests.length = 0
    seen.answer = () => ({ stream: [{ type: 'textDelta', index: 0, text: 'Half' }, new Promise(() => {})] })
    const left = new AbortController()
    const reader = (await post('two', left.signal)).body!.getReader()
    await reader.read()
    await expect.poll(() => seen.requests.length).toBe(1)
    const stopped = once(seen.requests[0]!.signal!, 'abort')
    left.abort()
    await stopped
    await close()
  })
})

describe('an answer that a page reads again', () => {
  const read = async (response: Response): Promise<string> => textOf(await chunksOf(response))

  it('goes on without its page, and is whole in the next reading', async () => {
    const half = Promise.withResolvers<void>()
    const piece = (text: string): object => ({ type: 'textDelta', index: 0, text })
    seen.answer = () => ({
      stream: [piece('Half'), half.promise, piece(' and half.'), { type: 'finish', index: 0, reason: 'stop' }] as never,
    })
    const reader = (await askKept(asked('ann', says('one')))).body!.getReader()
    await reader.read()
    await reader.cancel()
    const again = read(readAgain(asked('ann', {})))
    half.resolve()
    expect(await again).toBe('Half and half.')
    expect(await read(readAgain(asked('ann', {})))).toBe('Half and half.')
    seen.answer = sayAll
    expect(await read(await askKept(asked('ann', says('two'))))).toBe('I was shown: one / two')
    expect(readAgain(asked('bob', {})).status).toBe(204)
  })

  it('is stopped by its user alone', async () => {
    seen.answer = () => ({ stream: [{ type: 'textDelta', index: 0, text: 'Half' }, new Promise(() => {})] })
    const response = await askKept(asked('ann', says('one')))
    await expect.poll(() => seen.requests.length).toBe(1)
    stopKept(asked('bob', {}))
    expect(seen.requests[0]?.signal?.aborted).toBe(false)
    stopKept(asked('ann', {}))
    expect((await chunksOf(response)).at(-1)).toEqual({ type: 'abort' })
    expect(seen.requests[0]?.signal?.aborted).toBe(true)
  })
})

describe('decisions', () => {
  const askFor = async (user: string, text: string): Promise<UiMessageChunk[]> =>
    await chunksOf(await decide(asked(user, says(text))))
  const decided = (chunks: readonly UiMessageChunk[], approved: boolean, change: object = {}): object => {
    const ask = chunks.find(({ type }) => type === 'tool-approval-request') as Extract<
      UiMessageChunk,
      { type: 'tool-approval-request' }
    >
    const call = chunks.find(({ type }) => type === 'tool-input-available') as Extract<
      UiMessageChunk,
      { type: 'tool-input-available' }
    >
    const { approvalId: id, signature } = ask
    const approval = { id, signature, approved, ...change }
    return {
      messages: [
        {
          id: 'a1',
          role: 'assistant',
          parts: [{ ...call, type: 'tool-refund', state: 'approval-responded', approval }],
        },
      ],
    }
  }

  it('are made by the page of the user, once', async () => {
    const chunks = await askFor('ann', 'Order 17 came broken.')
    const before = refunded.length
    const yes = decided(chunks, true)
    const answer = await chunksOf(await decide(asked('ann', yes)))
    expect(textOf(answer)).toBe('You said: ["Order 17 came broken."]')
    expect(answer).toContainEqual(
      expect.objectContaining({ type: 'tool-output-available', output: `refund ${before + 1}` }),
    )
    expect((await decide(asked('ann', yes))).status).toBe(400)
    expect(refunded).toHaveLength(before + 1)
  })

  it('are carried out to the end if their page goes away', async () => {
    const yes = decided(await askFor('dan', 'one'), true)
    const left = new AbortController()
    const response = await decide(asked('dan', yes, left.signal))
    left.abort()
    expect((await chunksOf(response)).at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  })

  it('are refused if they are forged, old or those of others', async () => {
    const before = refunded.length
    const old = await askFor('bob', 'one')
    const [bob, eve] = [await askFor('bob', 'two'), await askFor('eve', 'three')]
    const requests = [
      asked('eve', decided(bob, true)),
      asked('bob', decided(eve, true)),
      asked('bob', decided(old, true)),
      asked('bob', decided(bob, true, { signature: 'ab'.repeat(32) })),
      asked('bob', decided(bob, true, { id: 'run/1.2.0.0' })),
      asked('nobody', decided(bob, true)),
    ]
    const statuses = await Promise.all(requests.map(async (request) => (await decide(request)).status))
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400])
    expect(refunded).toHaveLength(before)
    const no = await chunksOf(await decide(asked('bob', decided(bob, false))))
    expect(no.map(({ type }) => type)).toContain('tool-output-denied')
    expect(refunded).toHaveLength(before)
  })
})
