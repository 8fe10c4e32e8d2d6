import type { XEvent } from '@x/interfaces'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RunReader } from './kept-run.ts'
import { EventReader, EventWriter, type WrittenEvent } from './event-lines.ts'
import { type KeptSlice, KeptValues } from './kept-values.ts'
import { ListReader } from './list-reader.ts'
import { type ListLine, ListWriter, type ValueLine } from './list-writer.ts'

type Message = Record<string, unknown>

/** Writes lists, counts what is made text for it, and reads the lists again. */
function newLists() {
  const lines: (ValueLine | ListLine)[] = []
  const counted = { values: 0, characters: 0 }
  const writer = new ListWriter(
    (line) => {
      counted.characters += line.length
      lines.push(JSON.parse(line) as ValueLine | ListLine)
    },
    (value) => {
      counted.values++
      return JSON.stringify(value)
    },
  )
  const read = (id: number): unknown => {
    const reader = new ListReader()
    reader.add(lines)
    return reader.read({ l: id })
  }
  return { write: (values: readonly unknown[] | KeptSlice) => writer.list(values), read, counted }
}

const message = (index: number): Message => ({ role: 'user', content: `message ${index}` })

describe('lists of messages', () => {
  it.each<[string, (all: readonly Message[]) => readonly Message[]]>([
    ['of a chat', (all) => all.map((each) => Object.freeze(each))],
    ['that the program may change', (all) => all],
    ['that a hook copies', (all) => all.map((each) => ({ ...each }))],
    ['of which a hook leaves the oldest out', (all) => all.slice(-20).map((each) => ({ ...each }))],
    ['before which a hook puts the same one', (all) => [{ role: 'system', content: 'Now.' }, ...all]],
    ['before which a hook puts another one', (all) => [{ role: 'system', content: `${all.length} said.` }, ...all]],
    ['of which a hook changes one in the middle', (all) => all.with(all.length >> 1, message(-all.length))],
  ])('make no more text than is new: messages %s', (_, view) => {
    const TURNS = 300
    const { write, read, counted } = newLists()
    const all: Message[] = []
    for (let turn = 0; turn < TURNS; turn++) {
      all.push(message(turn))
      const seen = view(all)
      const id = write(seen)
      if (turn % 50 === 49) expect(read(id!)).toEqual(seen)
    }
    expect(counted.values).toBeLessThanOrEqual(4 * TURNS)
    expect(counted.characters).toBeLessThan(250 * TURNS)
  })

  it('are as they were when they were told, whatever the program does before they are written', () => {
    const step = fc.record({
      change: fc.constantFrom('add', 'add', 'add', 'replace', 'shorten', 'none'),
      list: fc.nat({ max: 1 }),
      at: fc.nat({ max: 20 }),
      how: fc.constantFrom('kept', 'kept', 'kept', 'frozen', 'raw'),
      writes: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { write, read } = newLists()
        const kept = new KeptValues()
        const lists: Message[][] = [[], []]
        const waiting: { readonly told: readonly unknown[] | KeptSlice; readonly asked: readonly Message[] }[] = []
        let count = 0
        const writeAll = (): void => {
          for (const { told, asked } of waiting.splice(0)) expect(read(write(told)!)).toEqual(asked)
        }
        for (const { change, list, at, how, writes } of steps) {
          const messages = lists[list]!
          const index = at % Math.max(messages.length, 1)
          if (change === 'add') messages.push(Object.freeze(message(count++)))
          if (change === 'replace' && messages.length > 0) messages[index] = Object.freeze(message(count++))
          if (change === 'shorten') messages.splice(index)
          if (messages.length === 0) continue
          const asked = [...messages]
          const given = how === 'frozen' ? Object.freeze([...messages]) : messages
          if (how === 'raw') writeAll()
          waiting.push({ told: how === 'raw' ? [...messages] : kept.list(given)!, asked })
          if (writes) writeAll()
        }
        writeAll()
      }),
      { numRuns: 200 },
    )
  })

  it('are parts of a request that had them behind a system message, whoever asked last', () => {
    const { write, read, counted } = newLists()
    const mine = Array.from({ length: 100 }, (_, index) => Object.freeze(message(index)))
    const theirs = mine.map((each) => Object.freeze({ ...each, role: 'assistant' }))
    write([{ role: 'system', content: 'I' }, ...mine.slice(0, -1)])
    write([{ role: 'system', content: 'you' }, ...theirs])
    const before = { ...counted }
    expect(read(write(mine)!)).toEqual(mine)
    expect(counted.values - before.values).toBeLessThanOrEqual(3)
    expect(counted.characters - before.characters).toBeLessThan(100)
  })

  it('have what was changed in a message, or in an object inside it', () => {
    const { write, read } = newLists()
    const call = { name: 'add', arguments: '{}' }
    const all: Message[] = [message(0), { role: 'assistant', content: null, tool_calls: [call] }, message(2)]
    const versions = [{}, { arguments: '{"a":1}' }, { more: [] }].map((change) => {
      Object.assign(call, change)
      return { id: write(all)!, copy: structuredClone(all) }
    })
    for (const { id, copy } of versions) expect(read(id)).toEqual(copy)
  })

  it('have a long text once, wherever it stands', () => {
    const { write, read, counted } = newLists()
    const content = 'word '.repeat(1000)
    const all = ['user', 'assistant', 'tool'].map((role) => ({ role, content, name: role }))
    expect(read(write(all)!)).toEqual(all)
    expect(Object.keys((read(write(all)!) as Message[])[0]!)).toEqual(['role', 'content', 'name'])
    expect(counted.characters).toBeLessThan(content.length + 500)
  })

  it('are none with anything but objects, and stay whole after a value that is no JSON', () => {
    const { write, read } = newLists()
    const one = Object.freeze(message(1))
    const first = write([one])!
    expect(write([one, 'text'])).toBeUndefined()
    const loop: Message = {}
    loop['self'] = loop
    expect(() => write([one, message(2), loop])).toThrow('circular')
    const last = write([one, message(2), message(3)])!
    expect([read(first), read(last)]).toEqual([[one], [one, message(2), message(3)]])
  })

  it.each([
    ['an unknown value', ['l', 1, null, 0, [7]]],
    ['a part of no list', ['l', 1, null, 0, [[0, 1]]]],
    ['a part behind the end', ['l', 2, 1, 0, [[0, 2]]]],
    ['a text that is none', ['v', 2, {}, 0]],
  ])('that refer to %s are damaged', (_, line) => {
    const lines = [
      ['v', 0, {}],
      ['l', 1, null, 0, [0]],
    ]
    const all = [...lines.filter(([, id]) => id !== line[1]), line] as unknown as (ValueLine | ListLine)[]
    expect(() => new ListReader().add(all)).toThrow('the record of a run is damaged')
  })
})

describe('events', () => {
  const base = { type: 'toolEnd', runId: 'r', chatId: '1', agentPath: ['a'], agent: 'a', error: null }
  const told = [
    { ...base, seq: 0, time: 5, id: '1', parentId: '0', ms: 1, usage: { tokens: 1 } },
    { ...base, seq: 1, time: 5, id: '2', parentId: '1', ms: NaN, usage: { tokens: 1 } },
    { ...base, seq: 2, time: 7.5, id: '2', parentId: '1', ms: 1, usage: null },
    { ...base, seq: 9, time: 3, id: '3', parentId: '2', ms: 1, usage: { tokens: 1 } },
    { ...base, seq: 10, time: 3, id: '3', parentId: '2', ms: 1, usage: { tokens: 2 } },
    { ...base, seq: 11, time: 3, id: '2', parentId: '3', ms: undefined, usage: { tokens: 2 } },
    { ...base, seq: 12, time: 3, id: '2', parentId: null, more: '"', usage: { tokens: 2 } },
    { ...base, seq: 13, time: 3, id: '2', parentId: null, more: '\n', usage: { tokens: 2 } },
    { ...base, agent: 'b', seq: 14, time: 4, id: '4', parentId: '2', ms: 1 },
    { ...base, runId: 'other', agent: 'b', seq: 15, time: 4, id: '4', parentId: '2', ms: 1 },
    { ...base, agent: 'b', seq: 16, time: 4, id: '2', parentId: '4', ms: 1 },
    { ...base, agent: undefined, seq: 16, time: 4, id: '4', parentId: '2', ms: 1 },
    { ...base, agent: null, seq: 17, time: 4, id: '5', parentId: '4', ms: 1 },
  ] as unknown as readonly XEvent[]

  it('are read as they were told', () => {
    const texts = { field: (_: string, value: unknown) => JSON.stringify(value), whole: JSON.stringify }
    const writer = new EventWriter(texts)
    const written = told.map((event) => writer.write(event, false))
    const reader = new EventReader()
    const read = written.map((text) => reader.read(JSON.parse(text) as WrittenEvent))
    expect(read).toEqual(told.map((event) => JSON.parse(JSON.stringify(event)) as XEvent))
    expect(written.filter((text) => text.startsWith('['))).toHaveLength(7)
  })

  it('are read as they were told, whichever fields come and go, and whichever cannot be written', () => {
    const value = fc.constantFrom<unknown>(undefined, null, 'x', 1, { a: 1 }, { a: { b: 1 } }, [1], 1n)
    const event = fc.record({
      ...{ type: fc.constantFrom('toolStart', 'toolEnd'), agent: fc.constantFrom('a', 'b', null) },
      ...{ id: fc.constantFrom('1', '2'), parentId: fc.constantFrom('1', null), details: value, more: value },
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const texts = { field: (_: string, each: unknown) => JSON.stringify(each), whole: JSON.stringify }
        const [writer, reader] = [new EventWriter(texts), new EventReader()]
        for (const [seq, each] of events.entries()) {
          const told = { ...each, seq, time: seq } as unknown as XEvent
          let text: string
          try {
            text = writer.write(told, false)
          } catch {
            continue
          }
          expect(reader.read(JSON.parse(text) as WrittenEvent)).toEqual(JSON.parse(JSON.stringify(told)))
        }
      }),
    )
  })

  it('that refer to no earlier one are damaged', () => {
    expect(() => new EventReader().read([0, 0, {}])).toThrow('the record of a run is damaged')
  })
})

it('calls that a resumed run asks again stand once, where they were asked first', () => {
  const reader = new RunReader('run')
  const asked = (session: string, ...places: string[]): string[] => [
    JSON.stringify(['s', session, 0]),
    ...places.map((place) => JSON.stringify(['a', place, 'model', null, {}])),
  ]
  const parts = [asked('one', '1.1', '1.2'), asked('two', '1.1', '1.2', '1.3')].map((lines) => reader.add(lines))
  expect(parts.map(({ calls }) => calls.map(({ place }) => place))).toEqual([['1.1', '1.2'], ['1.3']])
})
