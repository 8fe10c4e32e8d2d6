import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ConversableAgent, tool } from '@x/agent'
import { createHost, defineChat, sqlite, type ChatRun, type DefinedChat, type Host } from '@x/host'
import type { ConfigEntry } from '@x/interfaces'
import { ModelWrapper } from '@x/model'
import { createOpenAI } from '@x/provider-openai'
import { beam, modelParts, search } from '@x/reasoning'
import { startBatchServer, type BatchServer } from '@x/testing/wire'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A vendor that never comes to an answer. */
async function startVendor(): Promise<BatchServer> {
  const server = await startBatchServer({ vendor: 'openai', polls: Infinity, createdAt: 1 })
  closing.push(async () => await server.close())
  return server
}

function modelAt({ url }: BatchServer, more: ConfigEntry = { batch: true }): ModelWrapper {
  const clock = { sleep: async () => await new Promise<void>(setImmediate), random: () => 0.5 }
  const entry = { model: 'gpt-5-mini', apiType: 'openai', baseUrl: url, apiKey: 'k', maxRetries: 0 }
  return new ModelWrapper({
    ...{ providers: [createOpenAI({ clock })], cacheSeed: null, io: { send: () => {}, input: () => '' } },
    configList: [{ ...entry, ...more }],
  })
}

/** A host at a store, with a worker. */
function startHost(chats: readonly DefinedChat<Input>[], at = sqlite(':memory:')): Host {
  const host = createHost({ chats, at })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  closing.push(async () => {
    stop.abort()
    await work
    await host.close()
  })
  return host
}

const question = (text = 'How long?'): { messages: { role: 'user'; content: string }[] } => ({
  messages: [{ role: 'user', content: text }],
})

type Input = Readonly<Record<string, unknown>>

type Program = (chat: ChatRun<Input>) => Promise<unknown>

const program = (run: Program, name = 'ask'): DefinedChat<Input> =>
  defineChat<Input>({ name, version: '1', concurrency: 2, run })

const isAsleep = async (host: Host, id: string): Promise<boolean> => {
  const chat = await host.get(id)
  return chat?.state === 'suspended' && chat.wakesAt !== null
}

async function idsIn(host: Host, options?: Parameters<Host['list']>[0]): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of host.list(options)) ids.push(id)
  return ids
}

/** True until a worker has cancelled at the vendor what it does for a chat. */
const isCancelling = async (host: Host, id: string): Promise<boolean> =>
  (await idsIn(host)).some((each) => each.startsWith(`${id}/cancel-`))

/** Number of requests outside of batches. */
const plainRequests = ({ requests }: BatchServer): number =>
  requests.filter(({ path }) => path.endsWith('/chat/completions')).length

const cancelledIn = ({ batches }: BatchServer): readonly boolean[] => batches.map(({ isCancelled }) => isCancelled)

/** Programs that wait for an answer that a vendor works on. */
const WAITING: readonly [string, (server: BatchServer, chat: ChatRun<Input>) => Promise<unknown>][] = [
  ['one call in a batch', async (server, { run }) => await modelAt(server).create(question(), { run })],
  [
    'calls side by side that share a batch',
    async (server, { run }) => {
      const model = modelAt(server)
      return await Promise.all(['a', 'b', 'c'].map(async (text) => await model.create(question(text), { run })))
    },
  ],
  [
    'an answer in the background',
    async (server, { run }) =>
      await modelAt(server, { api: 'responses', background: true }).create(question(), { run }),
  ],
  [
    'a batch of the program',
    async (server, { run, sleep }) => await modelAt(server).batch([question('a'), question('b')], { run, sleep }),
  ],
  [
    'the steps of a search',
    async (server, { run }) => {
      const parts = modelParts({ model: modelAt(server) })
      return await search('Which number is best?', { ...parts, method: beam({ maxDepth: 2 }), run })
    },
  ],
]

describe('cancelling a hosted chat', () => {
  it.each(WAITING)('that waits for %s cancels that at the vendor', async (_, ask) => {
    const server = await startVendor()
    const asking = program(async (chat) => await ask(server, chat))
    const host = startHost([asking])
    await host.submit(asking, {}, { id: 'a' })
    await expect.poll(async () => await isAsleep(host, 'a'), { interval: 2 }).toBe(true)
    await host.cancel('a')
    expect((await host.get('a'))!.state).toBe('cancelled')
    await expect.poll(async () => await isCancelling(host, 'a'), { interval: 2 }).toBe(false)
    expect(cancelledIn(server)).toEqual([true])
  })

  it('reaches the vendor from any process, once a worker has its program', async () => {
    const server = await startVendor()
    const file = join(mkdtempSync(join(tmpdir(), 'cancelled-')), 'chats.sqlite')
    closing.push(async () => rmSync(dirname(file), { recursive: true }))
    const asking = program(async ({ run }) => await modelAt(server).create(question(), { run }))
    const first = startHost([asking], sqlite(file))
    await first.submit(asking, {}, { id: 'a' })
    await expect.poll(async () => await isAsleep(first, 'a'), { interval: 2 }).toBe(true)
    await closing.pop()!()
    const page = createHost({ chats: [], at: sqlite(file) })
    await page.cancel('a')
    await page.close()
    expect(cancelledIn(server)).toEqual([false])
    const second = startHost([asking], sqlite(file))
    await expect.poll(async () => await isCancelling(second, 'a'), { interval: 2 }).toBe(false)
    expect(cancelledIn(server)).toEqual([true])
  })

  it('reaches the vendor from a part, and from what comes behind the value of one', async () => {
    const server = await startVendor()
    const asking = program(async ({ run }) => await modelAt(server).create(question(), { run }), 'part')
    const adding = program(async () => await Promise.resolve(3), 'sum')
    const whole = program(async ({ run, perform }) => {
      const sum = await perform(adding, {})
      const calls = [perform(asking, {}), modelAt(server).create(question(String(sum)), { run })]
      return await Promise.all(calls)
    })
    const host = startHost([whole, asking, adding])
    await host.submit(whole, {}, { id: 'a' })
    await expect.poll(() => server.batches.length, { interval: 2 }).toBe(2)
    const asleep = async (): Promise<number> => (await idsIn(host, { state: 'suspended' })).length
    await expect.poll(asleep, { interval: 2 }).toBe(1)
    await host.cancel('a')
    await expect.poll(() => cancelledIn(server), { interval: 2 }).toEqual([true, true])
    await expect.poll(() => idsIn(host), { interval: 2 }).toEqual(['a'])
  })

  it('lets a batch go on that other chats wait for, until they are cancelled too', async () => {
    const server = await startVendor()
    const model = modelAt(server)
    const asking = program(async ({ id, run }) => await model.create(question(id), { run }))
    const host = startHost([asking])
    for (const id of ['a', 'b']) await host.submit(asking, {}, { id })
    for (const id of ['a', 'b']) await expect.poll(async () => await isAsleep(host, id), { interval: 2 }).toBe(true)
    expect(server.batches.map(({ requests }) => requests.length)).toEqual([2])
    await host.cancel('a')
    await expect.poll(async () => await isCancelling(host, 'a'), { interval: 2 }).toBe(false)
    expect(cancelledIn(server)).toEqual([false])
    await host.cancel('b')
    await expect.poll(async () => await isCancelling(host, 'b'), { interval: 2 }).toBe(false)
    expect(cancelledIn(server)).toEqual([true])
  })

  it('reaches the vendor where another chat is named after the chat and `cancel`', async () => {
    const server = await startVendor()
    const asking = program(async ({ run }) => await modelAt(server).create(question(), { run }))
    const other = program(async ({ receive }) => await receive(), 'other')
    const host = startHost([asking, other])
    await host.submit(other, {}, { id: 'a/cancel' })
    await host.submit(asking, {}, { id: 'a' })
    await expect.poll(async () => await isAsleep(host, 'a'), { interval: 2 }).toBe(true)
    await host.cancel('a')
    await expect.poll(() => cancelledIn(server), { interval: 2 }).toEqual([true])
    await expect.poll(() => idsIn(host), { interval: 2 }).toEqual(['a', 'a/cancel'])
  })

  it('begins nothing new, whatever the program does about it', async () => {
    const server = await startVendor()
    const effects: string[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      parameters: z.object({}),
      execute: () => effects.push('paid'),
    })
    const clerk = new ConversableAgent({ name: 'clerk' }).use([pay])
    const call = { id: 'c', function: { name: 'pay', arguments: '{}' } }
    const toolCall = { role: 'assistant' as const, content: '', toolCalls: [call] }
    let starts = 0
    const stubborn = program(async ({ run, sleep, receive }) => {
      starts++
      const model = modelAt(server)
      await model.create(question('first'), { run }).catch(() => {})
      for (;;) {
        await Promise.allSettled([
          model.create(question('again'), { run }),
          modelAt(server, {}).create(question('now'), { run }),
          clerk.generateReply({ messages: [toolCall], run }),
          sleep(60),
          receive(),
        ])
      }
    })
    const host = startHost([stubborn])
    await host.submit(stubborn, {}, { id: 'a' })
    await expect.poll(async () => await isAsleep(host, 'a'), { interval: 2 }).toBe(true)
    await host.cancel('a')
    await expect.poll(async () => await isCancelling(host, 'a'), { interval: 2 }).toBe(false)
    expect(cancelledIn(server)).toEqual([true])
    expect(effects).toEqual([])
    expect(starts).toBe(2)
    expect(plainRequests(server)).toBe(0)
  })

  it('begins no other steps of a search', async () => {
    const server = await startVendor()
    const asking = program(async ({ run }) => {
      const [batched, plain] = [{ batch: true }, {}].map((more) => modelParts({ model: modelAt(server, more) }))
      const parts = { ...plain!, proposer: batched!.proposer }
      return await search('Which number is best?', { ...parts, method: beam({ maxDepth: 2 }), run })
    })
    const host = startHost([asking])
    await host.submit(asking, {}, { id: 'a' })
    await expect.poll(async () => await isAsleep(host, 'a'), { interval: 2 }).toBe(true)
    const asked = plainRequests(server)
    await host.cancel('a')
    await expect.poll(async () => await isCancelling(host, 'a'), { interval: 2 }).toBe(false)
    expect(cancelledIn(server)).toEqual([true])
    expect(plainRequests(server)).toBe(asked)
  })

  it('leaves nothing behind where no vendor works for it', async () => {
    const waiting = program(async ({ receive }) => await receive())
    const host = startHost([waiting])
    await host.submit(waiting, {}, { id: 'a' })
    await host.cancel('a')
    expect(await idsIn(host)).toEqual(['a'])
  })
})
