import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage, RunTrace, XEvent } from '@x/interfaces'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forkRun, type KeptRun, openRecords, type Records, replay } from './index.ts'
import { keptOf, type KeptSlice, KeptValues } from './kept-values.ts'

let dir: string
let records: Records
let trace: RunTrace

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  records = openRecords({ file: join(dir, 'runs.db'), now: () => 1e12 })
  trace = records.begin()
  trace.calls!.begin({ runId: 'run-1', waits: false, resumed: false })
  take({ type: 'chatStart', id: '1.chat', recipient: 'bob', message: 'Go.', options: {} })
})

afterEach(() => {
  records.close()
  rmSync(dir, { recursive: true, force: true })
})

const readRun = async (): Promise<KeptRun> => (await records.read('run-1'))!

const take = (event: object): void =>
  trace.take({
    ...{ runId: 'run-1', seq: 0, time: 1e12, parentId: null, chatId: '1', agentPath: null, agent: 'ann' },
    ...event,
  } as XEvent)

describe('a record has what was told, and not what the program made of it', () => {
  /** Tells something with a value in it, which the program changes then, and reads the value. */
  const CASES: Record<string, { tell(value: object): void; read(run: KeptRun): unknown }> = {
    'a message of a question': {
      tell: (value) => trace.calls!.takeInput({ place: '1.1', kind: 'model' }, { messages: [value] }),
      read: (run) => (run.calls[0]!.input['messages'] as unknown[])[0],
    },
    'a frozen message of a question, by what is in it': {
      tell: (value) =>
        trace.calls!.takeInput({ place: '1.1', kind: 'model' }, { messages: [Object.freeze({ content: [value] })] }),
      read: (run) => (run.calls[0]!.input['messages'] as { content: unknown[] }[])[0]!.content[0],
    },
    settings: {
      tell: (value) => trace.calls!.takeInput({ place: '1.1', kind: 'model' }, { settings: [value] }),
      read: (run) => (run.calls[0]!.input['settings'] as unknown[])[0],
    },
    'frozen settings, by what is in them': {
      tell: (value) => {
        const settings = Object.freeze([Object.freeze({ tools: [value] })])
        trace.calls!.takeInput({ place: '1.1', kind: 'model' }, { settings })
      },
      read: (run) => (run.calls[0]!.input['settings'] as { tools: unknown[] }[])[0]!.tools[0],
    },
    'arguments of a tool': {
      tell: (value) => trace.calls!.takeInput({ place: '1.1', kind: 'tool', name: 'add' }, { arguments: value }),
      read: (run) => run.calls[0]!.input['arguments'],
    },
    'the result of a tool': {
      tell: (value) => trace.calls!.takeEntry({ place: '1.1', kind: 'tool', name: 'add', value }),
      read: (run) => run.entries[0]!.value,
    },
    'the answer of a model': {
      tell: (value) =>
        trace.calls!.takeEntry({
          ...{ place: '1.1', kind: 'model' },
          value: { reply: value, usage: { actual: null, total: null } },
        }),
      read: (run) => (run.entries[0]!.value as { reply: unknown }).reply,
    },
    'the message of an event': {
      tell: (value) => take({ type: 'receivedMessage', message: value }),
      read: (run) => (run.events[1] as unknown as { message: unknown }).message,
    },
    'the data of an event': {
      tell: (value) => take({ type: 'custom', name: 'seen', data: value }),
      read: (run) => (run.events[1] as unknown as { data: unknown }).data,
    },
    'the request of an attempt': {
      tell: (value) => trace.takeRequest!('1.1.span1', [value]),
      read: (run) => run.requestOf('1.1.span1')![0],
    },
  }

  it.each(Object.keys(CASES))('in %s', async (name) => {
    const { tell, read } = CASES[name]!
    const value = { role: 'user', content: [{ type: 'text', text: 'one' }], deep: { list: [1, { two: 2 }] } }
    const before = structuredClone(value)
    tell(value)
    value.role = 'system'
    value.content[0]!.text = 'other'
    value.content.push({ type: 'text', text: 'more' })
    Object.assign(value.deep.list[1] as object, { two: 3 })
    expect(read(await readRun())).toEqual(before)
  })

  it('in a list to which the program adds, and in which it changes a message between two questions', async () => {
    const messages: ChatMessage[] = [{ role: 'user', content: 'one' }]
    const told: unknown[] = []
    for (let turn = 0; turn < 10; turn++) {
      told.push(structuredClone(messages))
      trace.calls!.takeInput({ place: `1.${turn}`, kind: 'model' }, { messages })
      messages[turn >> 1] = Object.freeze<ChatMessage>({ role: 'user', content: `changed ${turn}` })
      messages.push({ role: 'assistant', content: `answer ${turn}` })
    }
    expect((await readRun()).calls.map((call) => call.input['messages'])).toEqual(told)
  })
})

it('what cannot be kept is written at once, in its order', async () => {
  let given = 1
  const counter = { toJSON: () => given }
  for (let n = 0; n < 600; n++) {
    const value = n % 100 === 50 ? { counter } : n
    trace.calls!.takeEntry({ place: `1.${n}`, kind: 'tool', name: 'count', value })
    given++
  }
  const { entries } = await readRun()
  expect(entries.map(({ value }) => value)).toEqual(
    Array.from({ length: 600 }, (_, n) => (n % 100 === 50 ? { counter: n + 1 } : n)),
  )
})

it('what many runs tell at once becomes lines in several turns of the event loop', async () => {
  const [RUNS, EVENTS] = [40, 200]
  const written = Promise.withResolvers<void>()
  let [turn, texts] = [0, 0]
  const byTurn: number[] = []
  const many = openRecords({
    ...{ file: join(dir, 'many.db'), now: () => 1e12 },
    redact: (text) => {
      if (!text.startsWith('data ')) return text
      // The first text of a turn notes that the next one is another.
      if (!byTurn[turn]) setImmediate(() => turn++)
      byTurn[turn] = (byTurn[turn] ?? 0) + 1
      if (++texts === RUNS * EVENTS) written.resolve()
      return text
    },
  })
  for (let run = 0; run < RUNS; run++) {
    trace = many.begin()
    for (let n = 0; n < EVENTS; n++) take({ type: 'custom', runId: `run-${run}`, name: 'seen', data: `data ${n}` })
  }
  // What waits does not keep the process, whose event loop has other work here.
  const other = setInterval(() => {}, 10)
  await written.promise
  clearInterval(other)
  expect(await many.list({ limit: 100 })).toHaveLength(RUNS)
  many.close()
  // A reply of the thread that writes may begin another part in the same turn.
  expect(Math.max(...byTurn)).toBeLessThanOrEqual(RUNS * EVENTS * 0.4)
})

describe('a kept value', () => {
  it('is the value itself if nothing in it can change', () => {
    const part = Object.freeze({ type: 'text', text: 'one' })
    const message = Object.freeze({ role: 'user', content: Object.freeze([part]) })
    expect(keptOf(message)).toBe(message)
  })

  it('has the names of its fields, whatever they are', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":[{}],"b":null}') as object
    const kept = keptOf(value)
    expect(kept).not.toBe(value)
    expect(JSON.stringify(kept)).toBe(JSON.stringify(value))
  })

  it.each<[string, () => unknown]>([
    ['a date', () => new Date(0)],
    ['an instance of a class', () => [new URL('https://shop.example')]],
    ['a function', () => ({ call: () => 1 })],
    ['what writes itself', () => ({ toJSON: () => 1 })],
    [
      'what holds itself',
      () => {
        const list: unknown[] = []
        list.push(list)
        return list
      },
    ],
  ])('is none of %s', (_, make) => {
    expect(keptOf(make())).toBeUndefined()
  })
})

it('a run that was not read is neither replayed nor forked, and the error says what to give', async () => {
  const remedy = 'give what `await records.read(runId)` or `readFixture(file)` returns'
  const program = async (): Promise<string> => 'done'
  for (const [given, problem] of [
    [await records.read('run-2'), 'there is no such run'],
    ['tea.run', 'its run is not one that was read'],
    [null, 'its run is not one that was read'],
  ] as const) {
    const refused = (name: string): object => ({
      code: 'invalid-argument',
      message: `cannot run \`${name}\`: ${problem}; ${remedy}`,
    })
    await expect(replay(given as never, program)).rejects.toMatchObject(refused('replay'))
    await expect(forkRun(given as never, null, program)).rejects.toMatchObject(refused('forkRun'))
  }
})

it('lists with the same messages behind prompts of their own go on each from its own', () => {
  const kept = new KeptValues()
  const [one, other] = ['one', 'other'].map((content) => Object.freeze({ role: 'system', content }))
  const said: object[] = []
  const alls: unknown[] = []
  for (let turn = 0; turn < 4; turn++) {
    said.push(Object.freeze({ role: 'user', content: `${turn}` }))
    const { all } = kept.list([[one, other][turn % 2], ...said]) as KeptSlice
    alls.push(all)
  }
  expect(alls[2]).toBe(alls[0])
  expect(alls[3]).toBe(alls[1])
})
