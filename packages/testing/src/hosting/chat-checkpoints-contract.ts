import type { ClaimedChat, JournalEntry } from '@x/interfaces'
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

/** Makes an entry with the state of a program that has used the first messages. */
const checkpointEntry = (seq: number, place: string, messages: number): JournalEntry => ({
  ...{ seq, place, kind: 'checkpoint', value: { state: { at: place }, messages }, checksum: '00000000' },
})

/** Returns the part of a chat that its worker has read. */
const readBy = ({ entries, messages, damage }: ClaimedChat) => ({
  places: entries.map(({ place }) => place),
  messages,
  damage,
})

/** Checks that a worker reads a chat from its last checkpoint on, and that everything before it stays, without its questions. */
export function checkCheckpoints(check: Check, expect: ContractRunner['expect']): void {
  checkReads(check, expect)
  checkForkReads(check, expect)
  checkQuestions(check, expect)
}

function checkReads(check: Check, expect: ContractRunner['expect']): void {
  check('gives a worker a chat from its last checkpoint on, and keeps what comes before', async (store) => {
    await submitChat(store, 'a')
    for (const message of ['one', 'two', 'three']) await store.send('a', message)
    const first = await claimChat(store, 'a', 0)
    expect(await store.append(first, [keptEntry(0, '1', 'a'), questionEntry(1, '2'), keptEntry(2, '3', 'b')])).not.toBe(
      null,
    )
    await store.decide('a', decidedEntry('2'), 'ann')
    const checkpoint = checkpointEntry(3, '4', 2)
    expect(await store.append(first, [checkpoint, keptEntry(4, '5', 'c')])).not.toBe(null)
    const second = await claimChat(store, 'a', 0)
    expect(readBy(second)).toEqual({ places: ['4', '5'], messages: ['three'], damage: null })
    expect(JSON.stringify(second.entries[0])).toBe(JSON.stringify(checkpoint))
    expect([second.heard, second.takenOver]).toEqual([4, true])
    expect((await store.entries('a')).map(({ place }) => place)).toEqual(['1', '2', '3', '2', '4', '5'])
    expect(await store.messages('a')).toEqual(['"one"', '"two"', '"three"'])
    // A checkpoint that has used no further message, and then several of one write.
    expect(await store.append(second, [checkpointEntry(5, '6', 2)])).not.toBe(null)
    expect(readBy(await claimChat(store, 'a', 0))).toEqual({ places: ['6'], messages: ['three'], damage: null })
    await store.send('a', 'four')
    const third = await claimChat(store, 'a', 0)
    const last = [
      checkpointEntry(6, '7', 3),
      keptEntry(7, '8', 'd'),
      checkpointEntry(8, '9', 4),
      questionEntry(9, '10'),
    ]
    expect(await store.append(third, last)).not.toBe(null)
    await store.decide('a', decidedEntry('10'), null)
    const fourth = await claimChat(store, 'a')
    expect(readBy(fourth)).toEqual({ places: ['9', '10', '10'], messages: [], damage: null })
    expect((await store.decisions('a')).map(({ entry }) => entry.place)).toEqual(['2', '10'])
    await store.send('a', 'five')
    expect(await store.suspend(fourth, fourth.heard)).toMatchObject({ state: 'waiting' })
    expect((await claimChat(store, 'a')).messages).toEqual(['five'])
  })

  check('notes no checkpoint of a worker that has lost its claim, nor one that leaves a gap', async (store) => {
    await submitChat(store, 'a')
    const zombie = await claimChat(store, 'a', 0)
    expect(await store.append(zombie, [keptEntry(0, '1', 'a')])).not.toBe(null)
    const claim = await claimChat(store, 'a', 0)
    expect(await store.append(zombie, [checkpointEntry(1, '2', 0)])).toBe(null)
    expect(await store.append(claim, [checkpointEntry(2, '3', 0)])).toBe(null)
    expect(await store.append(claim, [checkpointEntry(1, '2', 0), keptEntry(2, '1', 'again')])).toBe(null)
    expect(readBy(await claimChat(store, 'a'))).toEqual({ places: ['1'], messages: [], damage: null })
  })
}

function checkForkReads(check: Check, expect: ContractRunner['expect']): void {
  check('gives a worker a chat that begins with a journal from its last checkpoint on', async (store) => {
    const decision = { ...decidedEntry('2'), value: { allow: true, by: 'ann' } }
    const entries = [
      ...[keptEntry(0, '1', 'a'), questionEntry(1, '2'), decision, checkpointEntry(2, '3', 1)],
      ...[keptEntry(3, '4', 'b'), checkpointEntry(4, '5', 2), keptEntry(5, '6', 'c')],
    ]
    await store.submit({ id: 'a', ...CHAT_KIND, input: 1, entries, messages: ['one', 'two', 'three'] })
    const claim = await claimChat(store, 'a', 0)
    expect(readBy(claim)).toEqual({ places: ['5', '6'], messages: ['three'], damage: null })
    expect(await store.entries('a')).toEqual(entries)
    await store.send('a', 'four')
    expect(readBy(await claimChat(store, 'a', 0)).messages).toEqual(['three', 'four'])
    const later = await claimChat(store, 'a', LEASE_SECONDS)
    expect(await store.append(later, [checkpointEntry(6, '7', 3)])).not.toBe(null)
    await store.release(later)
    const next = await claimChat(store, 'a')
    expect(readBy(next)).toEqual({ places: ['7'], messages: ['four'], damage: null })
    expect(await store.append(next, [checkpointEntry(7, '8', 4)])).not.toBe(null)
    await store.release(next)
    expect(readBy(await claimChat(store, 'a'))).toEqual({ places: ['8'], messages: [], damage: null })
  })
}

function checkQuestions(check: Check, expect: ContractRunner['expect']): void {
  check('gives no question from before the last checkpoint, which nothing asks any more', async (store) => {
    const pending = async (): Promise<readonly string[]> =>
      (await store.pending(null, 9)).map(({ chat, entry }) => `${chat} ${entry!.place}`)
    await submitChat(store, 'a')
    const claim = await claimChat(store, 'a', 0)
    expect(await store.append(claim, [questionEntry(0, '1'), questionEntry(1, '2')])).not.toBe(null)
    expect(await pending()).toEqual(['a 1', 'a 2'])
    const written = [questionEntry(2, '3'), checkpointEntry(3, '4', 0), questionEntry(4, '5')]
    expect(await store.append(claim, written)).not.toBe(null)
    expect(await pending()).toEqual(['a 5'])
    const entries = [questionEntry(0, '1'), checkpointEntry(1, '2', 0), questionEntry(2, '3')]
    await store.submit({ id: 'b', ...CHAT_KIND, input: 1, entries })
    expect(await pending()).toEqual(['a 5', 'b 3'])
  })
}
