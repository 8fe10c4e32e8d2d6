import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import type { ChatMessage, RunTracer, XEvent } from '@x/interfaces'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compareRuns, forkRun, openRecords, type Records, replay } from './index.ts'
import { type KeptList, ListReader } from './list-reader.ts'

let dir: string
const opened: Records[] = []

beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'records-'))
})

afterEach(() => {
  vi.restoreAllMocks()
  for (const records of opened.splice(0)) records.close()
  fs.rmSync(dir, { recursive: true, force: true })
})

function open(file: string): Records {
  const records = openRecords({ now: () => 1e12, file: join(dir, file) })
  opened.push(records)
  return records
}

/** A chat whose messages grow turn by turn; returns what tells one more turn. */
function chat(tracer: RunTracer, { runId, turns }: { readonly runId: string; readonly turns: number }): () => void {
  const trace = tracer.begin()
  const messages: ChatMessage[] = []
  const tell = (): void => {
    const turn = messages.length / 2 + 1
    messages.push(Object.freeze<ChatMessage>({ role: 'user', content: `question ${turn}` }))
    trace.calls!.takeInput({ place: `1.${turn}`, kind: 'model' }, { messages: [...messages] })
    const common = { runId, time: 1e12, parentId: null, chatId: '1', agent: 'ann', index: turn }
    trace.take({ ...common, type: 'receivedMessage', message: messages.at(-1) } as unknown as XEvent)
    messages.push(Object.freeze<ChatMessage>({ role: 'assistant', content: `answer ${turn}` }))
  }
  trace.calls!.begin({ runId, waits: false, resumed: false })
  trace.calls!.takeEntry({ place: '0', kind: 'begin', value: { runId, ends: true } })
  for (let turn = 0; turn < turns; turn++) tell()
  return tell
}

/** Counts the characters and bytes that are read from files while something is done. */
async function readWhile(act: () => Promise<unknown>): Promise<number> {
  let sum = 0
  const { readSync } = fs
  const { all } = StatementSync.prototype
  vi.spyOn(fs, 'readSync').mockImplementation((...args: Parameters<typeof readSync>) => {
    const count = readSync(...args)
    sum += count
    return count
  })
  vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...args) {
    const rows = all.apply(this, args)
    sum += JSON.stringify(rows).length
    return rows
  })
  await act()
  vi.restoreAllMocks()
  return sum
}

/** Sizes of a file, whose reading is to cost the same. */
const SIZES = [30, 300, 3000]

describe.each(['runs.db', 'runs.jsonl'])('records in %s', (file) => {
  it('are followed at the cost of what is new', async () => {
    const costs: number[] = []
    for (const turns of SIZES) {
      const records = open(`${turns}-${file}`)
      const more = chat(records, { runId: 'run-1', turns })
      const next = records.follow('run-1')
      expect((await next())!.events).toHaveLength(turns)
      more()
      let events: readonly unknown[] = []
      costs.push(await readWhile(async () => (events = (await next())!.events)))
      expect(events).toHaveLength(1)
    }
    expect(Math.max(...costs)).toBeLessThan(2 * Math.min(...costs))
  })

  it('have one run found, and the newest listed, at a cost that other runs do not raise', async () => {
    const costs: number[] = []
    for (const runs of [30, 1500]) {
      const records = open(`${runs}-${file}`)
      for (let n = 0; n < runs; n++) chat(records, { runId: `run-${n}`, turns: 2 })
      const all = await records.list({ limit: Infinity })
      expect(new Set(all.map(({ runId }) => runId)).size).toBe(runs)
      expect(await records.list({ agent: 'nobody', limit: 1 })).toEqual([])
      costs.push(
        await readWhile(async () => {
          expect(await records.list({ limit: 1 })).toHaveLength(1)
          expect(await records.list({ runId: 'run-29', limit: 1 })).toHaveLength(1)
          expect((await records.read('run-29'))!.events).toHaveLength(2)
        }),
      )
    }
    // Other runs have ids that begin so, too.
    expect(costs[1]!).toBeLessThan(12 * costs[0]!)
  })
})

it('a turn is recorded without a look into the messages of earlier ones', () => {
  const looks: number[] = []
  for (const turns of SIZES) {
    const records = open(`${turns}.db`)
    const trace = records.begin()
    trace.calls!.begin({ runId: 'run-1', waits: false, resumed: false })
    const messages: ChatMessage[] = []
    const isFrozen = vi.spyOn(Object, 'isFrozen')
    const keys = vi.spyOn(Object, 'keys')
    for (let turn = 0; turn < turns; turn++) {
      messages.push(Object.freeze<ChatMessage>({ role: 'user', content: `question ${turn}` }))
      // Settings that are made anew are lists, too.
      const input = { messages: [...messages], settings: [{ temperature: 0 }] }
      trace.calls!.takeInput({ place: `1.${turn}`, kind: 'model' }, input)
    }
    records.flush()
    looks.push((isFrozen.mock.calls.length + keys.mock.calls.length) / turns)
    vi.restoreAllMocks()
  }
  expect(Math.max(...looks)).toBeLessThan(2 * Math.min(...looks))
})

it('the calls of a run are shown and compared without what earlier ones have', async () => {
  const sizes: number[] = []
  const looks: number[] = []
  for (const turns of SIZES) {
    const records = open(`${turns}.db`)
    chat(records, { runId: 'run-1', turns })
    chat(records, { runId: 'run-2', turns })
    const [one, other] = [(await records.read('run-1'))!, (await records.read('run-2'))!]
    const calls = one.calls.map(({ shortInput }) => shortInput)
    sizes.push(JSON.stringify(calls).length / turns)
    expect(calls[1]).toEqual({
      messages: {
        ...{ sameAs: '1.1', first: 1 },
        added: [
          { role: 'assistant', content: 'answer 1' },
          { role: 'user', content: 'question 2' },
        ],
      },
    })
    const keys = vi.spyOn(Object, 'keys')
    expect(compareRuns(one, other)).toEqual({ outcome: 'same' })
    looks.push(keys.mock.calls.length / turns)
    keys.mockRestore()
  }
  expect(Math.max(...sizes)).toBeLessThan(1.5 * Math.min(...sizes))
  expect(Math.max(...looks)).toBeLessThan(1.5 * Math.min(...looks))
})

it('a beginning that many lists share is read in the first of them', () => {
  const reader = new ListReader([
    ...Array.from({ length: 60 }, (_, id) => ['v', id, { content: `${id}` }] as const),
    ['l', 60, null, 0, [0, 1]],
    ...Array.from({ length: 20 }, (_, n) => ['l', 61 + n, 60 + n, 2 + n, [2 + n]] as const),
    ['l', 81, 80, 1, [50, [20, 22]]],
    ['l', 82, 81, 2, [51]],
  ])
  const lists = [60, 81, 82].map((id) => reader.resolve({ l: id }) as KeptList)
  expect(lists[1]!.base).toBe(lists[0])
  expect(lists[2]!.base).toBe(lists[1])
  const read = (list: KeptList): unknown => reader.items(list).map((item) => Number((item as ChatMessage).content))
  expect(lists.map(read)).toEqual([
    [0, 1],
    [0, 50, 20, 21],
    [0, 50, 51],
  ])
})

it('prompts with long texts of their own are not compared with each other', () => {
  const records = open('runs.db')
  const trace = records.begin()
  trace.calls!.begin({ runId: 'run-1', waits: false, resumed: false })
  const system = Object.freeze<ChatMessage>({ role: 'system', content: 'Think.' })
  for (let n = 0; n < 100; n++) {
    const messages: ChatMessage[] = [system, { role: 'user', content: `${'thought '.repeat(50)}${100 + n}` }]
    trace.calls!.takeInput({ place: `1.${n}`, kind: 'model' }, { messages })
  }
  const names = vi.spyOn(Object, 'getPrototypeOf')
  records.flush()
  expect(names.mock.calls.length).toBeLessThan(500)
})

it('a replay reads messages that are made anew for each question once', async () => {
  const records = open('runs.db')
  chat(records, { runId: 'run-1', turns: 100 })
  const run = (await records.read('run-1'))!
  const parse = vi.spyOn(JSON, 'parse')
  const repeat = (other: string) =>
    replay(run, ({ journal, tracer }) => {
      journal.enter!()
      const { calls } = tracer.begin()
      for (const { place, input } of run.calls) {
        const messages = structuredClone(input['messages']) as { content: string }[]
        if (place === '1.90') messages[5]!.content += other
        calls!.takeInput({ place, kind: 'model' }, { messages })
      }
    })
  await repeat('')
  expect(parse.mock.calls.length).toBeLessThan(500)
  expect(await repeat('!')).toMatchObject({ difference: { place: '1.90', path: 'model.messages.5.content' } })
})

it('a replay looks into no question before it is asked again', async () => {
  const records = open('runs.db')
  chat(records, { runId: 'run-1', turns: 30 })
  const run = (await records.read('run-1'))!
  const items = vi.spyOn(ListReader.prototype, 'items')
  expect(await replay(run, () => {})).toMatchObject({ outcome: 'cannot' })
  expect(items).not.toHaveBeenCalled()
})

it('a fork of a run with many chats looks for each among those beside it', async () => {
  const pairS = 300
  const records = open('runs.db')
  chat(records, { runId: 'run-1', turns: 1 })
  const { calls } = records.begin()
  calls!.begin({ runId: 'run-1', waits: false, resumed: false })
  const begins = Array.from({ length: pairS }, (_, n) => {
    const value = { options: { message: 'Hi' }, names: ['ann', 'bob'], conversations: [] }
    return { place: `1.${n + 2}.0.0`, kind: 'begin', value } as const
  })
  for (const each of begins) {
    calls!.takeEntry(each)
    calls!.takeEntry({ place: each.place.replace(/0$/u, '1'), kind: 'human', value: 'Yes.' })
  }
  const run = (await records.read('run-1'))!
  const looks = vi.spyOn(String.prototype, 'startsWith')
  const [fork] = await forkRun(run, null, ({ journal }) => {
    journal.enter!()
    for (const each of begins) void journal.keep(each)
    return journal.recall('1.9.0.1').length
  })
  expect(fork).toMatchObject({ value: 1 })
  expect(looks.mock.calls.length).toBeLessThan(20 * pairS)
})

it('a replay looks for the errors of many calls at the cost of each', async () => {
  const looks: number[] = []
  for (const failures of SIZES) {
    const records = open(`${failures}-failures.db`)
    const trace = records.begin()
    trace.calls!.begin({ runId: 'run-1', waits: false, resumed: false })
    trace.calls!.takeEntry({ place: '0', kind: 'begin', value: { runId: 'run-1', ends: true } })
    const places = Array.from({ length: failures }, (_, n) => `1.${n + 1}.0.1`)
    const common = { runId: 'run-1', time: 1e12, parentId: null, chatId: '1', agentPath: ['clerk'] }
    const error = { code: null, message: 'no' }
    const pair = { agent: 'ann', recipient: 'bob', message: 'Go.', options: {} }
    for (const place of places) {
      const id = place.replace(/1$/u, 'chat')
      trace.take({ ...common, ...pair, type: 'chatStart', id } as unknown as XEvent)
      trace.calls!.takeInput({ place, kind: 'model' }, {})
      trace.take({ ...common, ...pair, type: 'chatEnd', id, outcome: 'error', error } as unknown as XEvent)
    }
    const run = (await records.read('run-1'))!
    const starts = vi.spyOn(String.prototype, 'startsWith')
    const searches = vi.spyOn(String.prototype, 'search')
    await replay(run, ({ journal, tracer }) => {
      journal.enter!()
      const { calls } = tracer.begin()
      for (const place of places) {
        calls!.takeInput({ place, kind: 'model' }, {})
        expect(journal.beforeCall!({ place, kind: 'model', label: '' })).toMatchObject({ failure: { message: 'no' } })
      }
    })
    looks.push((starts.mock.calls.length + searches.mock.calls.length) / failures)
    vi.restoreAllMocks()
  }
  expect(Math.max(...looks)).toBeLessThan(2 * Math.min(...looks))
})
