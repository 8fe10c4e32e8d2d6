import type { ChatKind } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import { checkCheckpoints } from './chat-checkpoints-contract.ts'
import { checkTimes, checkSubmitted } from './chat-times-contract.ts'
import { checkForks, checkReasons, checkResumes, checkRetries } from './chat-failures-contract.ts'
import {
  claimChat,
  decidedEntry,
  LEASE_SECONDS,
  submitChat,
  type StoreCheck as Check,
  keptEntry,
  CHAT_KIND,
  LATER_KIND,
  questionEntry,
  type HostingContract,
} from './hosting-contract.ts'

/** Checks that a store of chats keeps the promises that a host relies on. */
export function chatStoreContract({ describe, test, expect }: ContractRunner, contract: HostingContract): void {
  const check: Check = (title, use) =>
    test(title, async () => {
      const backend = await contract.create()
      try {
        await use(backend.store)
      } finally {
        await backend.close()
      }
    })

  describe(`chat store contract: ${contract.name}`, () => {
    checkSubmission(check, expect)
    checkClaims(check, expect)
    checkRenewal(check, expect)
    checkJournal(check, expect)
    checkWaiting(check, expect)
    checkMessages(check, expect)
    checkSetbacks(check, expect)
    checkRetries(check, expect)
    checkReasons(check, expect)
    checkResumes(check, expect)
    checkForks(check, expect)
    checkCheckpoints(check, expect)
    checkTimes(check, expect)
    checkEnds(check, expect)
    checkLists(check, expect)
    checkQueries(check, expect)
    checkSubmitted(check, expect)
  })
}

/** Checks that chats are kept once, as they were submitted, under any id. */
function checkSubmission(check: Check, expect: ContractRunner['expect']): void {
  check('keeps a chat once', async (store) => {
    const first = await store.submit({ id: 'a', ...CHAT_KIND, input: { n: 1 } })
    const again = await store.submit({ id: 'a', ...LATER_KIND, input: { n: 2 } })
    expect(first.isNew).toBe(true)
    expect(first.chat).toMatchObject({ id: 'a', ...CHAT_KIND, input: { n: 1 }, state: 'waiting', epoch: 0, turn: 0 })
    expect(again).toEqual({ chat: first.chat, isNew: false })
    expect(await store.get('a')).toEqual(first.chat)
    expect(await store.get('b')).toBe(null)
  })

  check('keeps a chat once when it is submitted many times at once', async (store) => {
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => await store.submit({ id: 'a', ...CHAT_KIND, input: n })),
    )
    expect(all.filter(({ isNew }) => isNew).length).toBe(1)
    expect(new Set(all.map(({ chat }) => chat.input)).size).toBe(1)
  })

  for (const [what, value] of AWKWARD_VALUES) {
    check(`gives ${what} back as it was`, async (store) => {
      await store.submit({ id: 'a', ...CHAT_KIND, input: value })
      const claim = await claimChat(store, 'a')
      await store.append(claim, [keptEntry(0, '1.0', value)])
      await store.send('a', value)
      const [entry] = await store.entries('a')
      const text = JSON.stringify(value)
      expect(JSON.stringify(claim.input)).toBe(text)
      expect(JSON.stringify(entry)).toBe(JSON.stringify(keptEntry(0, '1.0', value)))
      await store.release(claim)
      expect(JSON.stringify((await claimChat(store, 'a')).messages)).toBe(`[${text}]`)
      await store.finish((await store.get('a'))!, { state: 'done', value })
      expect(JSON.stringify((await store.get('a'))!.outcome)).toBe(`{"state":"done","value":${text}}`)
    })
  }

  check('gives and keeps copies, so that nobody changes a chat through them', async (store) => {
    const [input, value] = [{ n: 1 }, { n: 1 }]
    const { chat } = await store.submit({ id: 'a', ...CHAT_KIND, input })
    await store.append(await claimChat(store, 'a'), [keptEntry(0, '1.0', value)])
    const read = async (): Promise<unknown[]> => [(await store.get('a'))!.input, (await store.entries('a'))[0]!.value]
    // A frozen object stays as it is, too.
    for (const each of [input, value, chat.input, ...(await read())]) Reflect.set(each as object, 'n', 2)
    expect(await read()).toEqual([{ n: 1 }, { n: 1 }])
  })

  check('tells all identifiers apart', async (store) => {
    for (const id of AWKWARD_IDS) await store.submit({ id, ...CHAT_KIND, input: id })
    for (const id of AWKWARD_IDS) expect((await store.get(id))!.input).toBe(id)
    expect((await store.list({ limit: 1000 })).length).toBe(AWKWARD_IDS.length)
  })
}

/** Checks claims: one worker at a time, until the claim or the chat ends. */
function checkClaims(check: Check, expect: ContractRunner['expect']): void {
  check('gives a chat to one worker', async (store) => {
    await submitChat(store, 'a')
    const all = await Promise.all(Array.from({ length: 20 }, async () => await store.claim('a', LEASE_SECONDS)))
    const claims = all.filter((claim) => claim !== null)
    expect(claims.length).toBe(1)
    expect(claims[0]).toMatchObject({ id: 'a', state: 'running', entries: [], messages: [], heard: 0 })
    expect(await store.claim('b', LEASE_SECONDS)).toBe(null)
  })

  check('tells a part whether its whole is open', async (store) => {
    for (const id of ['whole', 'a', 'b', 'c', 'd']) await store.submit({ id, ...CHAT_KIND, input: null })
    expect(await store.claim('a', LEASE_SECONDS)).toMatchObject({ isLeft: false })
    expect(await store.claim('b', LEASE_SECONDS, 'whole')).toMatchObject({ isLeft: false })
    await store.cancel('whole', 'enough')
    expect(await store.claim('c', LEASE_SECONDS, 'whole')).toMatchObject({ isLeft: true })
    await store.delete('whole')
    expect(await store.claim('d', LEASE_SECONDS, 'whole')).toMatchObject({ isLeft: true })
  })

  check(
    'gives a chat to another worker when the time of the first is over, and refuses the first from then on',
    async (store) => {
      await submitChat(store, 'a')
      const zombie = await claimChat(store, 'a', 0)
      expect(await store.append(zombie, [keptEntry(0, '1.0', 'early')])).not.toBe(null)
      const claim = await claimChat(store, 'a')
      expect(claim.epoch > zombie.epoch).toBe(true)
      expect([zombie.takenOver, claim.takenOver]).toEqual([false, true])
      expect(claim.entries).toEqual([keptEntry(0, '1.0', 'early')])
      expect(await store.append(zombie, [keptEntry(1, '1.1', 'late')])).toBe(null)
      expect(await store.renew([zombie], LEASE_SECONDS)).toEqual([])
      expect(await store.suspend(zombie, 0)).toBe(null)
      expect(await store.release(zombie)).toBe(null)
      expect(await store.finish(zombie, { state: 'done', value: 'late' })).toBe(false)
      expect(await store.finish(claim, { state: 'done', value: 'right' })).toBe(true)
      expect((await store.get('a'))!.outcome).toEqual({ state: 'done', value: 'right' })
      expect(await store.entries('a')).toEqual([keptEntry(0, '1.0', 'early')])
    },
  )
}

/** Checks claims that are renewed, and chats that end. */
function checkRenewal(check: Check, expect: ContractRunner['expect']): void {
  check('renews the claims that hold', async (store) => {
    await submitChat(store, 'a')
    await submitChat(store, 'b')
    const [a, b] = [await claimChat(store, 'a', 0), await claimChat(store, 'b', 0)]
    const newer = await claimChat(store, 'b')
    expect(await store.renew([a, b], LEASE_SECONDS)).toEqual(['a'])
    expect(await store.claim('a', LEASE_SECONDS)).toBe(null)
    expect(await store.renew([newer], LEASE_SECONDS)).toEqual(['b'])
    expect(await store.renew([], LEASE_SECONDS)).toEqual([])
  })

  check('ends a chat once, and gives it to nobody then', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, async (_, value) => await store.finish(claim, { state: 'done', value })),
    )
    expect(outcomes.filter(Boolean).length).toBe(1)
    const { outcome, state, endedAt } = (await store.get('a'))!
    expect(outcome).toEqual({ state: 'done', value: outcomes.indexOf(true) })
    expect(state).toBe('done')
    expect(typeof endedAt).toBe('number')
    expect(await store.claim('a', LEASE_SECONDS)).toBe(null)
    expect(await store.append(claim, [keptEntry(0, '1.0', 'late')])).toBe(null)
    expect(await store.decide('a', decidedEntry('1.0'), null)).toBe('ended')
    expect(await store.send('a', 'late')).toBe('ended')
    expect(await store.cancel('a', 'late')).toBe('ended')
  })
}

/** Checks that journals have no gaps and no second answer. */
function checkJournal(check: Check, expect: ContractRunner['expect']): void {
  check('does not replace an answer', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    expect(await store.append(claim, [keptEntry(0, '1.0', 'first')])).not.toBe(null)
    expect(await store.append(claim, [keptEntry(1, '1.0', 'second')])).toBe(null)
    expect(await store.entries('a')).toEqual([keptEntry(0, '1.0', 'first')])
    // Another kind or name is another entry: a chat waits several times in one place.
    const others = [questionEntry(1, '1.0'), { ...keptEntry(2, '1.0', 'third'), name: 'other' }]
    expect(await store.append(claim, others)).not.toBe(null)
    expect((await store.entries('a')).slice(1)).toEqual(others)
  })

  check('tells with each answer how many messages and decisions have come', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    expect(await store.append(claim, [questionEntry(0, '1.0')])).toEqual({ heard: claim.heard })
    for (const message of ['one', 'two']) await store.send('a', message)
    expect(await store.append(claim, [keptEntry(1, '1.1', 'x')])).toEqual({ heard: claim.heard + 2 })
    expect([await store.messages('a'), await store.messages('a', 1), await store.messages('a', 2)]).toEqual([
      ['"one"', '"two"'],
      ['"two"'],
      [],
    ])
    await store.decide('a', decidedEntry('1.0'), null)
    const { heard } = (await store.append(claim, [keptEntry(2, '1.2', 'x')])) ?? {}
    expect(heard).toBe(claim.heard + 3)
  })

  check('adds several entries in their order, all or none', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    const [one, two] = [keptEntry(0, '1.0', 'one'), questionEntry(1, '1.1')]
    expect(await store.append(claim, [one, two])).not.toBe(null)
    const [known, next] = [keptEntry(3, '1.0', 'other'), keptEntry(2, '1.2', 'next')]
    expect(await store.append(claim, [next, known])).toBe(null)
    expect(await store.append(claim, [keptEntry(2, '1.3', 'x'), keptEntry(3, '1.3', 'twice')])).toBe(null)
    expect(await store.append(claim, [keptEntry(3, '1.3', 'gap'), keptEntry(4, '1.4', 'gap')])).toBe(null)
    expect(await store.entries('a')).toEqual([one, two])
    expect(await store.append(claim, [next])).not.toBe(null)
    expect((await store.entries('a')).map(({ seq }) => seq)).toEqual([0, 1, 2])
    expect((await store.pending(null, 10)).map(({ entry }) => entry)).toEqual([two])
  })

  check('leaves no gap in a journal', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    expect(await store.append(claim, [keptEntry(1, '1.1', 'second')])).toBe(null)
    expect(await store.append(claim, [keptEntry(0, '1.0', 'first')])).not.toBe(null)
    expect(await store.append(claim, [keptEntry(2, '1.2', 'third')])).toBe(null)
    expect(await store.append(claim, [keptEntry(1, '1.1', 'second')])).not.toBe(null)
    expect((await store.entries('a')).map(({ seq }) => seq)).toEqual([0, 1])
  })
}

/** Checks chats that wait for decisions and messages. */
function checkWaiting(check: Check, expect: ContractRunner['expect']): void {
  check('lets a chat wait for a decision, which counts once', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    await store.append(claim, [questionEntry(0, '1.0')])
    expect(await store.suspend(claim, claim.heard)).toMatchObject({ state: 'suspended' })
    expect(await store.claim('a', LEASE_SECONDS)).toBe(null)
    expect((await store.pending(null, 10)).map(({ chat, entry }) => [chat, entry])).toEqual([
      ['a', questionEntry(0, '1.0')],
    ])
    const made = await Promise.all(
      ['ann', 'bob', null].map(async (by) => await store.decide('a', decidedEntry('1.0', by === 'ann'), by)),
    )
    expect(made.filter((each) => each === 'known').length).toBe(2)
    expect(made.find((each) => each !== 'known')).toMatchObject({ state: 'waiting', turn: 1 })
    expect(await store.pending(null, 10)).toEqual([])
    const again = await claimChat(store, 'a')
    const winner = ['ann', 'bob', null][made.findIndex((each) => each !== 'known')]!
    expect(again.entries).toEqual([questionEntry(0, '1.0'), decidedEntry('1.0', winner === 'ann')])
    const decisions = await store.decisions('a')
    expect(decisions.map(({ entry, by }) => [entry, by])).toEqual([[decidedEntry('1.0', winner === 'ann'), winner]])
  })

  check('does not lose a decision or message of a chat that still runs', async (store) => {
    for (const id of ['a', 'b']) {
      await submitChat(store, id)
      const claim = await claimChat(store, id)
      await store.append(claim, [questionEntry(0, '1.0')])
      const heard = id === 'a' ? await store.decide(id, decidedEntry('1.0'), null) : await store.send(id, 'hello')
      expect(heard).toMatchObject({ state: 'running' })
      expect(await store.suspend(claim, claim.heard)).toMatchObject({ state: 'waiting', turn: 1 })
      const again = await claimChat(store, id)
      expect([again.entries.length, again.messages]).toEqual(id === 'a' ? [2, []] : [1, ['hello']])
      expect(again.heard).toBe(1)
      expect(await store.suspend(again, again.heard)).toMatchObject({ state: 'suspended' })
    }
  })
}

/** Checks messages, and claims that are released. */
function checkMessages(check: Check, expect: ContractRunner['expect']): void {
  check('wakes a chat by a message', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    await store.suspend(claim, 0)
    expect(await store.send('a', { text: 'one' })).toMatchObject({ state: 'waiting', turn: 1 })
    expect(await store.send('a', 'two')).toMatchObject({ state: 'waiting', turn: 1 })
    expect(await claimChat(store, 'a')).toMatchObject({ messages: [{ text: 'one' }, 'two'], heard: 2 })
  })

  check('adds a message with a key once, also when it is sent again after the end', async (store) => {
    for (const id of ['a', 'b']) await submitChat(store, id)
    await store.suspend(await claimChat(store, 'a'), 0)
    const sent = await Promise.all(Array.from({ length: 10 }, async () => await store.send('a', { n: 1 }, 'key')))
    const added = sent.filter((each) => each !== 'ended' && 'id' in each)
    expect(added).toMatchObject([{ state: 'waiting', turn: 1 }])
    expect(sent.filter((each) => each !== 'ended' && 'known' in each)).toEqual(
      Array.from({ length: 9 }, () => ({ known: '{"n":1}' })),
    )
    expect(await store.send('a', { n: 2 }, 'key')).toEqual({ known: '{"n":1}' })
    // Keys of another chat, and messages without a key, are others.
    for (const key of ['key', 'KEY', undefined, undefined]) await store.send('b', { n: 1 }, key)
    const claim = await claimChat(store, 'a')
    expect(claim).toMatchObject({ messages: [{ n: 1 }], heard: 1 })
    expect((await claimChat(store, 'b')).messages.length).toBe(4)
    await store.finish(claim, { state: 'done', value: null })
    expect(await store.send('a', { n: 1 }, 'key')).toEqual({ known: '{"n":1}' })
    expect(await store.send('a', { n: 1 }, 'other')).toBe('ended')
    await store.delete('a')
    expect(await store.send('a', { n: 1 }, 'key')).toBe('ended')
  })

  check('takes a released chat back', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    expect(await store.release(claim)).toMatchObject({ state: 'waiting', turn: 1 })
    expect(await store.append(claim, [keptEntry(0, '1.0', 'late')])).toBe(null)
    expect(await claimChat(store, 'a')).toMatchObject({ takenOver: false })
    expect((await store.get('a'))!.epoch > claim.epoch).toBe(true)
  })
}

/** Checks the delays of chats that fail again and again. */
function checkSetbacks(check: Check, expect: ContractRunner['expect']): void {
  check('delays a chat more and more whose workers are lost before they keep an entry', async (store) => {
    for (const id of ['a', 'b']) await submitChat(store, id)
    for (const setbacks of [0, 1, 2, 3]) expect(await claimChat(store, 'a', 0)).toMatchObject({ setbacks })
    for (let n = 0; n < 6; n++) {
      const claim = await claimChat(store, 'b', 0)
      expect(claim.setbacks).toBe(n === 0 ? 0 : 1)
      await store.append(claim, [keptEntry(n, `1.${n}`, n)])
    }
    expect(await store.claim('a', 0)).toBe(null)
    expect((await store.due([CHAT_KIND], 10)).map(({ id }) => id)).toEqual(['b'])
    expect(await store.get('a')).toMatchObject({ state: 'running', setbacks: 3, reason: null, damage: null })
  })

  check('puts a chat off with growing delays until it makes progress', async (store) => {
    await submitChat(store, 'a')
    const first = await claimChat(store, 'a')
    const chat = await store.putOff(first, 'it has another program')
    expect(chat).toMatchObject({ state: 'waiting', turn: 1, setbacks: 1, reason: 'it has another program' })
    expect(await store.putOff(first, 'late')).toBe(null)
    await store.putOff(await claimChat(store, 'a'), 'again')
    const third = await claimChat(store, 'a')
    expect(third).toMatchObject({ setbacks: 2, reason: 'again', takenOver: false })
    await store.append(third, [keptEntry(0, '1.0', 'kept')])
    // A kept entry restarts the count.
    for (const setbacks of [1, 2]) {
      const claim = setbacks === 1 ? third : await claimChat(store, 'a')
      expect(await store.putOff(claim, 'again')).toMatchObject({ setbacks })
    }
    const last = (await store.putOff(await claimChat(store, 'a'), 'at last'))!
    expect(last).toMatchObject({ setbacks: 3, reason: 'at last' })
    expect(await store.claim('a', LEASE_SECONDS)).toBe(null)
    expect(await store.due([CHAT_KIND], 10)).toEqual([])
    expect(await store.cancel('a', 'enough')).toMatchObject({ state: 'cancelled' })
  })

  check('forgets setbacks when a chat waits for somebody, and offers a released chat at once', async (store) => {
    await submitChat(store, 'a')
    for (const setbacks of [1, 2])
      expect(await store.putOff(await claimChat(store, 'a'), 'no')).toMatchObject({ setbacks })
    expect(await store.suspend(await claimChat(store, 'a'), 0)).toMatchObject({ setbacks: 0, reason: null })
    await store.send('a', 'hello')
    for (const setbacks of [0, 1, 2, 3]) expect(await claimChat(store, 'a', 0)).toMatchObject({ setbacks })
    await submitChat(store, 'b')
    for (let n = 0; n < 3; n++) await claimChat(store, 'b', 0)
    const claim = await claimChat(store, 'b')
    expect(await store.release(claim)).toMatchObject({ state: 'waiting', setbacks: 3 })
    expect(await claimChat(store, 'b')).toMatchObject({ setbacks: 3 })
  })
}

/** Checks chats that are cancelled, deleted or expired. */
function checkEnds(check: Check, expect: ContractRunner['expect']): void {
  check('cancels a chat and the claim on it', async (store) => {
    for (const id of ['a', 'b']) await submitChat(store, id)
    const claim = await claimChat(store, 'a')
    await store.append(claim, [questionEntry(0, '1.0')])
    expect(await store.cancel('a', 'enough')).toMatchObject({ state: 'cancelled' })
    expect(await store.cancel('b', 'enough')).toMatchObject({ outcome: { state: 'cancelled', reason: 'enough' } })
    expect(await store.append(claim, [keptEntry(1, '1.1', 'late')])).toBe(null)
    expect(await store.finish(claim, { state: 'done', value: 1 })).toBe(false)
    expect(await store.claim('b', LEASE_SECONDS)).toBe(null)
    expect(await store.pending(null, 10)).toEqual([])
    expect(await store.due([CHAT_KIND], 10)).toEqual([])
  })

  check(
    'deletes only chats that have ended, and refuses their claims for a later chat of the same id',
    async (store) => {
      await submitChat(store, 'a')
      const zombie = await claimChat(store, 'a', 0)
      expect(await store.delete('a')).toBe(false)
      const claim = await claimChat(store, 'a')
      await store.append(claim, [keptEntry(0, '1.0', 'old')])
      await store.finish(claim, { state: 'done', value: 1 })
      expect(await store.delete('a')).toBe(true)
      expect(await store.delete('a')).toBe(false)
      expect([await store.get('a'), await store.entries('a'), await store.messages('a')]).toEqual([null, [], []])
      expect((await store.submit({ id: 'a', ...CHAT_KIND, input: 2 })).isNew).toBe(true)
      const fresh = await claimChat(store, 'a')
      expect(fresh).toMatchObject({ entries: [], messages: [], input: 2 })
      for (const old of [zombie, claim]) expect(await store.append(old, [keptEntry(0, '1.0', 'late')])).toBe(null)
    },
  )

  check('lists chats that ended long ago', async (store) => {
    for (const id of ['a', 'b', 'c']) await submitChat(store, id)
    for (const id of ['a', 'b']) await store.finish(await claimChat(store, id), { state: 'done', value: 1 })
    expect(await store.expired(60, 10)).toEqual([])
    expect((await store.expired(0, 10)).map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
    expect((await store.expired(0, 1)).length).toBe(1)
  })
}

/** Checks lists of chats, of due chats and of pending questions. */
function checkLists(check: Check, expect: ContractRunner['expect']): void {
  check('lists chats by state and program, in parts', async (store) => {
    const ids = Array.from({ length: 7 }, (_, n) => `chat-${n}`)
    for (const id of ids) await store.submit({ id, ...(id === 'chat-3' ? LATER_KIND : CHAT_KIND), input: null })
    await claimChat(store, 'chat-5')
    const two = await store.list({ limit: 2 })
    expect(two.map(({ id }) => id)).toEqual(['chat-0', 'chat-1'])
    expect((await store.list({ limit: 9, after: 'chat-1' })).map(({ id }) => id)).toEqual(ids.slice(2))
    expect((await store.list({ limit: 9, state: 'running' })).map(({ id }) => id)).toEqual(['chat-5'])
    expect((await store.list({ limit: 9, kind: LATER_KIND })).map(({ id }) => id)).toEqual(['chat-3'])
    expect(
      (await store.list({ limit: 9, kind: CHAT_KIND, state: 'waiting', after: 'chat-2' })).map(({ id }) => id),
    ).toEqual(['chat-4', 'chat-6'])
    const counts = [...(await store.counts())].map(
      ({ name, version, state, count }) => `${name} ${version} ${state} ${count}`,
    )
    expect(counts.toSorted()).toEqual(['clerk 1 running 1', 'clerk 1 waiting 5', 'clerk 2 waiting 1'])
    expect((await store.counts({ open: true })).length).toBe(3)
    await store.cancel('chat-3', 'enough')
    expect((await store.counts()).find(({ state }) => state === 'cancelled')).toMatchObject({
      ...LATER_KIND,
      count: 1,
    })
    expect((await store.counts({ open: true })).map(({ version }) => version)).toEqual(['1', '1'])
  })
}

/** Checks the order of due chats, and pending questions in pages. */
function checkQueries(check: Check, expect: ContractRunner['expect']): void {
  check('lists the chats that are due', async (store) => {
    const { submittedAt } = await submitChat(store, 'waits')
    await submitChat(store, 'late', submittedAt + 3_600_000)
    await submitChat(store, 'runs')
    await submitChat(store, 'left')
    await store.submit({ id: 'other', ...LATER_KIND, input: null })
    await claimChat(store, 'runs')
    await claimChat(store, 'left', 0)
    const due = await store.due([CHAT_KIND], 10)
    expect(due.map(({ id }) => id).toSorted()).toEqual(['left', 'waits'])
    expect((await store.due([CHAT_KIND, LATER_KIND], 10)).length).toBe(3)
    expect((await store.due([CHAT_KIND, LATER_KIND], 1)).length).toBe(1)
    expect(await store.due([], 10)).toEqual([])
    expect(await store.claim('late', LEASE_SECONDS)).toBe(null)
    expect((await claimChat(store, 'left')).state).toBe('running')
  })

  check('lists due chats of all programs by their waiting time', async (store) => {
    for (const [id, kind] of [
      ['first', LATER_KIND],
      ['second', CHAT_KIND],
      ['third', CHAT_KIND],
    ] as const) {
      const { submittedAt } = (await store.submit({ id, ...kind, input: null })).chat
      // Times of a store are whole milliseconds.
      while ((await store.submit({ id: `after ${id}`, ...CLOCK_KIND, input: null })).chat.submittedAt === submittedAt) {
        await store.cancel(`after ${id}`, 'not yet')
        await store.delete(`after ${id}`)
      }
    }
    expect((await store.due([CHAT_KIND, LATER_KIND], 2)).map(({ id }) => id)).toEqual(['first', 'second'])
    expect((await store.due([CHAT_KIND, LATER_KIND], 9)).map(({ id }) => id)).toEqual(['first', 'second', 'third'])
  })

  check('gives pending questions in parts', async (store) => {
    for (const id of ['a', 'b']) {
      await submitChat(store, id)
      const claim = await claimChat(store, id)
      for (const n of [0, 1, 2]) await store.append(claim, [questionEntry(n, `1.${n}`)])
    }
    const seen: string[] = []
    // A list that gives the question of the cursor again has no end.
    for (let after: string | null | undefined = null; after !== undefined && seen.length <= 6;) {
      const part = await store.pending(after, 4)
      expect(part.length <= 4).toBe(true)
      seen.push(...part.map(({ chat, entry }) => `${chat} ${entry!.place}`))
      after = part.at(-1)?.cursor
    }
    expect(seen.toSorted()).toEqual(['a 1.0', 'a 1.1', 'a 1.2', 'b 1.0', 'b 1.1', 'b 1.2'])
  })
}

/** A program whose chats only show that time has passed. */
const CLOCK_KIND: ChatKind = { name: 'later', version: '1' }

/** Values that a store changes unless it keeps them as text. */
const AWKWARD_VALUES: readonly (readonly [string, unknown])[] = [
  ['keys out of order', { z: 1, a: { y: 1, b: 2 }, 10: 'ten', 9: 'nine' }],
  ['characters that databases refuse', 'nul \u0000 half \ud800 \u001a end'],
  ['text of every script, and line ends', 'é ß 漢字 👩‍🚀 \u2028 \r\n "\\ \'; --'],
  ['empty lists and objects', { list: [], object: {}, nested: [[], [{}]] }],
  ['numbers', [0, -1, 1e21, 1e-9, 0.1, Number.MAX_SAFE_INTEGER]],
  ['null', null],
  ['a large text', '0123456789'.repeat(20_000)],
]

/** Ids that a store mixes up when it compares, cuts or joins them. */
const AWKWARD_IDS: readonly string[] = [
  'a',
  'A',
  'a/b',
  'a:b',
  'a b',
  'ä',
  'a\u0308',
  '../a',
  '%2e',
  '{a}',
  '*',
  '__proto__',
  'constructor',
  'k'.repeat(200),
]
