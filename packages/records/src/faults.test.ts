import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunTracer, XEvent } from '@x/interfaces'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openRecords, replay, type Records, type RecordsOptions } from './index.ts'

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

/** A run of which a test tells event by event. */
function beginRun(
  tracer: RunTracer,
  runId: string,
  time: unknown = 1e12,
  message = 'Hello.',
): { readonly say: (text: string) => void; readonly end: () => void } {
  const trace = tracer.begin()
  let count = 0
  const take = (event: object): void =>
    trace.take({ runId, time, parentId: null, chatId: '1', agent: 'ann', ...event } as unknown as XEvent)
  trace.calls?.begin({ runId, waits: false, resumed: false })
  trace.calls?.takeEntry({ place: '0', kind: 'begin', value: { runId, ends: true } })
  const chat = { id: '1.chat', recipient: 'bob' }
  take({ ...chat, type: 'chatStart', message, options: {} })
  return {
    say: (text) =>
      take({ type: 'receivedMessage', index: count++, message: Object.freeze({ role: 'user', content: text }) }),
    end: () => take({ ...chat, type: 'chatEnd', outcome: 'ok', ms: 1, error: null }),
  }
}

/** Tells a whole run. */
function tell(tracer: RunTracer, runId: string, texts: readonly string[] = ['one', 'two']): void {
  const run = beginRun(tracer, runId)
  for (const text of texts) run.say(text)
  run.end()
}

const idsOf = async (records: Records): Promise<readonly string[]> =>
  (await records.list()).map(({ runId }) => runId).toSorted()

/** The texts of a run that its events have. */
async function textsOf(records: Records, runId: string): Promise<readonly unknown[]> {
  const { events } = (await records.read(runId))!
  return events.flatMap((event) =>
    event.type === 'receivedMessage' ? [(event.message as { content: unknown }).content] : [],
  )
}

const bytesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]))

describe.each(['runs.db', 'runs.jsonl'])('a file %s', (file) => {
  it('that is removed while a run is recorded is made anew, and the run says that a part of it is missing', async () => {
    const records = open(file)
    const run = beginRun(records, 'run-1')
    run.say('one')
    records.flush()
    rmSync(join(dir, file))
    run.say('two')
    run.end()
    tell(records, 'run-2')
    records.close()
    const later = open(file)
    expect(await idsOf(later)).toEqual(['run-1', 'run-2'])
    const { info } = (await later.read('run-1'))!
    expect(info).toMatchObject({ outcome: 'ok', problem: 'a part of the record is missing' })
    expect((await later.read('run-2'))!.info.problem).toBeNull()
    expect((await replay((await later.read('run-1'))!, async () => {})).outcome).toBe('cannot')
    expect(statSync(join(dir, file)).mode & 0o077).toBe(0)
  })

  it('that is replaced while a run is recorded gets what comes then', async () => {
    const records = open(file)
    tell(records, 'run-1')
    records.flush()
    tell(open(`other-${file}`), 'run-2')
    opened.at(-1)!.close()
    renameSync(join(dir, `other-${file}`), join(dir, file))
    tell(records, 'run-3')
    expect(await idsOf(records)).toEqual(['run-2', 'run-3'])
  })

  it('is written by several processes at once, one of which removes runs', async () => {
    const [one, other] = [open(file), open(file)]
    const runs = [beginRun(one, 'run-1'), beginRun(other, 'run-2'), beginRun(one, 'gone')] as const
    for (let n = 0; n < 40; n++) {
      for (const run of runs) run.say(`text ${n}`)
      one.flush()
      other.flush()
      if (n === 20) await other.remove('gone')
    }
    for (const run of runs) run.end()
    one.flush()
    other.flush()
    for (const runId of ['run-1', 'run-2']) {
      expect(await textsOf(one, runId)).toEqual(Array.from({ length: 40 }, (_, n) => `text ${n}`))
      expect((await other.read(runId))!.info).toMatchObject({ problem: null, outcome: 'ok', messages: 40 })
    }
    // It went on behind its removal.
    expect(await one.read('gone')).toBeUndefined()
    expect(await idsOf(other)).toEqual(['run-1', 'run-2'])
  })

  it('is read without a change in it or beside it, also where nothing may be written', async () => {
    const folder = join(dir, 'kept')
    mkdirSync(folder)
    const records = open(`kept/${file}`)
    tell(records, 'run-1')
    records.close()
    chmodSync(join(folder, file), 0o444)
    chmodSync(folder, 0o555)
    const before = bytesOf(folder)
    try {
      const reader = open(`kept/${file}`, { readOnly: true })
      expect(await idsOf(reader)).toEqual(['run-1'])
      expect(await textsOf(reader, 'run-1')).toEqual(['one', 'two'])
      expect(await reader.export('run-1')).toContain('"x-run"')
      expect(bytesOf(folder)).toEqual(before)
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o444)
      const refusal = expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('`readOnly`') })
      expect(() => reader.begin()).toThrow(refusal as Error)
      await expect(reader.remove('run-1')).rejects.toEqual(refusal)
      await expect(reader.label('run-1', { name: 'a', value: 1 })).rejects.toEqual(refusal)
    } finally {
      chmodSync(folder, 0o755)
    }
  })

  it('is read while a run is recorded in it', async () => {
    const records = open(file)
    const run = beginRun(records, 'run-1')
    records.flush()
    const reader = open(file, { readOnly: true })
    expect((await reader.list())[0]).toMatchObject({ outcome: null, cutOff: false })
    run.say('one')
    records.flush()
    expect(await textsOf(reader, 'run-1')).toEqual(['one'])
  })

  it('does not make a file to read', () => {
    expect(() => open(file, { readOnly: true })).toThrow()
    expect(existsSync(join(dir, file))).toBe(false)
  })

  it('is followed by its new part alone', async () => {
    const records = open(file)
    const run = beginRun(records, 'run-1')
    const next = records.follow('run-1')
    expect((await next())!.events.map(({ type }) => type)).toEqual(['chatStart'])
    expect((await next())!.events).toEqual([])
    const long = 'x'.repeat(500)
    for (const text of [long, 'two', long]) {
      run.say(text)
      const part = (await next())!
      // What a later part refers to may be in an earlier one.
      expect(part.events).toMatchObject([{ type: 'receivedMessage', message: { content: text } }])
    }
    run.end()
    expect(await next()).toMatchObject({ events: [{ type: 'chatEnd' }], info: { outcome: 'ok', problem: null } })
    expect(await records.follow('nothing')()).toBeUndefined()
  })

  it('lists runs whose ids begin alike', async () => {
    const records = open(file)
    for (const runId of ['a', 'ab', 'abc', 'b', 'a%', 'A']) tell(records, runId)
    const like = async (runId: string): Promise<readonly string[]> =>
      (await records.list({ runId })).map((info) => info.runId).toSorted()
    expect(await like('ab')).toEqual(['ab', 'abc'])
    expect(await like('a%')).toEqual(['a%'])
    expect(await like('')).toHaveLength(6)
    expect(await like('c')).toEqual([])
  })
})

describe('a file of SQLite', () => {
  it('is refused if its end is missing, however little, unless the log beside it has that', async () => {
    const records = open('runs.db')
    for (let count = 0; count < 20; count++) tell(records, `run-${count}`, ['x'.repeat(5000)])
    records.flush()
    // The log has all, as after the end of a process.
    for (const end of ['', '-wal']) copyFileSync(join(dir, `runs.db${end}`), join(dir, `copy.db${end}`))
    records.close()
    const whole = readFileSync(join(dir, 'runs.db'))
    truncateSync(join(dir, 'copy.db'), Math.min(statSync(join(dir, 'copy.db')).size, whole.length - 10_000))
    expect(await open('copy.db').list({ limit: 100 })).toHaveLength(20)
    for (const missing of [1, 10_000, 40_000]) {
      writeFileSync(join(dir, 'cut.db'), whole.subarray(0, whole.length - missing))
      for (const readOnly of [false, true]) {
        expect(() => open('cut.db', { readOnly })).toThrow(
          expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('restore the file') }),
        )
      }
    }
    writeFileSync(join(dir, 'cut.db'), whole)
    expect(await open('cut.db').list({ limit: 100 })).toHaveLength(20)
  })
})

describe('a run without an end', () => {
  it('is cut off if its process has ended, in its file and in its fixture', async () => {
    const records = open('runs.jsonl')
    beginRun(records, 'run-1').say('one')
    records.close()
    const path = join(dir, 'runs.jsonl')
    const text = readFileSync(path, 'utf8')
    const writers: readonly [string, boolean][] = [
      [`"pid":${process.pid}`, false],
      // The highest number that Linux gives is lower.
      ['"pid":99999999', true],
      [`"pid":0`, true],
      [`"pid":${process.pid},"began":"1"`, process.platform === 'linux'],
    ]
    for (const [writer, cutOff] of writers) {
      writeFileSync(
        path,
        text.replace(
          /"pid":\d+(?:,"began":"\d+")?(?=[,}])/u,
          writer.includes('began') ? writer : `${writer},"began":null`,
        ),
      )
      const reader = open('runs.jsonl', { readOnly: true })
      expect([writer, (await reader.list())[0]!.cutOff]).toEqual([writer, cutOff])
      expect(await reader.export('run-1')).toContain(`"cutOff":${cutOff}`)
    }
  })
})

describe('a file of JSON lines', () => {
  it('begins with its version, and another one is refused', async () => {
    const path = join(dir, 'runs.jsonl')
    tell(open('runs.jsonl'), 'run-1')
    opened.at(-1)!.close()
    const text = readFileSync(path, 'utf8')
    expect(text.split('\n')[0]).toBe('{"x-records":2}')
    const refused = (readOnly: boolean): void => expect(() => open('runs.jsonl', { readOnly })).toThrow()
    for (const other of ['{"x-records":3}', '{"runId":"a"}', 'hello', '7']) {
      writeFileSync(path, text.replace('{"x-records":2}', other))
      refused(false)
      refused(true)
      expect(readFileSync(path, 'utf8')).toContain(other)
    }
    writeFileSync(path, text.replace('{"x-records":2}', '{"x-records":3}'))
    expect(() => open('runs.jsonl')).toThrow(expect.objectContaining({ code: 'unknown-state-version' }) as Error)
  })

  it('has pieces once that were written twice, and knows those that are missing', async () => {
    const path = join(dir, 'runs.jsonl')
    const records = open('runs.jsonl')
    const run = beginRun(records, 'run-1')
    for (const text of ['one', 'two', 'three']) {
      run.say(text)
      records.flush()
    }
    run.end()
    records.close()
    const [header, ...lines] = readFileSync(path, 'utf8').split('\n')
    const read = async (kept: readonly string[]): Promise<object> => {
      writeFileSync(path, [header, ...kept].join('\n'))
      const reader = open('runs.jsonl', { readOnly: true })
      return { texts: await textsOf(reader, 'run-1'), ...(await reader.read('run-1'))!.info }
    }
    const whole = { texts: ['one', 'two', 'three'], messages: 3, problem: null }
    expect(await read(lines)).toMatchObject(whole)
    expect(await read([...lines, ...lines])).toMatchObject(whole)
    expect(await read([lines[0]!, ...lines.slice(2)])).toMatchObject({
      // What comes behind it may refer to what was in it.
      texts: ['one'],
      problem: 'a part of the record is missing',
    })
  })

  it('says that a line has no end, and leaves it out', async () => {
    const path = join(dir, 'runs.jsonl')
    const records = open('runs.jsonl')
    tell(records, 'run-1')
    records.flush()
    const run = beginRun(records, 'run-2')
    run.say('one')
    records.close()
    writeFileSync(path, readFileSync(path).subarray(0, -5))
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    try {
      const later = open('runs.jsonl')
      tell(later, 'run-3')
      expect(await idsOf(later)).toEqual(['run-1', 'run-3'])
      expect(warning.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('has no end')])
    } finally {
      warning.mockRestore()
    }
  })
})

describe('a file that cannot be written', () => {
  it('is told once, the runs go on, and what waits is written when it can be', async () => {
    const errors: string[] = []
    const records = open('runs.db', { onError: (error) => errors.push((error as Error).message) })
    const other = new DatabaseSync(join(dir, 'runs.db'))
    // Nothing more fits in: as on a full disk.
    records.flush()
    other.exec("CREATE TRIGGER full BEFORE INSERT ON pieces BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    tell(records, 'run-1')
    records.flush()
    expect(errors).toEqual(['disk is full'])
    other.exec('DROP TRIGGER full')
    other.close()
    expect(await textsOf(records, 'run-1')).toEqual(['one', 'two'])
    expect((await records.read('run-1'))!.info.problem).toBeNull()
  })

  it.each(['runs.db', 'runs.jsonl'])('is refused with what to do: %s', (file) => {
    for (const readOnly of [false, true]) {
      expect(() => open(`nowhere/${file}`, { readOnly })).toThrow(
        expect.objectContaining({
          code: 'invalid-argument',
          message: expect.stringMatching(
            readOnly
              ? /^cannot open the records in `.*` \(.+\): name a file that you may read$/u
              : /^cannot open the records in `.*` \(.+\): name a file that you may write, in a folder that exists$/u,
          ) as string,
        }) as Error,
      )
    }
  })

  it('is told once if another process holds it to the end, and the record has no end', async () => {
    const errors: string[] = []
    const records = open('runs.db', { onError: (error) => errors.push((error as Error).message) })
    const run = beginRun(records, 'run-1')
    run.say('one')
    records.flush()
    const other = new DatabaseSync(join(dir, 'runs.db'))
    other.exec('BEGIN IMMEDIATE')
    run.say('two')
    run.end()
    records.close()
    expect(errors).toEqual(['database is locked'])
    other.exec('ROLLBACK')
    other.close()
    const later = open('runs.db')
    expect((await later.list())[0]).toMatchObject({ runId: 'run-1', outcome: null })
    expect(await textsOf(later, 'run-1')).toEqual(['one'])
  })

  it('loses what is too much to wait, and the run says so', async () => {
    const errors: unknown[] = []
    const records = open('runs.db', { onError: (error) => errors.push(error) })
    const other = new DatabaseSync(join(dir, 'runs.db'))
    other.exec("CREATE TRIGGER full BEFORE INSERT ON pieces BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    const run = beginRun(records, 'run-1')
    for (let n = 0; n < 1100; n++) {
      run.say(`text ${n}`)
      records.flush()
    }
    other.exec('DROP TRIGGER full')
    other.close()
    run.end()
    records.flush()
    const kept = (await records.read('run-1'))!
    expect(kept.info).toMatchObject({ outcome: 'ok', problem: expect.stringContaining('lost') as string })
    expect(kept.events.at(-1)).toMatchObject({ type: 'chatEnd' })
    expect((await textsOf(records, 'run-1')).slice(0, 3)).toEqual(['text 0', 'text 1', 'text 2'])
    expect((await replay(kept, async () => {})).outcome).toBe('cannot')
  })
})

/** Tells events of a run that has all turns of the event loop, one every so many milliseconds. */
function tellAtOnce(tracer: RunTracer, events: readonly object[], ms = 1): void {
  const trace = tracer.begin()
  trace.calls?.begin({ runId: 'run-1', waits: false, resumed: false })
  trace.calls?.takeEntry({ place: '0', kind: 'begin', value: { runId: 'run-1', ends: true } })
  for (const [seq, event] of events.entries()) {
    const common = { runId: 'run-1', seq, time: 1e12 + seq * ms, parentId: null, chatId: '1', agent: 'ann' }
    trace.take({ ...common, ...event } as unknown as XEvent)
  }
}

const custom = (data: unknown): object => ({ type: 'custom', name: 'mine', data })

describe.each(['runs.db', 'runs.jsonl'])('a run with unusual events in %s', (file) => {
  it('is in the file up to the last second although it lets no timer have its turn', async () => {
    const records = open(file)
    tellAtOnce(records, Array.from({ length: 50 }, custom), 100)
    const reader = open(file, { readOnly: true })
    expect((await reader.read('run-1'))!.events.length).toBeGreaterThan(40)
    expect((await records.read('run-1'))!.events).toHaveLength(50)
  })

  it('is written in parts, however much it tells at once', async () => {
    const records = open(file)
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(999_990, 'x'))
    tellAtOnce(records, texts.map(custom))
    expect((await records.read('run-1'))!.events).toMatchObject(texts.map((data) => ({ data })))
    expect(await records.export('run-1')).toMatch(/\n\["s","[^"]+",1\]\n/u)
  })

  it('goes on, and is read, with an event that cannot be written or not even read', async () => {
    const fail = (): never => {
      throw new Error('it fails with sk-CanaryOf2026-123456')
    }
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const hostile = new Proxy({}, { has: fail, ownKeys: fail, getPrototypeOf: fail })
    const getter = Object.defineProperty({}, 'x', { get: fail, enumerable: true })
    const last = [{ type: 'warning', text: 'a' }, { type: 'warning', text: 'b' }, custom(1), custom(2)]
    const records = open(file)
    tellAtOnce(records, [...[getter, hostile, cycle, 1n].map(custom), ...last])
    const run = (await records.read('run-1'))!
    expect(run.events).toMatchObject(last)
    expect(run.info.problem).toContain('it fails with [redacted]')
    expect(Object.values(bytesOf(dir)).join('\n')).not.toContain('CanaryOf2026')
  })

  it.each([NaN, Infinity, 1e18, -1e18, 'today', null])(
    'has the time of now where a clock gives %s, and spoils no other run',
    async (time) => {
      const records = open(file)
      tell(records, 'run-1')
      const run = beginRun(records, 'run-2', time)
      run.say('What now?')
      run.end()
      tell(records, 'run-3')
      expect(await idsOf(records)).toEqual(['run-1', 'run-2', 'run-3'])
      const { info, events } = (await records.read('run-2'))!
      for (const each of [info.began, info.last, ...events.map((event) => event.time)])
        expect(new Date(each).getTime()).toBeGreaterThan(1e12)
    },
  )

  it('has its events in order with the shortest texts', async () => {
    const records = open(file, { maxContent: 3 })
    tellAtOnce(records, [{ type: 'warning', text: 'a long text' }, custom('another'), custom('a third')])
    const { events } = (await records.read('run-1'))!
    expect(events.map(({ type, runId, chatId }) => [type, runId, chatId])).toEqual([
      ['warning', 'run-1', '1'],
      ['custom', 'run-1', '1'],
      ['custom', 'run-1', '1'],
    ])
    expect(JSON.stringify(events)).not.toMatch(/a lo|anot|a th/u)
  })

  it('has agents and calls apart whose names begin alike, with the shortest texts', async () => {
    const records = open(file, { maxContent: 8 })
    const told = ['support-agent-1', 'support-agent-2', 'support-agent-1', 'support-agent-2', 'support-agent-1']
    const events = told.map((agent, index) => ({
      ...custom('a'),
      type: 'toolStart',
      agent,
      callId: `long-call-${index}`,
    }))
    tellAtOnce(records, events)
    const run = (await records.read('run-1'))!
    expect(run.events.map(({ agent }) => agent)).toEqual(told)
    expect(run.events.map((event) => (event as { callId?: unknown }).callId)).toEqual(
      events.map(({ callId }) => callId),
    )
    expect(run.info.problem).toBeNull()
  })

  it('has no half of a character where a text or a title is cut', async () => {
    const records = open(file, { maxContent: 4 })
    tellAtOnce(records, [{ type: 'warning', text: 'abc👍 and more' }])
    expect(JSON.stringify((await records.read('run-1'))!.events)).toContain('"abc… (')
    const whole = open(`whole-${file}`)
    beginRun(whole, 'run-2', 1e12, `${'x'.repeat(198)}👍👍`)
    expect((await whole.list())[0]!.title).toBe(`${'x'.repeat(198)}…`)
  })
})

describe('a file of records', () => {
  it.each(['runs.db', 'runs.jsonl', ':memory:', 'file:a.db', 'a?b#c%20.db'])(
    'is the one that was named, wherever the process goes: %s',
    async (file) => {
      const cwd = vi.spyOn(process, 'cwd').mockReturnValue(dir)
      const records = openRecords({ file, now: () => 1e12 })
      opened.push(records)
      cwd.mockReturnValue(tmpdir())
      try {
        tell(records, 'run-1')
        records.flush()
        expect(await idsOf(records)).toEqual(['run-1'])
        expect(await idsOf(open(file, { readOnly: true }))).toEqual(['run-1'])
        expect(existsSync(join(tmpdir(), file))).toBe(false)
      } finally {
        cwd.mockRestore()
      }
    },
  )

  it('says that a run is not recorded which begins after it was closed', () => {
    const errors: string[] = []
    const records = open('runs.db', { onError: (error) => errors.push((error as Error).message) })
    records.close()
    tell(records, 'run-1')
    expect(errors).toEqual([expect.stringMatching(/^the records in `.*runs\.db` are closed: /u)])
  })
})
