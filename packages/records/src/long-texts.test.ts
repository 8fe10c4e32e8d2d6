import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunTrace, XEvent } from '@x/interfaces'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRecords, readFixture, type Records, type RecordsOptions } from './index.ts'

let dir: string
const opened: Records[] = []

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
})

afterEach(() => {
  for (const records of opened.splice(0)) records.close()
  rmSync(dir, { recursive: true, force: true })
})

function open(file: string, options: Partial<RecordsOptions> = {}): Records {
  const records = openRecords({ now: () => 1e12, ...options, file: join(dir, file) })
  opened.push(records)
  return records
}

function begin(records: Records, runId = 'run-1'): RunTrace {
  const trace = records.begin()
  trace.calls!.begin({ runId, waits: false, resumed: false })
  return trace
}

const event = (fields: object): XEvent =>
  ({
    ...{ runId: 'run-1', seq: 0, time: 1e12, parentId: null, chatId: '1', agentPath: ['ann'], agent: 'ann' },
    ...fields,
  }) as unknown as XEvent

/** Tells a call of a tool with all that a run tells of it. */
function callTool(trace: RunTrace, number: number, { text, args }: { readonly text: string; readonly args: object }) {
  const place = `1.${number}`
  const call = { name: 'read', callId: `c${number}`, arguments: args }
  trace.take(event({ type: 'toolStart', id: `${place}.span0`, ...call }))
  trace.take(event({ type: 'executeFunction', ...call, recipient: 'ann' }))
  trace.calls!.takeInput({ place, kind: 'tool', name: 'read' }, { arguments: args })
  trace.take(event({ type: 'toolEnd', id: `${place}.span0`, ...call, ms: 1, outcome: 'ok', error: null, result: text }))
  trace.calls!.takeEntry({ place, kind: 'tool', name: 'read', value: { success: true, text } })
  const answer = { tool_call_id: `c${number}`, role: 'tool', content: text }
  const reply = { role: 'tool', tool_responses: [answer], content: text }
  trace.take(event({ type: 'replyEnd', id: `${place}.span1`, outcome: 'ok', error: null, reply }))
  trace.calls!.takeInput({ place: `${place}.1`, kind: 'model' }, { messages: [answer], settings: [] })
  trace.take(event({ type: 'chatEnd', id: `${place}.chat`, outcome: 'ok', messages: [{ ...reply, name: 'user' }] }))
}

const bytesOf = (): string => readdirSync(dir).reduce((all, name) => all + readFileSync(join(dir, name), 'latin1'), '')

const countOf = (text: string, part: string): number => text.split(part).length - 1

describe.each(['runs.db', 'runs.jsonl'])('long texts in %s', (file) => {
  it('stand once in a record, and wherever they were told in what is read', async () => {
    const records = open(file)
    const trace = begin(records)
    const [text, query] = [`${'x'.repeat(600)} needle ${'x'.repeat(600)}`, `${'y'.repeat(600)} thread`]
    for (const number of [1, 2, 3]) callTool(trace, number, { text, args: { query, n: number } })
    const run = (await records.read('run-1'))!
    const path = join(dir, 'a.run')
    const fixture = await records.export('run-1')
    writeFileSync(path, fixture)
    records.close()
    for (const part of ['needle', 'thread']) expect(countOf(fixture, part)).toBe(1)
    expect(countOf(bytesOf(), 'needle')).toBe(2)
    for (const { events, entries, calls } of [run, readFixture(path)]) {
      for (const part of ['needle', 'thread']) {
        const told = JSON.stringify([events, entries, calls.map(({ input }) => input)])
        expect(countOf(told, part)).toBe(part === 'needle' ? 3 * 7 : 3 * 4)
      }
      expect(entries[0]!.value).toEqual({ success: true, text })
      expect(events[2]).toMatchObject({ type: 'toolEnd', result: text, arguments: { query, n: 1 } })
    }
  })

  it('are followed by a part that has nothing but their marks', async () => {
    const records = open(file)
    const trace = begin(records)
    const text = 'long '.repeat(200)
    trace.calls!.takeEntry({ place: '1.1', kind: 'tool', name: 'read', value: text })
    const next = records.follow('run-1')
    expect((await next())!.entries[0]!.value).toBe(text)
    trace.calls!.takeEntry({ place: '1.2', kind: 'tool', name: 'read', value: { text } })
    expect((await next())!.entries[0]!.value).toEqual({ text })
  })

  it('are redacted once and cut as others, and leave no byte of a run that is removed', async () => {
    const records = open(file, { redact: (text) => text.replaceAll('Alice', 'A. from Alices'), maxContent: 700 })
    const trace = begin(records)
    callTool(trace, 1, { text: `${'x'.repeat(600)} Alice`, args: { query: 'y'.repeat(900) } })
    const { info, entries, calls } = (await records.read('run-1'))!
    expect(info.problem).toMatch(/redacted|cut/u)
    expect(entries[0]!.value).toEqual({ success: true, text: `${'x'.repeat(600)} A. from Alices` })
    expect(calls[0]!.input).toEqual({ arguments: { query: `${'y'.repeat(700)}… (200 characters more)` } })
    expect(await records.remove('run-1')).toBe(true)
    records.close()
    expect(bytesOf()).not.toMatch(/xxx|yyy/u)
  })

  it('are told from texts that begin as a mark does, wherever those stand', async () => {
    const text = fc.oneof(
      fc.constantFrom('\u0001', '\u00010', '\u00011', '\u000199', '\u0001a', '0', 'a\u00010'),
      fc.constantFrom('x'.repeat(501), `\u0001${'x'.repeat(600)}`, '€"\\'.repeat(300), 'y'.repeat(120)),
      fc.string({ maxLength: 8 }),
    )
    const key = fc.oneof(fc.constantFrom('a', 'v', 'l', 't', 'content', '\u00010', '__proto__', 'toString'), text)
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        ...[text, fc.integer(), fc.constant(null)],
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie('tree')), { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs)),
      ),
    }))
    const records = open(file)
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 4 }), async (values) => {
        const runId = `run-${number++}`
        const trace = begin(records, runId)
        for (const [index, data] of values.entries()) {
          const place = `1.${index}`
          trace.take(event({ type: 'custom', runId, name: 'seen', data, note: typeof data === 'string' ? data : 'x' }))
          trace.calls!.takeInput({ place, kind: 'tool', name: 'read' }, { arguments: { data }, list: [{ data }] })
          trace.calls!.takeEntry({ place, kind: 'tool', name: 'read', value: data })
        }
        const { info, events, entries, calls } = (await records.read(runId))!
        expect(info.problem).toBeNull()
        expect(JSON.stringify(entries.map(({ value }) => value))).toBe(JSON.stringify(values))
        expect(JSON.stringify(events.map((each) => (each as unknown as { data: unknown }).data))).toBe(
          JSON.stringify(values),
        )
        expect(JSON.stringify(calls.map(({ input }) => input))).toBe(
          JSON.stringify(values.map((data) => ({ arguments: { data }, list: [{ data }] }))),
        )
      }),
      { numRuns: 40 },
    )
  })
})

describe('records of version 1', () => {
  it('become those of this release where they are opened to be written, and stay as they are to a reader', async () => {
    for (const file of ['runs.db', 'runs.jsonl']) {
      const path = join(dir, file)
      begin(open(file)).calls!.takeEntry({ place: '1.1', kind: 'tool', name: 'read', value: 'old' })
      opened.pop()!.close()
      if (file === 'runs.db') {
        const db = new DatabaseSync(path)
        db.exec('PRAGMA user_version = 1')
        db.close()
      } else writeFileSync(path, readFileSync(path, 'utf8').replace('{"x-records":2}', '{"x-records":1}'))
      const before = readFileSync(path)
      const reader = open(file, { readOnly: true })
      expect((await reader.read('run-1'))!.entries).toHaveLength(1)
      expect(readFileSync(path).equals(before)).toBe(true)
      const records = open(file)
      const trace = begin(records)
      const text = 'long '.repeat(200)
      for (const place of ['1.2', '1.3'])
        trace.calls!.takeEntry({ place, kind: 'tool', name: 'read', value: { text, place } })
      expect((await records.read('run-1'))!.entries.map(({ value }) => value)).toEqual([
        'old',
        { text, place: '1.2' },
        { text, place: '1.3' },
      ])
      records.close()
      if (file === 'runs.jsonl') expect(readFileSync(path, 'utf8').split('\n')[0]).toBe('{"x-records":2}')
      else {
        const db = new DatabaseSync(path)
        expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 })
        db.close()
      }
    }
  })
})
