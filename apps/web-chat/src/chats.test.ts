import { isDeepStrictEqual } from 'node:util'
import { sqlite } from '@x/host'
import type { ChatStore } from '@x/interfaces'
import { expect, it } from 'vitest'
import type { Change } from './change.ts'
import { createChatHost } from './chat-host.ts'
import { ChatIds, turnId } from './chat-ids.ts'
import { forgetChats } from './chat-reader.ts'
import { Chats, MAX_LISTED_CHATS } from './chats.ts'
import { fastAgents, until } from './example-server.fake.ts'

/** A host with many chats of two turns, of which the first have ended; it counts the listed turns. */
async function manyChats(count: number, ended: number) {
  const memory = sqlite(':memory:')
  const seen = { read: 0 }
  const list = async (query: Parameters<ChatStore['list']>[0]) => {
    const found = await memory.store.list(query)
    seen.read += found.length
    return found
  }
  const store = new Proxy(memory.store, {
    get: (its, name) => (name === 'list' ? list : Reflect.get(its, name, its).bind(its)),
  })
  const at = new Proxy(memory, {
    get: (its, name) => (name === 'store' ? store : Reflect.get(its, name, its)),
  })
  const host = createChatHost(at, fastAgents().agents)
  const ids: string[] = []
  let now = 1_000_000
  const made = new ChatIds('secret', () => now++)
  for (let chat = 0; chat < count; chat++) {
    const id = made.create('assistant')
    ids.push(id)
    for (let turn = 0; turn < 2; turn++) {
      const input = { chat: id, turn, text: `chat ${chat}, turn ${turn}` }
      await host.host.submit(host.programs.assistant, input, { id: turnId(id, turn) })
      if (chat < ended) await host.host.cancel(turnId(id, turn))
    }
  }
  const told: Change[] = []
  const chats = new Chats({ host, ids: made, tell: (_, change) => void told.push(change) })
  return { host, ids, seen, told, chats }
}

it('reads the newest chats, and older ones on request, page by page', async () => {
  const { chats, ids, seen } = await manyChats(100, 100)
  seen.read = 0
  await chats.open()
  expect(chats.list.chats.map(({ id }) => id).toSorted()).toEqual(ids.slice(-MAX_LISTED_CHATS).toSorted())
  expect(chats.list.chats[0]).toMatchObject({
    title: expect.stringMatching(/^chat \d+, turn 0$/u) as string,
    busy: false,
  })
  expect(seen.read).toBeLessThan(4 * MAX_LISTED_CHATS)
  const older: string[] = []
  for (let after = chats.list.older; after !== null;) {
    const page = await chats.older(after)
    expect(page.chats.length).toBeLessThanOrEqual(MAX_LISTED_CHATS)
    older.push(...page.chats.map(({ id }) => id))
    after = page.older
  }
  expect(older.toSorted()).toEqual(ids.slice(0, -MAX_LISTED_CHATS).toSorted())
  await chats.close()
})

it('lists every open chat, however old, and moves a changed chat to the top', async () => {
  const { chats, ids, host, told } = await manyChats(60, 60)
  const text = 'Are you still there?'
  const say = async (id: string, turn: number): Promise<unknown> =>
    await host.host.submit(host.programs.assistant, { chat: id, turn, text }, { id: turnId(id, turn) })
  await say(ids[0]!, 2)
  await chats.open()
  expect(chats.list.chats).toHaveLength(MAX_LISTED_CHATS)
  expect(chats.list.chats[0]).toMatchObject({ id: ids[0], title: 'chat 0, turn 0', busy: true })
  await say(ids[1]!, 2)
  await until(() => chats.list.chats[0]!.id === ids[1])
  await host.host.cancel(turnId(ids[1]!, 2))
  await until(() => chats.list.chats.some(({ id, busy }) => id === ids[1] && !busy))
  await until(() => isDeepStrictEqual(told.at(-1), { type: 'chats', ...chats.list }))
  await chats.close()
})

it('forgets chats whose last turn has ended long ago, and no other', async () => {
  const { host, ids } = await manyChats(120, 110)
  const turnsOf = async (id: string): Promise<number> =>
    (await Promise.all([0, 1].map((turn) => host.host.get(turnId(id, turn))))).filter(Boolean).length
  expect(await forgetChats(host, Date.now() - 60_000)).toBe(0)
  expect(await forgetChats(host, Date.now() + 60_000)).toBe(110)
  expect(await Promise.all(ids.map(turnsOf))).toEqual(ids.map((_, chat) => (chat < 110 ? 0 : 2)))
})
