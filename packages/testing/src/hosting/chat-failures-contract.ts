import type { HostedChat } from '@x/interfaces'
import type { ContractRunner } from '../contracts/contract-runner.ts'
import {
  CHAT_KIND,
  claimChat,
  decidedEntry,
  keptEntry,
  LEASE_SECONDS,
  questionEntry,
  submitChat,
  type StoreCheck as Check,
} from './hosting-contract.ts'

/** Checks chats that wait to retry after a failure of their program. */
export function checkRetries(check: Check, expect: ContractRunner['expect']): void {
  check('keeps a chat that waits to retry until its time, with the failures in a row', async (store) => {
    for (const id of ['a', 'b']) await submitChat(store, id)
    const first = await claimChat(store, 'a')
    await store.append(first, [keptEntry(0, '1.0', 'kept')])
    const failed = (await store.putOff(first, 'it is busy', { kind: 'overloaded', delay: 600 }))!
    expect(failed).toMatchObject({ state: 'waiting-to-retry', turn: 1, setbacks: 0, reason: 'it is busy' })
    expect(failed.retry).toMatchObject({ kind: 'overloaded', failures: 1 })
    expect(failed.retry!.at - failed.retry!.since).toBe(600_000)
    expect(await store.get('a')).toEqual(failed)
    expect(await store.putOff(first, 'late', { kind: 'server', delay: 0 })).toBe(null)
    expect(await store.claim('a', LEASE_SECONDS)).toBe(null)
    expect((await store.due([CHAT_KIND], 10)).map(({ id }) => id)).toEqual(['b'])
    expect((await store.list({ limit: 9, state: 'waiting-to-retry' })).map(({ id }) => id)).toEqual(['a'])
    expect((await store.list({ limit: 9, state: 'waiting' })).map(({ id }) => id)).toEqual(['b'])
    expect((await store.counts({ open: true })).map(({ state }) => state).toSorted()).toEqual([
      'waiting',
      'waiting-to-retry',
    ])
    // A message waits with the chat.
    expect(await store.send('a', 'hello')).toMatchObject({ state: 'waiting-to-retry' })
    expect(await store.cancel('a', 'enough')).toMatchObject({ state: 'cancelled', retry: null })
    expect(await store.claim('a', LEASE_SECONDS)).toBe(null)
  })

  check('counts failures in a row until an entry is kept or the chat waits for somebody', async (store) => {
    await submitChat(store, 'a')
    const retry = { kind: 'server', delay: 0 }
    const first = (await store.putOff(await claimChat(store, 'a'), 'one', retry))!.retry!
    const due = await store.due([CHAT_KIND], 10)
    expect(due).toMatchObject([{ id: 'a', state: 'waiting-to-retry' }])
    let second = await claimChat(store, 'a')
    expect(second).toMatchObject({ state: 'running', takenOver: false, setbacks: 0, retry: first, reason: 'one' })
    // The clock of the store goes on, so that the time of the first failure is another one than that of the second.
    for (let n = 0; n < 1000 && second.now <= first.since; n++) {
      await store.release(second)
      second = await claimChat(store, 'a')
    }
    const third = (await store.putOff(second, 'two', { kind: 'timeout', delay: 0 }))!
    expect(third.retry).toMatchObject({ kind: 'timeout', since: first.since, failures: 2 })
    // A worker that is stopped or lost does not end the row.
    await store.release(await claimChat(store, 'a'))
    expect((await store.get('a'))!.state).toBe('waiting')
    await claimChat(store, 'a', 0)
    const taken = await claimChat(store, 'a')
    expect(taken).toMatchObject({ takenOver: true, setbacks: 1, retry: { failures: 2 } })
    await store.append(taken, [keptEntry(0, '1.0', 'kept')])
    expect((await store.putOff(taken, 'three', retry))!.retry).toMatchObject({ failures: 1 })
    expect(await store.suspend(await claimChat(store, 'a'), 0)).toMatchObject({ retry: null, reason: null })
    await store.send('a', 'hello')
    expect((await store.putOff(await claimChat(store, 'a'), 'four', retry))!.retry).toMatchObject({ failures: 1 })
    // An entry of a worker that was lost ends the row, too.
    const lost = await claimChat(store, 'a', 0)
    await store.append(lost, [keptEntry(1, '1.1', 'kept')])
    expect(await claimChat(store, 'a')).toMatchObject({ takenOver: true, retry: null })
  })
}

/** Checks chats that are resumed after they have failed. */
export function checkResumes(check: Check, expect: ContractRunner['expect']): void {
  const failure = { state: 'failed', error: { code: 'model-failed', message: 'down', kind: 'quota' } } as const

  check('resumes a failed chat once, with its journal, messages and open questions', async (store) => {
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    const entries = [keptEntry(0, '1.0', 'kept'), questionEntry(1, '1.1'), questionEntry(2, '1.2')]
    await store.append(claim, entries)
    await store.decide('a', decidedEntry('1.1'), 'ann')
    await store.send('a', 'hello', 'key')
    await store.finish(claim, failure)
    expect(await store.get('a')).toMatchObject({ state: 'failed', outcome: failure })
    expect(await store.pending(null, 9)).toEqual([])
    const resumed = await Promise.all(Array.from({ length: 5 }, async () => await store.resume('a', 'down')))
    const [chat, ...others] = resumed.filter((each) => each !== null)
    expect(others).toEqual([])
    expect(chat).toMatchObject({ state: 'waiting', turn: 1, outcome: null, endedAt: null, reason: 'down', setbacks: 0 })
    expect((await store.list({ limit: 9, state: 'failed' })).length).toBe(0)
    expect(await store.expired(0, 9)).toEqual([])
    expect((await store.due([CHAT_KIND], 9)).map(({ id }) => id)).toEqual(['a'])
    expect((await store.pending(null, 9)).map(({ entry }) => entry!.place)).toEqual(['1.2'])
    expect(await store.finish(claim, failure)).toBe(false)
    const again = await claimChat(store, 'a')
    expect(again.entries).toEqual([...entries, decidedEntry('1.1')])
    expect(again).toMatchObject({ messages: ['hello'], takenOver: false, heard: 2 })
    expect(await store.append(again, [keptEntry(3, '1.3', 'next')])).not.toBe(null)
    expect(await store.decide('a', decidedEntry('1.2'), null)).toMatchObject({ state: 'running' })
    expect(await store.finish(again, { state: 'done', value: 1 })).toBe(true)
    expect(await store.resume('a', 'down')).toBe(null)
  })

  check('lets a chat that waits to retry run at once, and resumes no other chat', async (store) => {
    for (const id of ['a', 'b', 'c', 'd']) await submitChat(store, id)
    const claim = await claimChat(store, 'a')
    await store.putOff(claim, 'busy', { kind: 'overloaded', delay: 600 })
    expect(await store.resume('a', 'busy')).toMatchObject({ state: 'waiting', retry: null, reason: 'busy' })
    expect(await claimChat(store, 'a')).toMatchObject({ retry: null })
    await store.cancel('b', 'enough')
    await store.suspend(await claimChat(store, 'c'), 0)
    for (const id of ['a', 'b', 'c', 'd', 'e']) expect(await store.resume(id, 'x')).toBe(null)
  })
}

/** Checks chats that begin with a journal. */
export function checkForks(check: Check, expect: ContractRunner['expect']): void {
  check('keeps a chat with the journal and messages with which it begins, once', async (store) => {
    const decision = { ...decidedEntry('1.1'), value: { allow: true, by: 'ann' } }
    const entries = [keptEntry(0, '1.0', 'kept'), questionEntry(1, '1.1'), decision, questionEntry(2, '1.2')]
    const whole = { id: 'a', ...CHAT_KIND, input: 1, entries, messages: ['one', { n: 2 }] }
    const all = await Promise.all([1, 2, 3].map(async () => await store.submit(whole)))
    expect(all.filter(({ isNew }) => isNew).length).toBe(1)
    expect(all[0]!.chat).toMatchObject({ state: 'waiting', turn: 0, input: 1 })
    expect(await store.entries('a')).toEqual(entries)
    expect((await store.messages('a')).map((text) => JSON.parse(text) as unknown)).toEqual(['one', { n: 2 }])
    expect((await store.pending(null, 9)).map(({ entry }) => entry!.place)).toEqual(['1.2'])
    expect((await store.decisions('a')).map(({ entry, by }) => [entry, by])).toEqual([[decision, 'ann']])
    const claim = await claimChat(store, 'a')
    expect(claim).toMatchObject({ entries, messages: ['one', { n: 2 }], heard: 3, damage: null })
    expect(await store.append(claim, [keptEntry(3, '1.0', 'other')])).toBe(null)
    expect(await store.append(claim, [keptEntry(3, '1.3', 'next')])).not.toBe(null)
    expect(await store.decide('a', decidedEntry('1.1'), null)).toBe('known')
    expect(await store.suspend(claim, claim.heard)).toMatchObject({ state: 'suspended' })
    expect(await store.messages('b')).toEqual([])
  })
}

/** Checks why a chat waits or was resumed: the text of an error, which may be any. */
export function checkReasons(check: Check, expect: ContractRunner['expect']): void {
  check('takes every text as a reason, and may replace what the texts of a server cannot have', async (store) => {
    const [reason, replaced] = ['bad\0gateway \ud83d', 'bad\ufffdgateway \ufffd']
    const told = (chat: HostedChat | null): string => (chat?.reason ?? '').replaceAll('\0', '\ufffd').toWellFormed()
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a')
    expect(told(await store.putOff(claim, reason, { kind: 'server', delay: 0 }))).toBe(replaced)
    expect(told(await store.resume('a', reason))).toBe(replaced)
    expect(told(await store.putOff(await claimChat(store, 'a'), reason))).toBe(replaced)
  })
}
