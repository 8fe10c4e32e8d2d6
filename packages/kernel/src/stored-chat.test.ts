import type { HostedChat } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { readClaimedChat, readStoredChat, type StoredChat } from './stored-chat.ts'

const WAITING: StoredChat = {
  ...{ id: 'a', name: 'clerk', version: '1', input: '{"n":1}', at: 0, state: 'waiting', epoch: '7', turn: 1 },
  ...{ submittedAt: 5, endedAt: null, outcome: null, setbacks: 0, reason: null },
}
const DONE = { ...WAITING, state: 'done', endedAt: '9', outcome: '{"state":"done","value":null}' }
const damageOf = (change: Partial<StoredChat>, chat: StoredChat = WAITING): string | null =>
  readStoredChat({ ...chat, ...change }).damage

describe('a chat that a store has', () => {
  it('is read, whatever numbers are written as', () => {
    expect(readStoredChat(WAITING)).toEqual({
      ...{ wakesAt: null, tags: [], tenant: null, priority: 'normal' },
      ...{ id: 'a', name: 'clerk', version: '1', input: { n: 1 }, at: 0, state: 'waiting', epoch: 7, turn: 1 },
      ...{ submittedAt: 5, endedAt: null, outcome: null, setbacks: 0, reason: null, retry: null, damage: null },
    })
    expect(readStoredChat(DONE)).toMatchObject({ endedAt: 9, outcome: { state: 'done', value: null }, damage: null })
    expect(damageOf({ setbacks: undefined, reason: undefined })).toBe(null)
    const labels = { tags: '["a"]', tenant: 't', priority: '-1', wakesAt: '7' }
    const read = { tags: ['a'], tenant: 't', priority: 'low', wakesAt: 7 }
    expect(readStoredChat({ ...WAITING, ...labels })).toMatchObject(read)
    expect(damageOf({ tags: '[1]' })).toBe('its tags are no list of texts')
    const retry = { state: 'waiting-to-retry', retryKind: 'server', retrySince: '5', queued: '9', retries: 2 }
    expect(readStoredChat({ ...WAITING, ...retry })).toMatchObject({
      retry: { kind: 'server', since: 5, at: 9, failures: 2 },
      damage: null,
    })
    expect(readStoredChat({ ...DONE, ...retry, state: 'done' }).retry).toBe(null)
    expect(damageOf({ ...retry, queued: 'x' })).toBe('its `queued` is not a number')
  })

  it.each<[string, Partial<StoredChat>, StoredChat?]>([
    ['its input is not JSON', { input: '{' }],
    ['its input is not JSON', { input: undefined }],
    ['its outcome is not JSON', { outcome: 'x' }, DONE],
    ['its state is `over`, which is none', { state: 'over' }],
    ['its `turn` is not a number', { turn: 'x' }],
    ['its `at` is not a number', { at: null }],
    ['it is `done`, and its outcome is not one of that', { outcome: null }, DONE],
    ['it is `done`, and its outcome is not one of that', { outcome: '{"state":"failed"}' }, DONE],
    ['it is `failed`, and its outcome is not one of that', { state: 'failed', outcome: '{"state":"failed"}' }, DONE],
    ['it is `cancelled`, and its outcome is not one of that', { state: 'cancelled' }, DONE],
    ['it is `waiting`, and its outcome is not one of that', { state: 'waiting' }, DONE],
  ])('says what is damaged: %s', (damage, change, chat) => {
    expect(damageOf(change, chat)).toBe(damage)
    expect(readStoredChat({ ...(chat ?? WAITING), ...change })).toMatchObject({ id: 'a', name: 'clerk' })
  })
})

describe('a chat that was claimed', () => {
  const chat: HostedChat = readStoredChat({ ...WAITING, state: 'running' })
  const entry = (seq: number): string => JSON.stringify({ seq, place: '1', kind: 'tool', value: 1 })
  const decision = '{"place":"1","kind":"decision","value":{"allow":true}}'
  const claimed = (entries: readonly unknown[], length: number, more: object = {}) =>
    readClaimedChat(chat, {
      entries,
      messages: ['1'],
      length,
      heard: 1,
      takenOver: false,
      isLeft: false,
      now: 0,
      ...more,
    })

  it('has its journal and messages', () => {
    expect(claimed([entry(0), decision, entry(1)], 2, { all: 3 })).toMatchObject({
      ...{ damage: null, messages: [1], heard: 1, takenOver: false, isLeft: false },
      entries: [{ seq: 0 }, { kind: 'decision' }, { seq: 1 }],
    })
  })

  it.each<[string, readonly unknown[], number, object?]>([
    ['entry 1 is not JSON', [entry(0), '{'], 2],
    ['message 0 is not JSON', [entry(0)], 1, { messages: ['{'] }],
    ['entry 0 of its journal is none', ['null'], 1],
    ['its journal has 1 entries, and 2 were kept', [entry(0)], 2],
    ['its journal has 2 entries, and 1 were kept', [entry(0), entry(1)], 1],
    ['its journal has 1 entries, and 2 were kept', [entry(0)], 1, { all: 2 }],
  ])('says what is damaged: %s', (damage, entries, length, more) => {
    expect(claimed(entries, length, more).damage).toBe(damage)
  })
})
