import { createAgent, tool } from '@x/agent'
import type { HostBackend } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createHost, defineChat, type DefinedChat, type Host, type HostOptions, sqlite } from './index.ts'

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes in all'.slice(0, 32)).toString('base64')}`
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

interface Told {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: { readonly type: string; readonly chat: { readonly id: string; readonly state: string } } & Record<
    string,
    unknown
  >
}

/** A server that notes what it is told, and answers with the statuses of a list first. */
async function receiver(...statuses: readonly number[]): Promise<{ url: string; told: Told[] }> {
  const told: Told[] = []
  const left = [...statuses]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      told.push({ headers: request.headers, text, body: JSON.parse(text) as Told['body'] })
      const status = left.shift() ?? 204
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(async () => void (await new Promise((resolve) => server.close(resolve))))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chats?key=hidden`, told }
}

const say = defineChat<never, string>({
  name: 'say',
  version: '1',
  run: ({ input }) => `said ${JSON.stringify(input)}`,
})

const ask = defineChat<never, string>({
  name: 'ask',
  version: '1',
  async run({ run }) {
    const model = functionModel(({ messages }) => {
      const { role } = messages.at(-1)!
      if (role === 'tool') return { content: 'done' }
      return { tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: '{"euros":5}' } }] }
    })
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      parameters: { type: 'object' },
      needsApproval: true,
      execute: () => 'paid',
    })
    return (await createAgent({ name: 'clerk', model, tools: pay }).run('Pay.', { run })).text
  },
})

const broken = defineChat({
  name: 'broken',
  version: '1',
  run() {
    throw new Error('broken')
  },
})

function hostWith(
  webhooks: HostOptions['webhooks'],
  at: HostBackend = sqlite(':memory:'),
): { host: Host; end: () => Promise<void> } {
  const chats = [say, ask, broken] as unknown as readonly DefinedChat[]
  const host = createHost({ chats, at: { ...at, close() {} }, webhooks })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, lease: 1 })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return { host, end }
}

const noticeIds = async (host: Host): Promise<readonly string[]> => {
  const ids: string[] = []
  for await (const { id, name } of host.list()) if (name === 'webhook') ids.push(id)
  return ids
}

describe('a webhook', () => {
  it('is told of the end of a chat, signed, once', async () => {
    const { url, told } = await receiver()
    // A time that is no whole number of milliseconds.
    const { host } = hostWith({ billing: { url, secret: SECRET, timeout: 16.1 } })
    await host.submit(say, 'hi' as never, { id: 'a', tenant: 'acme', tags: ['x'] })
    await expect.poll(() => told.length, { interval: 5 }).toBe(1)
    const [{ headers, text, body }] = told as [Told]
    expect(body).toMatchObject({
      type: 'chat.ended',
      outcome: { state: 'done', value: 'said "hi"' },
      chat: { id: 'a', name: 'say', version: '1', state: 'done', tenant: 'acme', tags: ['x'] },
    })
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    const [id] = await noticeIds(host)
    expect(await host.result(id!)).toBe('told with status 204')
    expect(headers['webhook-id']).toBe(id)
    expect(told).toHaveLength(1)
  })

  it('is told of a question, and not of one that is decided before', async () => {
    const { url, told } = await receiver()
    const { host } = hostWith({ desk: { url, secret: SECRET, on: ['question'] } })
    await host.submit(ask, {} as never, { id: 'a' })
    await expect.poll(() => told.length, { interval: 5 }).toBe(1)
    expect(told[0]!.body).toMatchObject({
      type: 'chat.question',
      question: { agent: 'clerk', action: { type: 'toolCall', name: 'pay', arguments: { euros: 5 } } },
      chat: { id: 'a', state: 'suspended' },
    })
    for await (const { chat, pending } of host.pending()) await host.decide(chat, pending.id, { allow: true })
    expect(await host.result('a')).toBe('done')
    expect(told).toHaveLength(1)
  })

  it('is told of a chat whose identifier a deleted one had', async () => {
    const { url, told } = await receiver()
    const { host } = hostWith({ desk: { url, secret: SECRET } })
    for (let n = 1; n <= 2; n++) {
      await host.submit(ask, {} as never, { id: 'a' })
      await expect.poll(() => told.at(-1)?.body.type, { interval: 5 }).toBe('chat.question')
      await host.cancel('a')
      await expect.poll(() => told.length, { interval: 5 }).toBe(2 * n)
      await host.delete('a')
    }
    const types = told.map(({ body }) => body.type)
    expect(types).toEqual(['chat.question', 'chat.ended', 'chat.question', 'chat.ended'])
  })

  it('refuses a program that has the name of its own', () => {
    const other = defineChat({ name: 'webhook', version: '2', run: () => null })
    const at = sqlite(':memory:')
    expect(() => createHost({ chats: [other], at, webhooks: {} })).toThrow('`webhook` is the name')
    expect(() => createHost({ chats: [other], at })).not.toThrow()
  })

  it('is told again until it answers well', async () => {
    const { url, told } = await receiver(500, 302)
    const clock = { now: Date.UTC(2026, 0, 1) }
    const { host } = hostWith({ billing: { url, secret: SECRET } }, sqlite(':memory:', { now: () => clock.now }))
    await host.submit(say, 'hi' as never, { id: 'a' })
    for (const count of [1, 2]) {
      await expect.poll(() => told.length, { interval: 5 }).toBe(count)
      const [id] = await noticeIds(host)
      await expect.poll(async () => (await host.get(id!))!.state, { interval: 5 }).toBe('waiting-to-retry')
      const { reason, retry } = (await host.get(id!))!
      expect(reason).toMatch(/at 127\.0\.0\.1:\d+ answered with status (?:500|302)$/u)
      clock.now = retry!.at
    }
    await expect.poll(() => told.length, { interval: 5 }).toBe(3)
    expect(new Set(told.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  it('fails for good where the address is gone', async () => {
    const { url } = await receiver(410)
    const { host } = hostWith({ billing: { url, secret: SECRET } })
    await host.submit(say, 'hi' as never, { id: 'a' })
    await expect.poll(() => noticeIds(host), { interval: 5 }).toHaveLength(1)
    const [id] = await noticeIds(host)
    await expect(host.result(id!)).rejects.toThrow('status 410: it is gone')
    expect(await host.result('a')).toBe('said "hi"')
  })

  it('is told of its tenant and tag only, without content if wished, and of chats that are cancelled', async () => {
    const { url, told } = await receiver()
    const { host } = hostWith({ acme: { url, secret: SECRET, tenant: 'acme', tag: 'x', content: false } })
    await host.submit(say, 'hi' as never, { id: 'a', tenant: 'other', tags: ['x'] })
    await host.submit(say, 'hi' as never, { id: 'b', tenant: 'acme' })
    await Promise.all([host.result('a'), host.result('b')])
    await host.submit(say, 'hi' as never, { id: 'c', tenant: 'acme', tags: ['x'], at: Date.now() + 3_600_000 })
    await host.cancel('c', 'a secret reason')
    await expect.poll(() => told.length, { interval: 5 }).toBe(1)
    expect(told[0]!.body).toMatchObject({ type: 'chat.ended', chat: { id: 'c', state: 'cancelled' } })
    expect(told[0]!.text).not.toContain('secret reason')
  })

  it('is told of a cancelled chat that a worker takes up in that moment', async () => {
    const { url, told } = await receiver()
    const at = sqlite(':memory:')
    const cancel = at.store.cancel.bind(at.store)
    const claimAndCancel = async (id: string, reason: string): Promise<unknown> => {
      await at.store.claim(id, 30)
      return await cancel(id, reason)
    }
    Object.assign(at.store, { cancel: claimAndCancel })
    const { host } = hostWith({ billing: { url, secret: SECRET } }, at)
    const foreign = defineChat({ name: 'foreign', version: '1', run: () => 1 })
    await host.submit(foreign, {}, { id: 'a' })
    await host.cancel('a')
    await expect.poll(() => told.length, { interval: 5 }).toBe(1)
    expect(told[0]!.body).toMatchObject({ type: 'chat.ended', chat: { id: 'a', state: 'cancelled' } })
  })

  it('is told of a chat that was resumed after it had failed, and is cancelled before a worker has it', async () => {
    const { url, told } = await receiver()
    const [at, webhooks] = [sqlite(':memory:'), { billing: { url, secret: SECRET } }]
    const { host, end } = hostWith(webhooks, at)
    await host.submit(broken, {}, { id: 'a' })
    await expect.poll(() => told.length, { interval: 5 }).toBe(1)
    // An address is told again by a worker that finds the notice open.
    const done = async (): Promise<number> => (await host.counts()).find(({ state }) => state === 'done')?.count ?? 0
    await expect.poll(done, { interval: 5 }).toBe(1)
    await end()
    await host.resume('a')
    await host.cancel('a')
    hostWith(webhooks, at)
    await expect.poll(() => told.length, { interval: 5 }).toBe(2)
    expect(told.map(({ body }) => body.chat.state)).toEqual(['failed', 'cancelled'])
  })

  it('is asked by one notice at a time if its address is silent, so that it holds up no other', async () => {
    let requests = 0
    const server = createServer(() => void requests++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stops.push(async () => server.close().closeAllConnections())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { host } = hostWith({ desk: { url, secret: SECRET, timeout: 0.1 } })
    const ids = Array.from({ length: 30 }, (_, n) => `${n}`)
    await Promise.all(ids.map((id) => host.submit(say, 'hi' as never, { id })))
    const waiting = async (): Promise<number> => {
      const counts = await host.counts()
      return counts.find(({ state }) => state === 'waiting-to-retry')?.count ?? 0
    }
    await expect.poll(waiting, { interval: 5, timeout: 5000 }).toBe(30)
    expect(requests).toBeLessThan(30)
  })

  it('is told after a crash between the notice and the end, once and of the true end', async () => {
    const { url, told } = await receiver()
    const at = sqlite(':memory:')
    const webhooks = { billing: { url, secret: SECRET } }
    let isLost = true
    const store = new Proxy(at.store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
        if (name !== 'finish') return method.bind(target)
        return async (claim: { id: string }, ...rest: unknown[]) => {
          if (claim.id === 'a' && isLost) throw new Error('the process is gone')
          return await method.apply(target, [claim, ...rest])
        }
      },
    })
    const first = createHost({ chats: [say], at: { ...at, store, close() {} }, webhooks })
    const stop = new AbortController()
    const work = first.work({ signal: stop.signal, lease: 0.05, onError() {} })
    await first.submit(say, 'hi' as never, { id: 'a' })
    await expect.poll(async () => await noticeIds(first), { interval: 5 }).not.toHaveLength(0)
    isLost = false
    expect(await first.result('a')).toBe('said "hi"')
    await expect.poll(() => told.length, { interval: 5 }).toBe(1)
    for (const id of await noticeIds(first)) await first.result(id)
    expect(told).toHaveLength(1)
    stop.abort()
    await work
  })

  it.each([
    [{ x: { secret: SECRET } }, 'it has no `url`'],
    [{ x: { url: 'https://a.example' } }, 'it has no `secret`'],
    [{ x: { url: 'ftp://a.example', secret: SECRET } }, '`url`'],
    [{ x: { url: 'https://a.example', secret: 'short' } }, '`secret`'],
    [{ x: { url: `https://me:${SECRET}@a.example`, secret: SECRET } }, 'without a name and a password'],
    [{ x: { url: 'https://a.example', secret: SECRET, on: ['end'] } }, '`on`'],
    [{ 'a b': { url: 'https://a.example', secret: SECRET } }, 'its name'],
  ])('is refused where it is wrong, without its secret: %j', (webhooks, problem) => {
    const make = (): Host => createHost({ chats: [], at: sqlite(':memory:'), webhooks: webhooks as never })
    expect(make).toThrow(problem)
    expect(make).not.toThrow(SECRET)
  })
})
