import type { HostedChat } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { clerkChat } from './clerk.fake.ts'
import { inState } from './clocked-host.fake.ts'
import { createHost, defineChat, type Host, sqlite } from './index.ts'

const note = defineChat<never, null>({ name: 'note', version: '1', run: () => null })
const other = defineChat<never, null>({ name: 'other', version: '1', run: () => null })

/** A host with ten chats, a second apart: every third of them of a tenant, every second with a tag. */
async function hostOfTen(): Promise<{ host: Host; begin: number }> {
  const clock = { now: Date.UTC(2026, 0, 1) }
  const begin = clock.now
  const host = createHost({ chats: [note, other], at: sqlite(':memory:', { now: () => clock.now }) })
  for (let n = 0; n < 10; n++) {
    await host.submit(n === 4 ? other : note, {} as never, {
      ...{
        id: `chat-${n}`,
        tenant: n % 3 === 0 ? 'acme' : undefined,
        tags: n % 2 === 0 ? ['even', 'all', 'even'] : ['all'],
      },
    })
    clock.now += 1000
  }
  return { host, begin }
}

async function idsOf(host: Host, options: Parameters<Host['list']>[0]): Promise<string> {
  const ids: string[] = []
  for await (const { id } of host.list(options)) ids.push(id.slice('chat-'.length))
  return ids.join('')
}

it('lists the pending approvals of one tenant or chat', async () => {
  const clerk = clerkChat()
  const helper = { ...clerk, name: 'helper', concurrency: 1 }
  const asks = defineChat({
    name: 'asks',
    version: '1',
    run: async ({ perform }) => await perform(helper as never, { order: 'p', euros: 25 }),
  })
  const host = createHost({ chats: [clerk, asks, helper] as never, at: sqlite(':memory:') })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  for (const [id, tenant] of [['a', 'acme'], ['b', 'other'], ['c', 'acme'], ['d']] as const) {
    await host.submit(clerk, { order: id, euros: 25 }, { id, tenant })
    await inState(host, 'suspended', id)
  }
  const pendingOf = async (options: Parameters<Host['pending']>[0]): Promise<string> => {
    let ids = ''
    for await (const { chat } of host.pending(options)) ids += chat
    return ids
  }
  expect(await pendingOf({})).toBe('abcd')
  expect(await pendingOf({ tenant: 'acme' })).toBe('ac')
  expect(await pendingOf({ tenant: 'acme', agent: 'clerk' })).toBe('ac')
  expect(await pendingOf({ tenant: 'acme', agent: 'somebody' })).toBe('')
  expect(await pendingOf({ tenant: 'nobody' })).toBe('')
  expect(await pendingOf({ chat: 'a' })).toBe('a')
  expect(await pendingOf({ chat: 'a', tenant: 'other' })).toBe('')
  expect(await pendingOf({ chat: 'unknown' })).toBe('')
  await host.cancel('a')
  expect(await pendingOf({ chat: 'a' })).toBe('')
  // A part has no tenant of its own.
  await host.submit(asks, {}, { id: 'p', tenant: 'parts' })
  await expect.poll(async () => await pendingOf({ tenant: 'parts' }), { interval: 2 }).toMatch(/^p\/part-/u)
  stop.abort()
  await work
  await host.close()
})

describe('a list of chats', () => {
  it('is of a tenant, a tag, a time or a program, the newest first', async () => {
    const { host, begin } = await hostOfTen()
    expect(await idsOf(host, {})).toBe('0123456789')
    expect(await idsOf(host, { order: 'newest' })).toBe('9876543210')
    expect(await idsOf(host, { tenant: 'acme' })).toBe('9630')
    expect(await idsOf(host, { tag: 'even', order: 'oldest' })).toBe('02468')
    expect(await idsOf(host, { tag: 'even', tenant: 'acme' })).toBe('60')
    expect(await idsOf(host, { since: new Date(begin + 3000), until: begin + 6000 })).toBe('543')
    expect(await idsOf(host, { tag: 'all', chat: other })).toBe('4')
    expect(await idsOf(host, { tag: 'all', state: 'done' })).toBe('')
    expect(await idsOf(host, { tenant: 'nobody' })).toBe('')
    await host.close()
  })

  it('comes in pages, each behind the last chat of the one before', async () => {
    const { host } = await hostOfTen()
    for (const order of [undefined, 'newest', 'oldest'] as const) {
      const seen: string[] = []
      for (let after: HostedChat | undefined; ;) {
        const page: HostedChat[] = []
        for await (const chat of host.list({ order, after, limit: 4 })) page.push(chat)
        seen.push(...page.map(({ id }) => id))
        if (page.length < 4) break
        after = page.at(-1)
      }
      const all = Array.from({ length: 10 }, (_, n) => `chat-${n}`)
      expect(seen).toEqual(order === 'newest' ? all.toReversed() : all)
    }
    await host.close()
  })

  it.each([
    [{ tags: ['x'.repeat(101)] }, '`tags`'],
    [{ tags: 'x' }, '`tags`'],
    [{ tags: Array.from({ length: 21 }, String) }, '`tags`'],
    [{ tenant: '' }, '`tenant`'],
    [{ priority: 5 }, '`priority`'],
  ])('refuses wrong labels at once: %j', async (labels, problem) => {
    const host = createHost({ chats: [note], at: sqlite(':memory:') })
    await expect(host.submit(note, {} as never, labels as never)).rejects.toThrow(problem)
    await expect(async () => await idsOf(host, { limit: 0 })).rejects.toThrow('`limit`')
    await host.close()
  })

  it('says what an identifier and its labels must not hold', async () => {
    const host = createHost({ chats: [note], at: sqlite(':memory:') })
    for (const labels of [{ id: 'a\0' }, { tenant: 'a\0' }, { tags: ['\ud83d'] }])
      await expect(host.submit(note, {} as never, labels)).rejects.toThrow('without NUL and lone surrogates')
    await host.close()
  })

  it('hands no chat of a tenant to another that submits its identifier', async () => {
    const host = createHost({ chats: [note], at: sqlite(':memory:') })
    const submit = async (id: string, tenant?: string): Promise<HostedChat> =>
      await host.submit(note, {} as never, { id, tenant })
    await submit('order-1', 'acme')
    await submit('order-2')
    expect((await submit('order-1', 'acme')).tenant).toBe('acme')
    for (const [id, tenant] of [['order-1', 'other'], ['order-2', 'other'], ['order-1']] as const) {
      await expect(submit(id, tenant)).rejects.toMatchObject({
        code: 'invalid-state',
        message: `cannot submit a chat: \`${id}\` exists with another tenant; give another \`id\``,
      })
    }
    await host.close()
  })
})
