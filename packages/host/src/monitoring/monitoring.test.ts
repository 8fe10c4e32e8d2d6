import type { EventBody, HostBackend } from '@x/interfaces'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createHost, defineChat, monitoringHandler, sqlite, type Host } from '../index.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

type AttemptEnd = Extract<EventBody, { type: 'modelAttemptEnd' }>

const attempt = (facts: Partial<AttemptEnd>): AttemptEnd => ({
  ...{ type: 'modelAttemptEnd', agent: null, id: '1', parentId: null, time: 1, ms: 1, outcome: 'ok', error: null },
  ...{ configId: 0, provider: null, endpoint: null, model: 'gpt"5', cached: false, sendings: 1, kind: null },
  ...{ responseId: null, responseModel: null, finishReason: null, firstTokenAt: null, usage: null, cost: null },
  ...facts,
})

const USAGE = { promptTokens: 10, completionTokens: 5, totalTokens: 15 }

/** A chat that emits given events, and waits if asked to. */
const telling = (events: readonly EventBody[], until?: Promise<void>) =>
  defineChat({
    name: 'telling',
    version: '1',
    async run({ run }) {
      for (const event of events) await run.emit(event)
      await until
      return 'done'
    },
  })

function hosted(at: HostBackend, chat = telling([])): Host {
  const host = createHost({ chats: [chat], at })
  stops.push(() => host.close())
  return host
}

function works(host: Host): () => Promise<void> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, onError: () => {} })
  const end = async (): Promise<void> => {
    stop.abort()
    await work
  }
  stops.push(end)
  return end
}

const linesOf = async (host: Host, name: string): Promise<string[]> =>
  (await host.metrics()).split('\n').filter((line) => line.startsWith(name))

describe('the metrics of a host', () => {
  it('count calls by model and result, tokens and money', async () => {
    const chat = telling([
      attempt({ usage: USAGE, cost: 0.25 }),
      attempt({ usage: USAGE, cost: null }),
      attempt({ usage: USAGE, cost: 0.25, cached: true }),
      attempt({ outcome: 'error', kind: 'rate-limit' }),
      attempt({ outcome: 'aborted', usage: USAGE, cost: 0.5 }),
    ])
    const host = hosted(sqlite(':memory:'), chat)
    await host.submit(chat, {}, { id: 'a' })
    works(host)
    await host.result('a')
    expect(await linesOf(host, 'model_calls_total')).toEqual([
      'model_calls_total{model="gpt\\"5",result="ok"} 2',
      'model_calls_total{model="gpt\\"5",result="cached"} 1',
      'model_calls_total{model="gpt\\"5",result="rate-limit"} 1',
      'model_calls_total{model="gpt\\"5",result="aborted"} 1',
    ])
    expect(await linesOf(host, 'model_tokens_total')).toEqual([
      'model_tokens_total{model="gpt\\"5",direction="input"} 30',
      'model_tokens_total{model="gpt\\"5",direction="output"} 15',
    ])
    expect(await linesOf(host, 'model_cost_dollars_total')).toEqual(['model_cost_dollars_total{model="gpt\\"5"} 0.75'])
    expect(await linesOf(host, 'hosted_chat_turns_total')).toEqual([
      'hosted_chat_turns_total{chat="telling",version="1",end="failed"} 0',
      'hosted_chat_turns_total{chat="telling",version="1",end="done"} 1',
    ])
  })

  it('show chats by state, the programs of a worker, and takeovers', async () => {
    const at = sqlite(':memory:')
    const chat = telling([])
    const host = hosted(at, chat)
    for (const id of ['a', 'b']) await host.submit(chat, {}, { id })
    // Claims the chat like a worker that then dies: its lease has expired.
    await at.store.claim('a', 0)
    expect(await linesOf(host, 'hosted_chats')).toEqual([
      'hosted_chats{chat="telling",version="1",state="waiting"} 1',
      'hosted_chats{chat="telling",version="1",state="waiting-to-retry"} 0',
      'hosted_chats{chat="telling",version="1",state="running"} 1',
      'hosted_chats{chat="telling",version="1",state="suspended"} 0',
    ])
    expect(await linesOf(host, 'hosted_worker_takes')).toEqual([])
    works(host)
    await Promise.all(['a', 'b'].map((id) => host.result(id)))
    expect(await linesOf(host, 'hosted_worker_takes')).toEqual(['hosted_worker_takes{chat="telling",version="1"} 1'])
    expect(await linesOf(host, 'hosted_chat_takeovers_total')).toEqual([
      'hosted_chat_takeovers_total{chat="telling",version="1"} 1',
    ])
  })

  it('show how full a worker is, without programs that have a `concurrency` of their own', async () => {
    const gate = Promise.withResolvers<void>()
    const chat = telling([], gate.promise)
    const own = defineChat({ name: 'own', version: '1', concurrency: 5, run: () => gate.promise })
    const tellsOf = async (chats: Parameters<typeof createHost>[0]['chats']): Promise<string[]> => {
      const host = createHost({ chats, at: sqlite(':memory:') })
      stops.push(() => host.close())
      for (const each of chats) await host.submit(each, {} as never)
      works(host)
      const running = async () => (await host.counts()).filter(({ state }) => state === 'running').length
      await expect.poll(running).toBe(chats.length)
      return (await linesOf(host, 'hosted_worker_c')).map((line) => line.replace('hosted_worker_', ''))
    }
    expect(await tellsOf([chat, own])).toEqual(['chats 1', 'concurrency 10'])
    expect(await tellsOf([own])).toEqual(['chats 0', 'concurrency 0'])
    gate.resolve()
  })

  it('have the counters of alarms from the start, because a first value is not an increase', async () => {
    const host = hosted(sqlite(':memory:'))
    works(host)
    for (const name of [
      'hosted_chat_turns_total',
      'hosted_chat_takeovers_total',
      'hosted_worker_errors_total',
      'hosted_worker_reconnects_total',
    ]) {
      const labels = { hosted_chat_turns_total: ',end="failed"', hosted_chat_takeovers_total: '' }[name]
      const of = labels === undefined ? '' : `{chat="telling",version="1"${labels}}`
      expect(await linesOf(host, name)).toEqual([`${name}${of} 0`])
    }
  })

  it('count a cancelled turn as cancelled, here and by another process', async () => {
    const at = sqlite(':memory:')
    const chat = telling([], new Promise(() => {}))
    const [host, other] = [hosted(at, chat), createHost({ chats: [], at })]
    for (const id of ['a', 'b']) await host.submit(chat, {}, { id })
    const end = works(host)
    const running = async () => (await host.counts()).find(({ state }) => state === 'running')?.count
    await expect.poll(running).toBe(2)
    await host.cancel('a')
    await other.cancel('b')
    await end()
    expect(await linesOf(host, 'hosted_chat_turns_total')).toEqual([
      'hosted_chat_turns_total{chat="telling",version="1",end="failed"} 0',
      'hosted_chat_turns_total{chat="telling",version="1",end="cancelled"} 2',
    ])
  })

  it('have the gauges of the program, without those that fail', async () => {
    const host = hosted(sqlite(':memory:'))
    const help = 'What is left.'
    const remove = host.gauge({ name: 'budget_left_dollars', help, labels: { team: 'a' }, read: () => 12.5 })
    host.gauge({ name: 'budget_left_dollars', help, labels: { team: 'b' }, read: async () => 3 })
    host.gauge({ name: 'broken', help, read: () => Promise.reject(new Error('gone')) })
    expect(await linesOf(host, 'b')).toEqual(['budget_left_dollars{team="a"} 12.5', 'budget_left_dollars{team="b"} 3'])
    remove()
    expect(await linesOf(host, 'b')).toEqual(['budget_left_dollars{team="b"} 3'])
    for (const wrong of [
      { name: '1st', help, read: () => 1 },
      { name: 'hosted_chats', help, read: () => 1 },
      { name: 'budget_left_dollars', help, labels: { team: 'b' }, read: () => 1 },
      { name: 'x', help, labels: { 'a-b': 'c' }, read: () => 1 },
      { name: 'x', help, labels: { a: 1 as never }, read: () => 1 },
      { name: 'x', help } as never,
    ]) {
      expect(() => host.gauge(wrong)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    }
  })
})

describe('the health of a host', () => {
  it('is ready while the store answers', async () => {
    const at = sqlite(':memory:')
    const host = hosted(at)
    expect(await host.health()).toEqual({ live: true, ready: true, reasons: [] })
    at.store.get = () => Promise.reject(new Error('gone'))
    at.store.counts = () => Promise.reject(new Error('gone'))
    expect(await host.health()).toEqual({
      live: true,
      ready: false,
      reasons: ['the store (sqlite :memory:) does not answer'],
    })
    expect(await linesOf(host, 'hosted_store_up')).toEqual(['hosted_store_up 0'])
    expect(await linesOf(host, 'hosted_chats')).toEqual([])
    await host.close()
    expect(await host.health()).toMatchObject({ live: false, ready: false })
  })

  it('is not ready without renewals for a lease, and not live if a new process could do better', async () => {
    const at = sqlite(':memory:')
    let renew = async (): Promise<null> => await Promise.reject(new Error('gone'))
    let reconnect = async (): Promise<void> => await Promise.reject(new Error('gone'))
    const host = hosted({ ...at, store: Object.assign(at.store, { get: () => renew() }), reconnect: () => reconnect() })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal, lease: 0.03, onError: () => {} })
    stops.push(async () => {
      stop.abort()
      await work
    })
    const silent = expect.stringMatching(/^the worker has not renewed its claims for \d+ seconds$/u)
    const gone = `the store (${at.name}) does not answer`
    await expect.poll(() => host.health()).toEqual({ live: true, ready: false, reasons: [silent, gone] })
    reconnect = async () => {}
    const stuck = 'the worker cannot renew its claims, though a new connection can write: start it again'
    await expect.poll(() => host.health()).toEqual({ live: false, ready: false, reasons: [stuck, silent, gone] })
    const status = Promise.withResolvers<number>()
    const response = { writeHead: (code: number) => status.resolve(code), end() {} }
    monitoringHandler(host)({ url: '/healthz' }, response)
    expect(await status.promise).toBe(503)
    expect(await linesOf(host, 'hosted_worker_reconnects_total')).not.toEqual(['hosted_worker_reconnects_total 0'])
    renew = async () => null
    await expect.poll(() => host.health()).toEqual({ live: true, ready: true, reasons: [] })
  })

  it('is not ready while it hands its chats over, nor after SIGTERM', async () => {
    const over = Promise.withResolvers<void>()
    const chat = telling([], over.promise)
    const host = hosted(sqlite(':memory:'), chat)
    await host.submit(chat, {}, { id: 'a' })
    const end = works(host)
    while ((await host.get('a'))!.state !== 'running') await new Promise((resolve) => setImmediate(resolve))
    const ended = end()
    expect(await host.health()).toMatchObject({
      live: true,
      ready: false,
      reasons: ['the worker hands its chats over'],
    })
    expect(await linesOf(host, 'hosted_worker_takes')).toEqual([])
    over.resolve()
    await ended
    expect(await host.health()).toMatchObject({ ready: true })
    // Another listener keeps the process running.
    const hear = (): void => {}
    process.on('SIGTERM', hear)
    stops.push(() => process.removeListener('SIGTERM', hear))
    const work = host.work()
    process.emit('SIGTERM')
    await work
    expect(await host.health()).toMatchObject({ live: true, ready: false })
  })
})

describe('a monitoring handler', () => {
  async function served(host: Host): Promise<string> {
    const monitor = monitoringHandler(host)
    const server = createServer((request, response) => {
      if (!monitor(request, response)) response.writeHead(404).end('elsewhere')
    }).listen(0, '127.0.0.1')
    stops.push(() => server.close())
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('answers only its three paths', async () => {
    const at = sqlite(':memory:')
    const host = hosted(at)
    const url = await served(host)
    const ask = async (path: string, method = 'GET'): Promise<[number, string]> => {
      const response = await fetch(url + path, { method })
      return [response.status, await response.text()]
    }
    expect(await ask('/healthz')).toEqual([200, 'live\n'])
    expect(await ask('/readyz?verbose')).toEqual([200, 'ready\n'])
    expect(await ask('/readyz', 'HEAD')).toEqual([200, ''])
    expect(await ask('/metrics', 'POST')).toEqual([405, 'use GET\n'])
    expect(await ask('/metrics')).toEqual([200, await host.metrics()])
    const { headers } = await fetch(`${url}/metrics`)
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    for (const path of ['/', '/metrics/', '/constructor']) expect(await ask(path)).toEqual([404, 'elsewhere'])
    at.store.get = () => Promise.reject(new Error('gone'))
    expect(await ask('/readyz')).toEqual([503, 'the store (sqlite :memory:) does not answer\n'])
    expect(await ask('/healthz')).toEqual([200, 'live\n'])
  })
})
