import type { ChatStore } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { CHAT_KIND, claimChat, LATER_KIND, LEASE_SECONDS, submitChat, type StoreCheck } from './hosting-contract.ts'

type SubmittedQuery = NonNullable<Parameters<ChatStore['list']>[0]['submitted']>

const HOUR_MS = 3_600_000

/** Checks chats that are suspended until a time. */
export function checkTimes(check: StoreCheck, expect: ContractRunner['expect']): void {
  check('tells the time of a claim', async (store) => {
    const { submittedAt } = await submitChat(store, 'a')
    const { now } = await claimChat(store, 'a')
    expect(now - submittedAt >= 0 && now - submittedAt < HOUR_MS).toBe(true)
  })

  check('runs a suspended chat again when its time has come', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    const slept = await store.suspend(claim, 0, claim.now)
    expect(slept).toMatchObject({ state: 'suspended', turn: 1, wakesAt: claim.now })
    expect((await store.due([CHAT_KIND], 10)).map(({ id }) => id)).toEqual(['a'])
    const again = await claimChat(store, 'a')
    expect(again).toMatchObject({ state: 'running', wakesAt: null, takenOver: false, setbacks: 0 })
    expect(await store.suspend(again, 0)).toMatchObject({ state: 'suspended', wakesAt: null })
    expect(await store.claim('a', LEASE_SECONDS)).toBe(null)
  })

  check('lets a chat sleep until its time, and be woken before', async (store) => {
    for (const id of ['a', 'b', 'c']) await submitChat(store, id)
    for (const id of ['a', 'b', 'c']) {
      const claim = await claimChat(store, id)
      await store.suspend(claim, 0, claim.now + HOUR_MS)
      expect(await store.claim(id, LEASE_SECONDS)).toBe(null)
    }
    expect(await store.due([CHAT_KIND], 10)).toEqual([])
    expect((await store.list({ limit: 9, state: 'suspended' })).every(({ wakesAt }) => wakesAt !== null)).toBe(true)
    expect(await store.send('a', 'hello')).toMatchObject({ state: 'waiting', turn: 2, wakesAt: null })
    expect(await claimChat(store, 'a')).toMatchObject({ messages: ['hello'] })
    expect(await store.cancel('b', 'enough')).toMatchObject({ state: 'cancelled', wakesAt: null })
    expect(await store.due([CHAT_KIND], 10)).toEqual([])
    expect(await store.get('c')).toMatchObject({ state: 'suspended', reason: null })
  })

  check('does not sleep over a message that came while the chat ran', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    await store.send('a', 'hello')
    expect(await store.suspend(claim, claim.heard, claim.now + HOUR_MS)).toMatchObject({
      ...{ state: 'waiting', wakesAt: null },
    })
    expect(await claimChat(store, 'a')).toMatchObject({ messages: ['hello'] })
  })
}

/** Checks tags, tenants, priorities, and lists of chats by their submission. */
export function checkSubmitted(check: StoreCheck, expect: ContractRunner['expect']): void {
  check('keeps tags, tenant and priority of a chat', async (store) => {
    const labels = { tags: ['refund', 'ä:b'], tenant: 'acme', priority: 'high' } as const
    const { chat } = await store.submit({ id: 'a', ...CHAT_KIND, input: null, ...labels })
    expect(chat).toMatchObject(labels)
    expect(await store.get('a')).toMatchObject(labels)
    expect(await claimChat(store, 'a')).toMatchObject(labels)
    expect(await submitChat(store, 'b')).toMatchObject({ tags: [], tenant: null, priority: 'normal' })
  })

  check('lists chats that are due by their priority', async (store) => {
    for (const priority of ['low', 'normal', 'high'] as const)
      await store.submit({ id: priority, ...CHAT_KIND, input: null, priority })
    expect((await store.due([CHAT_KIND], 9)).map(({ id }) => id)).toEqual(['high', 'normal', 'low'])
    expect((await store.due([CHAT_KIND], 1)).map(({ id }) => id)).toEqual(['high'])
  })

  check('lists chats by their submission, in parts', async (store) => {
    const chats = [
      { id: 'd', tags: ['x'], tenant: 'acme' },
      { id: 'b', tags: ['x', 'y'], tenant: 'acme' },
      { id: 'c', tags: ['y'], tenant: 'other' },
      { id: 'a', tenant: 'acme' },
    ]
    for (const chat of chats) await submitLater(store, chat)
    await store.submit({ id: 'part', ...CHAT_KIND, input: null, tenant: 'acme', durable: false })
    const ids = async (query: Partial<SubmittedQuery>, more: object = {}): Promise<string> =>
      (await listAll(store, { order: 'oldest', ...query }, more)).join('')
    expect(await ids({})).toBe('dbca')
    expect(await ids({ order: 'newest' })).toBe('acbd')
    expect(await ids({ tag: 'x' })).toBe('db')
    expect(await ids({ tag: 'y', order: 'newest' })).toBe('cb')
    expect(await ids({ tag: 'y', tenant: 'acme' })).toBe('b')
    expect(await ids({ tenant: 'acme' })).toBe('dba')
    expect(await ids({ tenant: 'acme', tag: 'none' })).toBe('')
    await store.cancel('b', 'enough')
    expect(await ids({ tenant: 'acme' }, { state: 'waiting' })).toBe('da')
    expect(await ids({ tag: 'x' }, { state: 'cancelled', kind: CHAT_KIND })).toBe('b')
    expect(await ids({}, { kind: LATER_KIND })).toBe('')
    const { submittedAt } = (await store.get('c'))!
    expect(await ids({ since: submittedAt })).toBe('ca')
    expect(await ids({ until: submittedAt })).toBe('db')
    expect(await ids({ since: submittedAt, until: submittedAt, order: 'newest' })).toBe('')
    await store.delete('b')
    expect(await ids({ tag: 'x', order: 'newest' })).toBe('d')
    expect(await ids({})).toBe('dca')
  })

  check('lists chats of one moment in parts, each once', async (store) => {
    const all = Array.from({ length: 30 }, (_, n) => `chat-${String(n).padStart(2, '0')}`)
    await Promise.all(all.map(async (id) => await store.submit({ id, ...CHAT_KIND, input: null, tags: ['t'] })))
    for (const order of ['newest', 'oldest'] as const) {
      for (const tag of ['t', undefined]) {
        expect((await listAll(store, { order, tag }, {}, 4)).toSorted()).toEqual(all)
      }
    }
  })
}

/** Submits a chat at a later time than the one before. Times of a store are whole milliseconds. */
async function submitLater(store: ChatStore, chat: { readonly id: string }): Promise<void> {
  const last = async (): Promise<number> =>
    Math.max(0, ...(await store.list({ limit: 9 })).map(({ submittedAt }) => submittedAt))
  const before = await last()
  for (;;) {
    const added = await store.submit({ ...chat, ...CHAT_KIND, input: null })
    if (added.chat.submittedAt > before) return
    await store.cancel(chat.id, 'not yet')
    await store.delete(chat.id)
  }
}

async function listAll(store: ChatStore, query: SubmittedQuery, more: object, limit = 2): Promise<readonly string[]> {
  const ids: string[] = []
  for (let after: string | undefined, time: number | undefined; ;) {
    const page = await store.list({ ...more, limit, after, submitted: { ...query, after: time } })
    ids.push(...page.map(({ id }) => id))
    after = page.at(-1)?.id
    time = page.at(-1)?.submittedAt
    // A list that gives the last chat again has no end.
    if (page.length < limit || ids.length > 100) return ids
  }
}
