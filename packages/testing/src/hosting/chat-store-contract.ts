import type { ChatKind, ChatStore, HostedChat } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { IDS, VALUES } from './awkward-values.ts'
import { decidedEntry, keptEntry, KIND, OTHER_KIND, questionEntry, type HostingContract } from './hosting-contract.ts'

/** Long enough for no claim of a test to end by itself, in seconds. */
const LEASE = 600

/** Checks that a store of chats keeps the promises that a host relies on. */
export function chatStoreContract({ describe, test, expect }: ContractRunner, contract: HostingContract): void {
  const withStore =
    (use: (store: ChatStore) => Promise<void>): (() => Promise<void>) =>
    async () => {
      const backend = await contract.create()
      try {
        await use(backend.store)
      } finally {
        await backend.close()
      }
    }
  const check = (name: string, use: (store: ChatStore) => Promise<void>): void => test(name, withStore(use))
  const submitted = async (store: ChatStore, id: string, at?: number): Promise<HostedChat> =>
    (await store.submit({ id, ...KIND, input: { n: 1 }, at })).chat
  const claimed = async (store: ChatStore, id: string, lease = LEASE) => (await store.claim(id, lease))!

  describe(`chat store contract: ${contract.name}`, () => {
    check('keeps a chat once', async (store) => {
      const first = await store.submit({ id: 'a', ...KIND, input: { n: 1 } })
      const again = await store.submit({ id: 'a', ...OTHER_KIND, input: { n: 2 } })
      expect(first.isNew).toBe(true)
      expect(first.chat).toMatchObject({ id: 'a', ...KIND, input: { n: 1 }, state: 'waiting', epoch: 0, turn: 0 })
      expect(again).toEqual({ chat: first.chat, isNew: false })
      expect(await store.get('a')).toEqual(first.chat)
      expect(await store.get('b')).toBe(null)
    })

    check('keeps a chat once when it is submitted many times at once', async (store) => {
      const all = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => await store.submit({ id: 'a', ...KIND, input: n })),
      )
      expect(all.filter(({ isNew }) => isNew).length).toBe(1)
      expect(new Set(all.map(({ chat }) => chat.input)).size).toBe(1)
    })

    for (const [what, value] of VALUES) {
      check(`gives ${what} back as it was`, async (store) => {
        await store.submit({ id: 'a', ...KIND, input: value })
        const claim = await claimed(store, 'a')
        await store.append(claim, [keptEntry(0, '1.0', value)])
        await store.send('a', value)
        const [entry] = await store.entries('a')
        const text = JSON.stringify(value)
        expect(JSON.stringify(claim.input)).toBe(text)
        expect(JSON.stringify(entry)).toBe(JSON.stringify(keptEntry(0, '1.0', value)))
        await store.release(claim)
        expect(JSON.stringify((await claimed(store, 'a')).messages)).toBe(`[${text}]`)
        await store.finish((await store.get('a'))!, { state: 'done', value })
        expect(JSON.stringify((await store.get('a'))!.outcome)).toBe(`{"state":"done","value":${text}}`)
      })
    }

    check('tells all identifiers apart', async (store) => {
      for (const id of IDS) await store.submit({ id, ...KIND, input: id })
      for (const id of IDS) expect((await store.get(id))!.input).toBe(id)
      expect((await listed(store)).length).toBe(IDS.length)
    })

    check('gives a chat to one worker', async (store) => {
      await submitted(store, 'a')
      const all = await Promise.all(Array.from({ length: 20 }, async () => await store.claim('a', LEASE)))
      const claims = all.filter((claim) => claim !== null)
      expect(claims.length).toBe(1)
      expect(claims[0]).toMatchObject({ id: 'a', state: 'running', entries: [], messages: [], heard: 0 })
      expect(await store.claim('b', LEASE)).toBe(null)
    })

    check('says of a part whether its whole is open', async (store) => {
      for (const id of ['whole', 'a', 'b', 'c', 'd']) await store.submit({ id, ...KIND, input: null })
      expect(await store.claim('a', LEASE)).toMatchObject({ isLeft: false })
      expect(await store.claim('b', LEASE, 'whole')).toMatchObject({ isLeft: false })
      await store.cancel('whole', 'enough')
      expect(await store.claim('c', LEASE, 'whole')).toMatchObject({ isLeft: true })
      await store.delete('whole')
      expect(await store.claim('d', LEASE, 'whole')).toMatchObject({ isLeft: true })
    })

    check(
      'gives a chat to another worker when the time of the first is over, and refuses the first from then on',
      async (store) => {
        await submitted(store, 'a')
        const zombie = await claimed(store, 'a', 0)
        expect(await store.append(zombie, [keptEntry(0, '1.0', 'early')])).toBe(true)
        const claim = await claimed(store, 'a')
        expect(claim.epoch > zombie.epoch).toBe(true)
        expect([zombie.takenOver, claim.takenOver]).toEqual([false, true])
        expect(claim.entries).toEqual([keptEntry(0, '1.0', 'early')])
        expect(await store.append(zombie, [keptEntry(1, '1.1', 'late')])).toBe(false)
        expect(await store.renew([zombie], LEASE)).toEqual([])
        expect(await store.suspend(zombie, 0)).toBe(null)
        expect(await store.release(zombie)).toBe(null)
        expect(await store.finish(zombie, { state: 'done', value: 'late' })).toBe(false)
        expect(await store.finish(claim, { state: 'done', value: 'right' })).toBe(true)
        expect((await store.get('a'))!.outcome).toEqual({ state: 'done', value: 'right' })
        expect(await store.entries('a')).toEqual([keptEntry(0, '1.0', 'early')])
      },
    )

    check('prolongs the claims that hold', async (store) => {
      await submitted(store, 'a')
      await submitted(store, 'b')
      const [a, b] = [await claimed(store, 'a', 0), await claimed(store, 'b', 0)]
      const newer = await claimed(store, 'b')
      expect(await store.renew([a, b], LEASE)).toEqual(['a'])
      expect(await store.claim('a', LEASE)).toBe(null)
      expect(await store.renew([newer], LEASE)).toEqual(['b'])
      expect(await store.renew([], LEASE)).toEqual([])
    })

    check('ends a chat once, and gives it to nobody then', async (store) => {
      await submitted(store, 'a')
      const claim = await claimed(store, 'a')
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, async (_, value) => await store.finish(claim, { state: 'done', value })),
      )
      expect(outcomes.filter(Boolean).length).toBe(1)
      const { outcome, state, endedAt } = (await store.get('a'))!
      expect(outcome).toEqual({ state: 'done', value: outcomes.indexOf(true) })
      expect(state).toBe('done')
      expect(typeof endedAt).toBe('number')
      expect(await store.claim('a', LEASE)).toBe(null)
      expect(await store.append(claim, [keptEntry(0, '1.0', 'late')])).toBe(false)
      expect(await store.decide('a', decidedEntry('1.0'), null)).toBe('ended')
      expect(await store.send('a', 'late')).toBe('ended')
      expect(await store.cancel('a', 'late')).toBe('ended')
    })

    check('does not replace an answer', async (store) => {
      await submitted(store, 'a')
      const claim = await claimed(store, 'a')
      expect(await store.append(claim, [keptEntry(0, '1.0', 'first')])).toBe(true)
      expect(await store.append(claim, [keptEntry(1, '1.0', 'second')])).toBe(false)
      expect(await store.entries('a')).toEqual([keptEntry(0, '1.0', 'first')])
    })

    check('adds several entries in their order, all or none', async (store) => {
      await submitted(store, 'a')
      const claim = await claimed(store, 'a')
      const [one, two] = [keptEntry(0, '1.0', 'one'), questionEntry(1, '1.1')]
      expect(await store.append(claim, [one, two])).toBe(true)
      const [known, next] = [keptEntry(3, '1.0', 'other'), keptEntry(2, '1.2', 'next')]
      expect(await store.append(claim, [next, known])).toBe(false)
      expect(await store.append(claim, [keptEntry(2, '1.3', 'x'), keptEntry(3, '1.3', 'twice')])).toBe(false)
      expect(await store.append(claim, [keptEntry(3, '1.3', 'gap'), keptEntry(4, '1.4', 'gap')])).toBe(false)
      expect(await store.entries('a')).toEqual([one, two])
      expect(await store.append(claim, [next])).toBe(true)
      expect((await store.entries('a')).map(({ seq }) => seq)).toEqual([0, 1, 2])
      expect((await store.pending(null, 10)).map(({ entry }) => entry)).toEqual([two])
    })

    check('leaves no gap in a journal', async (store) => {
      await submitted(store, 'a')
      const claim = await claimed(store, 'a')
      expect(await store.append(claim, [keptEntry(1, '1.1', 'second')])).toBe(false)
      expect(await store.append(claim, [keptEntry(0, '1.0', 'first')])).toBe(true)
      expect(await store.append(claim, [keptEntry(2, '1.2', 'third')])).toBe(false)
      expect(await store.append(claim, [keptEntry(1, '1.1', 'second')])).toBe(true)
      expect((await store.entries('a')).map(({ seq }) => seq)).toEqual([0, 1])
    })

    check('lets a chat wait for a decision, which counts once', async (store) => {
      await submitted(store, 'a')
      const claim = await claimed(store, 'a')
      await store.append(claim, [questionEntry(0, '1.0')])
      expect(await store.suspend(claim, claim.heard)).toMatchObject({ state: 'suspended' })
      expect(await store.claim('a', LEASE)).toBe(null)
      expect((await store.pending(null, 10)).map(({ chat, entry }) => [chat, entry])).toEqual([
        ['a', questionEntry(0, '1.0')],
      ])
      const made = await Promise.all(
        ['ann', 'bob', null].map(async (by) => await store.decide('a', decidedEntry('1.0', by === 'ann'), by)),
      )
      expect(made.filter((each) => each === 'known').length).toBe(2)
      expect(made.find((each) => each !== 'known')).toMatchObject({ state: 'waiting', turn: 1 })
      expect(await store.pending(null, 10)).toEqual([])
      const again = await claimed(store, 'a')
      const winner = ['ann', 'bob', null][made.findIndex((each) => each !== 'known')]!
      expect(again.entries).toEqual([questionEntry(0, '1.0'), decidedEntry('1.0', winner === 'ann')])
      const decisions = await store.decisions('a')
      expect(decisions.map(({ entry, by }) => [entry, by])).toEqual([[decidedEntry('1.0', winner === 'ann'), winner]])
    })

    check('does not lose a decision or message of a chat that still runs', async (store) => {
      for (const id of ['a', 'b']) {
        await submitted(store, id)
        const claim = await claimed(store, id)
        await store.append(claim, [questionEntry(0, '1.0')])
        const heard = id === 'a' ? await store.decide(id, decidedEntry('1.0'), null) : await store.send(id, 'hello')
        expect(heard).toMatchObject({ state: 'running' })
        expect(await store.suspend(claim, claim.heard)).toMatchObject({ state: 'waiting', turn: 1 })
        const again = await claimed(store, id)
        expect([again.entries.length, again.messages]).toEqual(id === 'a' ? [2, []] : [1, ['hello']])
        expect(again.heard).toBe(1)
        expect(await store.suspend(again, again.heard)).toMatchObject({ state: 'suspended' })
      }
    })

    check('wakes a chat by a message', async (store) => {
      await submitted(store, 'a')
      const claim = await claimed(store, 'a')
      await store.suspend(claim, 0)
      expect(await store.send('a', { text: 'one' })).toMatchObject({ state: 'waiting', turn: 1 })
      expect(await store.send('a', 'two')).toMatchObject({ state: 'waiting', turn: 1 })
      expect(await claimed(store, 'a')).toMatchObject({ messages: [{ text: 'one' }, 'two'], heard: 2 })
    })

    check('takes a chat back', async (store) => {
      await submitted(store, 'a')
      const claim = await claimed(store, 'a')
      expect(await store.release(claim)).toMatchObject({ state: 'waiting', turn: 1 })
      expect(await store.append(claim, [keptEntry(0, '1.0', 'late')])).toBe(false)
      expect(await claimed(store, 'a')).toMatchObject({ takenOver: false })
      expect((await store.get('a'))!.epoch > claim.epoch).toBe(true)
    })

    check('takes up a chat later and later whose workers are lost with nothing kept', async (store) => {
      for (const id of ['a', 'b']) await submitted(store, id)
      for (const setbacks of [0, 1, 2, 3]) expect(await claimed(store, 'a', 0)).toMatchObject({ setbacks })
      for (let n = 0; n < 6; n++) {
        const claim = await claimed(store, 'b', 0)
        expect(claim.setbacks).toBe(n === 0 ? 0 : 1)
        await store.append(claim, [keptEntry(n, `1.${n}`, n)])
      }
      expect(await store.claim('a', 0)).toBe(null)
      expect((await store.due([KIND], 10)).map(({ id }) => id)).toEqual(['b'])
      expect(await store.get('a')).toMatchObject({ state: 'running', setbacks: 3, reason: null, damage: null })
    })

    check('puts a chat off, later and later, until it gets on', async (store) => {
      await submitted(store, 'a')
      const first = await claimed(store, 'a')
      const chat = await store.putOff(first, 'it has another program')
      expect(chat).toMatchObject({ state: 'waiting', turn: 1, setbacks: 1, reason: 'it has another program' })
      expect(await store.putOff(first, 'late')).toBe(null)
      await store.putOff(await claimed(store, 'a'), 'again')
      const third = await claimed(store, 'a')
      expect(third).toMatchObject({ setbacks: 2, reason: 'again', takenOver: false })
      await store.append(third, [keptEntry(0, '1.0', 'kept')])
      // What was kept begins the row anew.
      for (const setbacks of [1, 2]) {
        const claim = setbacks === 1 ? third : await claimed(store, 'a')
        expect(await store.putOff(claim, 'again')).toMatchObject({ setbacks })
      }
      const last = (await store.putOff(await claimed(store, 'a'), 'at last'))!
      expect(last).toMatchObject({ setbacks: 3, reason: 'at last' })
      expect(await store.claim('a', LEASE)).toBe(null)
      expect(await store.due([KIND], 10)).toEqual([])
      expect(await store.cancel('a', 'enough')).toMatchObject({ state: 'cancelled' })
    })

    check(
      'forgets setbacks where a chat waits for somebody, and gives back at once what is given back',
      async (store) => {
        await submitted(store, 'a')
        for (const setbacks of [1, 2])
          expect(await store.putOff(await claimed(store, 'a'), 'no')).toMatchObject({ setbacks })
        expect(await store.suspend(await claimed(store, 'a'), 0)).toMatchObject({ setbacks: 0, reason: null })
        await store.send('a', 'hello')
        for (const setbacks of [0, 1, 2, 3]) expect(await claimed(store, 'a', 0)).toMatchObject({ setbacks })
        await submitted(store, 'b')
        for (let n = 0; n < 3; n++) await claimed(store, 'b', 0)
        const claim = await claimed(store, 'b')
        expect(await store.release(claim)).toMatchObject({ state: 'waiting', setbacks: 3 })
        expect(await claimed(store, 'b')).toMatchObject({ setbacks: 3 })
      },
    )

    check('cancels a chat and the claim on it', async (store) => {
      for (const id of ['a', 'b']) await submitted(store, id)
      const claim = await claimed(store, 'a')
      await store.append(claim, [questionEntry(0, '1.0')])
      expect(await store.cancel('a', 'enough')).toMatchObject({ state: 'cancelled' })
      expect(await store.cancel('b', 'enough')).toMatchObject({ outcome: { state: 'cancelled', reason: 'enough' } })
      expect(await store.append(claim, [keptEntry(1, '1.1', 'late')])).toBe(false)
      expect(await store.finish(claim, { state: 'done', value: 1 })).toBe(false)
      expect(await store.claim('b', LEASE)).toBe(null)
      expect(await store.pending(null, 10)).toEqual([])
      expect(await store.due([KIND], 10)).toEqual([])
    })

    check('forgets only chats that have ended, and never mistakes a later one for them', async (store) => {
      await submitted(store, 'a')
      const zombie = await claimed(store, 'a', 0)
      expect(await store.delete('a')).toBe(false)
      const claim = await claimed(store, 'a')
      await store.append(claim, [keptEntry(0, '1.0', 'old')])
      await store.finish(claim, { state: 'done', value: 1 })
      expect(await store.delete('a')).toBe(true)
      expect(await store.delete('a')).toBe(false)
      expect(await store.get('a')).toBe(null)
      expect((await store.submit({ id: 'a', ...KIND, input: 2 })).isNew).toBe(true)
      const fresh = await claimed(store, 'a')
      expect(fresh).toMatchObject({ entries: [], messages: [], input: 2 })
      for (const old of [zombie, claim]) expect(await store.append(old, [keptEntry(0, '1.0', 'late')])).toBe(false)
    })

    check('says what ended long ago', async (store) => {
      for (const id of ['a', 'b', 'c']) await submitted(store, id)
      for (const id of ['a', 'b']) await store.finish(await claimed(store, id), { state: 'done', value: 1 })
      expect(await store.expired(60, 10)).toEqual([])
      expect((await store.expired(0, 10)).map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
      expect((await store.expired(0, 1)).length).toBe(1)
    })

    check('lists chats by state and program, in parts', async (store) => {
      const ids = Array.from({ length: 7 }, (_, n) => `chat-${n}`)
      for (const id of ids) await store.submit({ id, ...(id === 'chat-3' ? OTHER_KIND : KIND), input: null })
      await claimed(store, 'chat-5')
      const two = await store.list({ limit: 2 })
      expect(two.map(({ id }) => id)).toEqual(['chat-0', 'chat-1'])
      expect((await store.list({ limit: 9, after: 'chat-1' })).map(({ id }) => id)).toEqual(ids.slice(2))
      expect((await store.list({ limit: 9, state: 'running' })).map(({ id }) => id)).toEqual(['chat-5'])
      expect((await store.list({ limit: 9, kind: OTHER_KIND })).map(({ id }) => id)).toEqual(['chat-3'])
      expect(
        (await store.list({ limit: 9, kind: KIND, state: 'waiting', after: 'chat-2' })).map(({ id }) => id),
      ).toEqual(['chat-4', 'chat-6'])
      const counts = [...(await store.counts())].map(
        ({ name, version, state, count }) => `${name} ${version} ${state} ${count}`,
      )
      expect(counts.toSorted()).toEqual(['clerk 1 running 1', 'clerk 1 waiting 5', 'clerk 2 waiting 1'])
      expect((await store.counts({ open: true })).length).toBe(3)
      await store.cancel('chat-3', 'enough')
      expect((await store.counts()).find(({ state }) => state === 'cancelled')).toMatchObject({
        ...OTHER_KIND,
        count: 1,
      })
      expect((await store.counts({ open: true })).map(({ version }) => version)).toEqual(['1', '1'])
    })

    check('says what may be claimed now', async (store) => {
      const { submittedAt } = await submitted(store, 'waits')
      await submitted(store, 'late', submittedAt + 3_600_000)
      await submitted(store, 'runs')
      await submitted(store, 'left')
      await store.submit({ id: 'other', ...OTHER_KIND, input: null })
      await claimed(store, 'runs')
      await claimed(store, 'left', 0)
      const due = await store.due([KIND], 10)
      expect(due.map(({ id }) => id).toSorted()).toEqual(['left', 'waits'])
      expect((await store.due([KIND, OTHER_KIND], 10)).length).toBe(3)
      expect((await store.due([KIND, OTHER_KIND], 1)).length).toBe(1)
      expect(await store.due([], 10)).toEqual([])
      expect(await store.claim('late', LEASE)).toBe(null)
      expect((await claimed(store, 'left')).state).toBe('running')
    })

    check('says who waits longest, over programs', async (store) => {
      for (const [id, kind] of [
        ['first', OTHER_KIND],
        ['second', KIND],
        ['third', KIND],
      ] as const) {
        const { submittedAt } = (await store.submit({ id, ...kind, input: null })).chat
        // Times of a store are whole milliseconds.
        while ((await store.submit({ id: `after ${id}`, ...LATER, input: null })).chat.submittedAt === submittedAt) {
          await store.cancel(`after ${id}`, 'not yet')
          await store.delete(`after ${id}`)
        }
      }
      expect((await store.due([KIND, OTHER_KIND], 2)).map(({ id }) => id)).toEqual(['first', 'second'])
      expect((await store.due([KIND, OTHER_KIND], 9)).map(({ id }) => id)).toEqual(['first', 'second', 'third'])
    })

    check('gives pending questions in parts', async (store) => {
      for (const id of ['a', 'b']) {
        await submitted(store, id)
        const claim = await claimed(store, id)
        for (const n of [0, 1, 2]) await store.append(claim, [questionEntry(n, `1.${n}`)])
      }
      const seen: string[] = []
      for (let after: string | null = null; ;) {
        const part = await store.pending(after, 4)
        seen.push(...part.map(({ chat, entry }) => `${chat} ${entry!.place}`))
        if (part.length === 0) break
        after = part.at(-1)!.cursor
      }
      expect(seen.toSorted()).toEqual(['a 1.0', 'a 1.1', 'a 1.2', 'b 1.0', 'b 1.1', 'b 1.2'])
    })
  })
}

/** A program whose chats only pass the time. */
const LATER: ChatKind = { name: 'later', version: '1' }

const listed = async (store: ChatStore): Promise<readonly HostedChat[]> => await store.list({ limit: 1000 })
