import type { ChatClaim, HostBackend, XEvent } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { CHAT_KIND, decidedEntry, keptEntry, questionEntry, type HostingContract } from './hosting-contract.ts'

/** Adds a test that runs on a new backend, with a claim on the chat `a`. */
type Check = (title: string, use: (backend: HostBackend, claim: ChatClaim) => Promise<void>) => void

/** Checks that a log gives the events of chats in order, from any cursor. */
export function eventLogContract({ describe, test, expect }: ContractRunner, contract: HostingContract): void {
  const check: Check = (title, use) =>
    test(title, async () => {
      const backend = await contract.create()
      try {
        await backend.store.submit({ id: 'a', ...CHAT_KIND, input: null })
        await use(backend, (await backend.store.claim('a', 600))!)
      } finally {
        await backend.close()
      }
    })

  describe(`event log contract: ${contract.name}`, () => {
    checkReading(check, expect)
    checkClaims(check, expect)
    checkCursorsAndFollowers(check, expect)
    checkRevisions(check, expect)
  })
}

/** Checks the order of events, and reading from a cursor. */
function checkReading(check: Check, expect: ContractRunner['expect']): void {
  check('gives events in the order in which they came, from a cursor', async ({ events }, claim) => {
    const all = Array.from({ length: 25 }, (_, n) => warning(`event ${n}`))
    for (let from = 0; from < all.length; from += 10) {
      expect(await events.append(claim, all.slice(from, from + 10))).not.toBe(null)
    }
    const read = await events.read('a', null, 100)
    expect(read.map(({ event }) => event)).toEqual(all)
    expect(new Set(read.map(({ cursor }) => cursor)).size).toBe(25)
    for (const [index, { cursor }] of read.entries()) {
      const rest = await events.read('a', cursor, 100)
      expect(rest).toEqual(read.slice(index + 1))
    }
    expect(await events.read('a', read[3]!.cursor, 2)).toEqual(read.slice(4, 6))
    for (const limit of [1, 2, 100]) {
      const last = await events.readLast('a', limit)
      expect(last.length >= Math.min(limit, 25)).toBe(true)
      expect(last).toEqual(all.slice(-last.length))
    }
    expect(await events.readLast('b', 9)).toEqual([])
  })

  check('reads later events from an earlier cursor', async ({ events }, claim) => {
    await events.append(claim, [warning('one')])
    const [first] = await events.read('a', null, 10)
    expect(await events.read('a', first!.cursor, 10)).toEqual([])
    await events.append(claim, [warning('two')])
    expect((await events.read('a', first!.cursor, 10)).map(({ event }) => event)).toEqual([warning('two')])
  })

  check('keeps the events of chats apart', async ({ events, store }, claim) => {
    await store.submit({ id: 'b', ...CHAT_KIND, input: null })
    const other = (await store.claim('b', 600))!
    await Promise.all([events.append(claim, [warning('of a')]), events.append(other, [warning('of b')])])
    expect((await events.read('a', null, 10)).map(({ event }) => event)).toEqual([warning('of a')])
    await store.finish(claim, { state: 'done', value: 1 })
    await store.delete('a')
    expect(await events.read('a', null, 10)).toEqual([])
    expect((await events.read('b', null, 10)).length).toBe(1)
  })
}

/** Checks which worker may append, and events that come with entries and the end of a chat. */
function checkClaims(check: Check, expect: ContractRunner['expect']): void {
  check('refuses events of a worker whose claim has ended', async ({ events, store }, claim) => {
    await store.release(claim)
    expect(await events.append(claim, [warning('late')])).toBe(null)
    expect(await events.read('a', null, 10)).toEqual([])
    expect(await events.append((await store.claim('a', 600))!, [warning('right')])).not.toBe(null)
  })

  check(
    'splits batches by the limit: of events alone, with an entry, and with the end of the chat',
    async (backend, claim) => {
      const { events, store } = backend
      const all = Array.from({ length: 12 }, (_, n) => warning(`event ${n}`))
      await events.append(claim, all.slice(0, 4))
      expect(await store.append(claim, [keptEntry(0, '1.0', 'kept')], all.slice(4, 7))).not.toBe(null)
      expect(await store.append(claim, [keptEntry(5, '1.1', 'gap')], [warning('refused')])).toBe(null)
      await events.append(claim, all.slice(7, 9))
      expect(await store.finish(claim, { state: 'done', value: 1 }, all.slice(9))).toBe(true)
      expect(await store.finish(claim, { state: 'done', value: 1 }, [warning('late')])).toBe(false)
      for (const limit of [1, 2, 5, 100]) {
        const read: XEvent[] = []
        // A log that gives the event of the cursor again has no end.
        for (let after: string | null | undefined = null; after !== undefined && read.length <= all.length;) {
          const part = await events.read('a', after, limit)
          expect(part.length <= limit).toBe(true)
          read.push(...part.map(({ event }) => event))
          after = part.at(-1)?.cursor
        }
        expect(read).toEqual(all)
      }
    },
  )
}

/** Checks that every change that somebody may wait for gives its chat, and no other, another revision. */
function checkRevisions(check: Check, expect: ContractRunner['expect']): void {
  check('gives a chat another revision with every change', async ({ events, store }, first) => {
    await store.submit({ id: 'b', ...CHAT_KIND, input: null })
    const others = await events.revisions(['b', 'none'])
    expect(others[1]!).toBe(null)
    let claim = first
    const claimAgain = async (): Promise<void> => void (claim = (await store.claim('a', 600))!)
    const changes: readonly (() => unknown)[] = [
      () => events.append(claim, [warning('one')]),
      () => events.append(claim, [warning('two')]),
      () => store.append(claim, [keptEntry(0, '1.0', 'kept')], [warning('three')]),
      () => store.append(claim, [questionEntry(1, '1.1')], [warning('four')]),
      () => store.suspend(claim, 0),
      () => store.decide('a', decidedEntry('1.1'), null),
      claimAgain,
      () => store.suspend(claim, 1),
      () => store.send('a', 'hello'),
      () => store.send('a', 'hello again'),
      claimAgain,
      () => store.release(claim),
      claimAgain,
      () => store.putOff(claim, 'down', { kind: 'server', delay: 0 }),
      claimAgain,
      () => store.finish(claim, FAILED, [warning('five')]),
      () => store.resume('a', 'again'),
      () => store.cancel('a', 'enough'),
    ]
    const seen = new Set(await events.revisions(['a']))
    for (const change of changes) {
      await change()
      const [revision] = await events.revisions(['a'])
      expect(revision).not.toBe(null)
      seen.add(revision!)
    }
    expect(seen.size).toBe(changes.length + 1)
    expect(await events.revisions(['b', 'none'])).toEqual(others)
    await store.delete('a')
    expect(await events.revisions(['none', 'a', 'b'])).toEqual([null, null, others[0]!])
    expect(await events.revisions([])).toEqual([])
  })
}

const FAILED = { state: 'failed', error: { code: null, message: 'down' } } as const

/** Checks invalid cursors, followers, and awkward text. */
function checkCursorsAndFollowers(check: Check, expect: ContractRunner['expect']): void {
  check('refuses invalid cursors', async ({ events }, claim) => {
    await events.append(claim, [warning('one')])
    for (const cursor of ['', 'x', '-', '+', '1 OR 1=1', '1.x', '-1', '9'.repeat(40)]) {
      const refused = await (async () => await events.read('a', cursor, 10))().catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'invalid-argument' })
    }
  })

  check('tells which chats are followed, until the time of the follower ends', async ({ events, store }, claim) => {
    await store.submit({ id: 'b', ...CHAT_KIND, input: null })
    expect(await events.append(claim, [warning('one')])).toEqual({ followed: false })
    expect(await events.followed(['a', 'b', 'c'])).toEqual([])
    await events.follow(['a', 'c'], 600)
    await events.follow([], 600)
    expect(await events.followed(['a', 'b', 'c'])).toEqual(['a'])
    expect(await events.followed([])).toEqual([])
    expect(await events.append(claim, [warning('two')])).toEqual({ followed: true })
    await events.follow(['a'], 0)
    expect(await events.append(claim, [warning('three')])).toEqual({ followed: false })
    // Following creates no chat.
    expect(await store.get('c')).toBe(null)
  })

  check('tells which of a thousand chats are followed', async ({ events, store }) => {
    const ids = Array.from({ length: 1000 }, (_, n) => `many-${n}`)
    await Promise.all(ids.map(async (id) => await store.submit({ id, ...CHAT_KIND, input: null })))
    await events.follow(ids.slice(1), 600)
    expect(new Set(await events.followed(ids))).toEqual(new Set(ids.slice(1)))
    expect(new Set(await events.revisions(ids)).has(null)).toBe(false)
  })

  check('gives text back as it was', async ({ events }, claim) => {
    const event = warning('nul \u0000 half \ud800 👩‍🚀 \r\n')
    await events.append(claim, [event])
    expect(JSON.stringify((await events.read('a', null, 1))[0]!.event)).toBe(JSON.stringify(event))
  })
}

const warning = (text: string): XEvent => ({
  ...{ type: 'warning', runId: 'run', seq: 0, time: 0, chatId: '1', agentPath: null, parentId: null },
  ...{ agent: null, text, topic: 'test' },
})
