import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ChatMessage, RunTracer, XEvent } from '@x/interfaces'
import { isXError } from '@x/kernel'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { openRecords, readFixture, replay, type Records, type RecordsOptions } from './index.ts'

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

const FILES = ['runs.db', 'runs.jsonl']
const bytesOf = (): string =>
  readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), 'latin1'))
    .join('\n')

interface Facts {
  readonly runId?: string
  readonly time?: number
  readonly text?: string
  readonly turns?: number
}

/** Lets a run happen as its trace hears of it: a chat of a user with a clerk. */
function tell(
  tracer: RunTracer,
  { runId = 'run-1', time = 1e12, text = 'How much is tea?', turns = 2 }: Facts = {},
): void {
  const trace = tracer.begin()
  const common = { runId, time, parentId: null, chatId: '1', agentPath: ['clerk'] }
  const take = (event: object): void => trace.take({ ...common, ...event } as unknown as XEvent)
  trace.calls?.begin({ runId, waits: false, resumed: false })
  trace.calls?.takeEntry({ place: '0', kind: 'begin', value: { runId, ends: true } })
  take({ type: 'chatStart', id: '1.chat', agent: 'user', recipient: 'clerk', message: text, options: {} })
  // Messages of conversations are frozen, so that they are known again.
  const messages: ChatMessage[] = []
  const say = (role: ChatMessage['role'], content: string): void =>
    void messages.push(Object.freeze<ChatMessage>({ role, content }))
  say('system', 'You sell.')
  for (let turn = 1; turn <= turns; turn++) {
    say('user', `${text} ${turn}`)
    const place = `1.${turn}`
    trace.calls?.takeInput({ place, kind: 'model' }, { messages, settings: [{ temperature: 0 }] })
    trace.takeRequest?.(`${place}.0`, messages)
    trace.calls?.takeEntry({ place, kind: 'model', value: { reply: `answer ${turn}` } })
    take({
      type: 'receivedMessage',
      agent: 'clerk',
      sender: 'clerk',
      recipient: 'user',
      index: turn,
      message: messages.at(-1),
    })
    say('assistant', `answer ${turn}`)
  }
  take({
    type: 'chatEnd',
    id: '1.chat',
    agent: 'user',
    recipient: 'clerk',
    outcome: 'ok',
    ms: 1,
    error: null,
    messages,
  })
}

const inputsOf = async (records: Records, runId = 'run-1'): Promise<unknown> => {
  const run = await records.read(runId)
  if (!run) return null
  const { info, events, entries } = run
  return { title: info.title, problem: info.problem, events, entries, inputs: run.calls.map(({ input }) => input) }
}

describe.each(FILES)('records in %s', (file) => {
  it('are read as they were told, by another process too, and only by the owner of the file', async () => {
    const records = open(file)
    tell(records)
    const told = await inputsOf(records)
    expect(told).toMatchObject({
      title: 'How much is tea?',
      problem: null,
      events: { length: 4 },
      entries: { length: 3 },
    })
    records.close()
    expect(await inputsOf(open(file))).toEqual(told)
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o077).toBe(0)
  })

  it('are listed by what is asked for, the newest first', async () => {
    const records = open(file, { keepDays: 1e6 })
    for (const [index, app] of ['a', 'b', 'a'].entries())
      tell(records.tagged({ app }), { runId: `run-${index}`, time: 1000 + index })
    const ids = async (query: object): Promise<readonly string[]> =>
      (await records.list(query)).map(({ runId }) => runId)
    expect(await ids({})).toEqual(['run-2', 'run-1', 'run-0'])
    expect(await ids({ tags: { app: 'a' } })).toEqual(['run-2', 'run-0'])
    expect(await ids({ tags: { app: 'a' }, limit: 1 })).toEqual(['run-2'])
    expect(await ids({ since: 1001, before: 1002 })).toEqual(['run-1'])
    expect(await ids({ agent: 'clerk', outcome: 'ok' })).toEqual(['run-2', 'run-1', 'run-0'])
    expect(await ids({ agent: 'nobody' })).toEqual([])
  })

  it('have labels, of which a later one replaces an earlier one of its name and place', async () => {
    const records = open(file)
    tell(records)
    for (const value of [1, 2]) await records.label('run-1', { name: 'score', value })
    await records.label('run-1', { name: 'score', value: 3, place: '1.1' })
    const { labels } = (await records.read('run-1'))!.info
    expect(labels).toMatchObject([
      { value: 2, place: null },
      { value: 3, place: '1.1' },
    ])
    await expect(records.label('run-9', { name: 'score', value: 1 })).rejects.toMatchObject({
      code: 'invalid-argument',
    })
  })

  it.each([
    ['a number of any size', { name: 'score', value: 1n }],
    ['nothing', { name: 'score', value: undefined }],
    ['the mean of nothing', { name: 'score', value: NaN }],
    ['a function', { name: 'score', value: () => 1 }],
    ['no name', { value: 1 } as never],
  ])('have no label with %s', async (_, label) => {
    const records = open(file)
    tell(records)
    await expect(records.label('run-1', label)).rejects.toMatchObject({ code: 'invalid-argument' })
    expect((await records.list())[0]!.labels).toEqual([])
  })

  it('leave no byte of a run that is removed, or too old, or too much', async () => {
    const records = open(file, { keepDays: 1, maxBytes: 5000, now: () => 1e12 })
    tell(records, { runId: 'run-0', time: 1e12 - 9e7, text: 'canary of an old run' })
    tell(records, { runId: 'run-1', time: 1e12 - 2, text: `canary of a large run ${'x'.repeat(5000)}` })
    tell(records, { runId: 'run-2', time: 1e12 - 1, text: 'canary of a run to remove' })
    tell(records, { runId: 'run-3', text: 'it stays' })
    expect((await records.list()).map(({ runId }) => runId)).toEqual(['run-3', 'run-2'])
    expect(await records.remove('run-2')).toBe(true)
    expect(await records.remove('run-2')).toBe(false)
    expect(bytesOf()).not.toContain('canary')
    expect(await inputsOf(records, 'run-3')).toMatchObject({ title: 'it stays', problem: null })
  })

  it('let others write while very many runs are removed', async () => {
    const records = open(file, { keepDays: 1, now: () => 1e12 })
    for (let n = 0; n < 510; n++) tell(records, { runId: `run-${n}`, time: 1e12 - 9e7 })
    const errors: unknown[] = []
    const other = open(file, { keepDays: 1e6, onError: (error) => void errors.push(error) })
    const wait = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
      tell(other, { runId: 'other' })
      other.flush()
      return 'timed-out'
    })
    onTestFinished(() => wait.mockRestore())
    expect((await records.list({ limit: 1000 })).map(({ runId }) => runId)).toEqual(file === 'runs.db' ? ['other'] : [])
    expect(errors).toEqual([])
  })

  it('have nothing of a run that is removed while it goes on, but of one that begins with its id later', async () => {
    const records = open(file)
    const begin = (): { readonly take: (text: string) => void } => {
      const trace = records.begin()
      trace.calls!.begin({ runId: 'run-1', waits: false, resumed: false })
      const event = { type: 'receivedMessage', runId: 'run-1', time: 1e12, parentId: null, chatId: '1', agent: 'ann' }
      return {
        take: (text) => trace.take({ ...event, message: { role: 'user', content: text } } as unknown as XEvent),
      }
    }
    const run = begin()
    run.take('first')
    expect(await records.remove('run-1')).toBe(true)
    run.take('canary')
    expect(await records.list()).toEqual([])
    begin().take('later')
    run.take('canary')
    expect((await records.read('run-1'))!.events).toHaveLength(1)
    records.close()
    expect(bytesOf()).not.toContain('canary')
  })

  it('have a run that waits before it has told an event', async () => {
    const records = open(file, { keepDays: 1 })
    const first = records.begin()
    first.calls!.begin({ runId: 'run-1', waits: true, resumed: false })
    first.calls!.takeEntry({ place: '0', kind: 'begin', value: { runId: 'run-1', ends: true } })
    expect(await records.list()).toMatchObject([{ runId: 'run-1', began: 1e12, last: 1e12, outcome: null }])
    tell(records, { time: 1e12 + 5 })
    const run = (await records.read('run-1'))!
    expect(run.info).toMatchObject({ began: 1e12, last: 1e12 + 5, outcome: 'ok', problem: null })
    expect(run.entries[0]).toMatchObject({ place: '0', kind: 'begin' })
  })

  it('have tags and labels as they were to be redacted, and can be repeated', async () => {
    const records = open(file, { redact: (text) => text.replaceAll('Alice 7', '***') })
    tell(records.tagged({ customer: 'Alice 7', app: 'shop' }))
    await records.label('run-1', { name: 'note', value: 'of Alice 7' })
    await records.label('run-1', { name: 'notes', value: { by: ['Alice 7', 1] } })
    const [info] = await records.list({ tags: { customer: '***' } })
    expect(info).toMatchObject({ tags: { customer: '***', app: 'shop' }, problem: null })
    expect(info!.labels).toMatchObject([{ value: 'of ***' }, { value: { by: ['***', 1] } }])
    expect(bytesOf()).not.toContain('Alice')
  })

  it('have names, numbers and times without content', async () => {
    const records = open(file, { content: false })
    tell(records.tagged({ app: 'shop' }), { text: 'canary' })
    expect(await records.read('run-1')).toMatchObject({
      info: { agents: ['user', 'clerk'], problem: expect.any(String) },
    })
    expect(bytesOf()).not.toMatch(/canary|You sell|answer/u)
  })

  it('have no text that was to be redacted, and say that the run cannot be repeated', async () => {
    const records = open(file, { redact: (text) => text.replaceAll('Alice 7', '***') })
    tell(records, { text: `${'x'.repeat(195)}Alice 7 is here` })
    const trace = records.begin()
    trace.calls!.begin({ runId: 'run-2', waits: false, resumed: false })
    trace.calls!.takeInput(
      { place: '1.1', kind: 'tool', name: 'Alice 7' },
      { arguments: { 'Alice 7': [{ x: 'Alice 7' }] } },
    )
    trace.calls!.takeEntry({ place: '1.1', kind: 'tool', name: 'Alice 7', value: { text: 'Alice 7' } })
    trace.calls!.fail('what Alice 7 gave cannot be kept')
    const end = { type: 'chatEnd', id: '1', outcome: 'error', error: { code: null, message: 'Alice 7 failed' }, ms: 1 }
    trace.take({ ...end, runId: 'run-2', time: 1e12, parentId: null, agent: 'Alice 7' } as unknown as XEvent)
    const run = (await records.read('run-2'))!
    expect(run.info).toMatchObject({ error: '*** failed', problem: 'a text was redacted' })
    expect(bytesOf()).not.toContain('Alice')
    expect(run.calls[0]!.input).toEqual({ arguments: { '***': [{ x: '***' }] } })
  })

  it('have texts up to a length, and say that the run cannot be repeated', async () => {
    const records = open(file, { maxContent: 50 })
    tell(records, { text: 'y'.repeat(400) })
    expect((await records.read('run-1'))!.info.problem).toContain('`maxContent`, 50')
    expect(bytesOf()).not.toContain('y'.repeat(51))
  })

  it('go on with the run if `redact`, `onError` or the values of a run fail', async () => {
    const fail = (): never => {
      throw new Error('it fails')
    }
    const records = open(file, { redact: fail, onError: fail })
    tell(records)
    expect((await records.read('run-1'))!.info.problem).toContain('could not be written')
    const others = open(`other-${file}`)
    const trace = others.begin()
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    trace.calls!.begin({ runId: 'run-1', waits: false, resumed: false })
    trace.calls!.takeInput({ place: '1.1', kind: 'tool', name: 'x' }, { cycle, big: 1n, call: fail })
    trace.calls!.takeEntry({ place: '1.1', kind: 'tool', name: 'x', value: cycle })
    expect((await others.read('run-1'))?.info.problem ?? '').toContain('circular')
  })

  it('grow by what is new in a turn', async () => {
    const sizes: number[] = []
    for (const turns of [50, 500, 5000]) {
      const records = open(`${turns}-${file}`)
      tell(records, { turns })
      const run = (await records.read('run-1'))!
      expect(run.calls).toHaveLength(turns)
      expect(run.calls.at(-1)!.input['messages']).toHaveLength(2 * turns)
      // Every message stands once more in the list of the last event.
      sizes.push(run.info.bytes / turns)
    }
    expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(1.2)
  })

  it('with any damaged bytes are read, or refused by an error that says so', async () => {
    const records = open(file)
    tell(records, { turns: 5 })
    records.close()
    const whole = readFileSync(join(dir, file))
    const at = fc.nat({ max: whole.length - 1 })
    const damage = fc.oneof(
      fc.record({ at, byte: fc.nat({ max: 255 }) }),
      fc.record({ at, byte: fc.constantFrom(...Buffer.from('{}[]",:0-1e\n')) }),
      fc.record({ at, end: fc.constant(true) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
        let bytes = Buffer.from(whole)
        for (const { at: place, ...how } of damages) {
          if ('end' in how) bytes = bytes.subarray(0, place)
          else if (place < bytes.length) bytes[place] = how.byte
        }
        for (const name of readdirSync(dir)) rmSync(join(dir, name))
        writeFileSync(join(dir, file), bytes, { mode: 0o600 })
        let damaged: Records | undefined
        try {
          damaged = openRecords({ file: join(dir, file), now: () => 1e12 })
          for (const { runId } of await damaged.list()) {
            const run = await damaged.read(runId)
            for (const call of run?.calls ?? []) void call.input
            run?.requestOf('1.1.0')
          }
        } catch (error) {
          expect(isXError(error), String((error as Error).stack)).toBe(true)
        } finally {
          damaged?.close()
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('a file that cannot be written', () => {
  it('is a warning, and what waits is written later', async () => {
    const errors: unknown[] = []
    const records = open('runs.db', { onError: (error) => errors.push(error) })
    const other = new DatabaseSync(join(dir, 'runs.db'))
    other.exec('BEGIN IMMEDIATE')
    tell(records)
    records.flush()
    expect(errors).toHaveLength(0)
    other.exec('ROLLBACK')
    other.close()
    expect(await inputsOf(records)).toMatchObject({ title: 'How much is tea?', problem: null })
  })

  it.each([
    ['a file of SQLite that is none of records', 'not one of records'],
    ['a file that is none of SQLite', 'cannot be read'],
    ['a newer version', 'update `@x/records`'],
  ])('is refused when it is opened: %s', (kind, text) => {
    const path = join(dir, 'runs.db')
    if (kind === 'a file that is none of SQLite') writeFileSync(path, 'x'.repeat(5000))
    else if (kind === 'a newer version') {
      open('runs.db').close()
      const db = new DatabaseSync(path)
      db.exec('PRAGMA user_version = 3')
      db.close()
    } else {
      const db = new DatabaseSync(path)
      db.exec('CREATE TABLE people (name TEXT)')
      db.close()
    }
    expect(() => openRecords(path)).toThrow(text)
  })

  it('is refused where its options are no options, or stand beside the file', () => {
    const beside = openRecords as (file: unknown, more?: unknown) => unknown
    const path = join(dir, 'runs.db')
    for (const more of [{ content: false }, 'x', 7, null]) {
      expect(() => beside(path, more)).toThrow('give the file as `file` of the options')
    }
    expect(existsSync(path)).toBe(false)
    for (const [given, text] of [
      [7, 'its options'],
      [null, 'its options'],
      [{ file: path, contents: false }, '`contents` is unknown'],
      [{}, '`file` is missing'],
    ]) {
      expect(() => beside(given)).toThrow(text)
    }
  })

  it('refuses a query that would list other runs, and options of a replay that would say nothing', async () => {
    const records = open('runs.db')
    tell(records)
    const list = records.list.bind(records) as (query: unknown) => Promise<unknown>
    for (const query of [
      { tag: { app: 'shop' } },
      { tags: 'shop' },
      { outcome: 'failed' },
      { since: new Date() },
      'run-1',
    ]) {
      await expect(list(query)).rejects.toMatchObject({ code: 'invalid-argument' })
    }
    expect(await list({ limit: Infinity, before: Infinity, tags: {} })).toHaveLength(1)
    const run = (await records.read('run-1'))!
    const again = replay as (kept: unknown, program: unknown, options: unknown) => Promise<unknown>
    for (const options of [
      { ignore: 'chatEnd' },
      { ignore: [7] },
      { ignore: [''] },
      { make: 'tool' },
      { make: ['tools'] },
    ]) {
      await expect(again(run, () => {}, options)).rejects.toMatchObject({ code: 'invalid-argument' })
    }
  })

  it('loses the end of a line of JSON, and is written on behind it', async () => {
    const path = join(dir, 'runs.jsonl')
    const records = open('runs.jsonl')
    tell(records)
    records.close()
    const whole = readFileSync(path, 'utf8')
    for (let end = 1; end < whole.length; end += 7) {
      writeFileSync(path, whole.slice(0, end))
      const later = openRecords({ file: path, now: () => 1e12 })
      tell(later, { runId: 'run-2' })
      expect(await inputsOf(later, 'run-2')).toMatchObject({ title: 'How much is tea?', problem: null })
      later.close()
    }
  })
})

it('a fixture that is damaged is refused', async () => {
  const records = open('runs.db')
  tell(records)
  const text = await records.export('run-1')
  const path = join(dir, 'a.run')
  for (const damaged of [
    '',
    '{}',
    'null',
    '{"x-run":2,"info":{}}',
    // Facts of which a list or a sum would fail.
    text.replace(/"last":\d+/u, '"last":1e17'),
    text.replace(/"began":\d+/u, '"began":-1e17'),
    text.replace(/"spent":\[.*?\]/u, '"spent":[{}]'),
    text.replace(/"spent":\[.*?\]/u, '"spent":[{"day":5,"agent":null,"model":"m"}]'),
    text.replace('"tags":{', '"tags":{"n":5'),
    text.replace('"parent":null', '"parent":{}'),
    text.replace('"parent":null', '"parent":{"runId":"a","place":1}'),
    text.replace('"labels":[]', '"labels":[{"name":5,"value":1,"place":null,"at":1}]'),
    text.replace('"labels":[]', '"labels":[{"name":"a","value":1,"place":null,"at":1e17}]'),
    `${text}["v",1]\n`,
    `${text}["e",null]\n`,
    `${text}[7]\n`,
    `${text}{`,
  ]) {
    writeFileSync(path, damaged)
    expect(() => readFixture(path)).toThrow(expect.objectContaining({ code: 'invalid-state' }))
  }
  writeFileSync(path, text.replace('"x-run":2', '"x-run":3'))
  expect(() => readFixture(path)).toThrow('this release reads the versions 1 and 2')
  chmodSync(path, 0o600)
})

describe('the thread that writes', () => {
  /** More turns than are written at once. */
  const MANY = { turns: 3000 }

  it('brings no run back that was removed while the thread had a part of it', async () => {
    const records = open('runs.db')
    // Threads of earlier tests are told of by now: those may have left no time for it.
    await new Promise(setImmediate)
    const started = once(process, 'worker')
    tell(records, { ...MANY, runId: 'stays' })
    const [thread] = (await started) as [Worker]
    // From here on the thread gets what it is to write when the test says so: after the removal, if that does not wait for it.
    const held: unknown[] = []
    thread.postMessage = (message) => void held.push(message)
    await once(thread, 'message')
    records.flush()
    tell(records, { ...MANY, runId: 'gone' })
    expect(held.at(-1)).toMatchObject({ pieces: expect.arrayContaining([expect.objectContaining({ runId: 'gone' })]) })
    const removal = records.remove('gone')
    await new Promise(setImmediate)
    for (const message of held) {
      Worker.prototype.postMessage.call(thread, message)
      await once(thread, 'message')
    }
    expect(await removal).toBe(true)
    expect((await records.list()).map(({ runId }) => runId)).toEqual(['stays'])
    Reflect.deleteProperty(thread, 'postMessage')
  })

  it('removes runs that are too old, which this thread does not do', async () => {
    const earlier = open('runs.db')
    tell(earlier, { runId: 'old', time: 1e12 - 9e7 })
    earlier.close()
    await new Promise(setImmediate)
    const started = once(process, 'worker')
    tell(open('runs.db', { keepDays: 1 }), { ...MANY, runId: 'new' })
    const [thread] = (await started) as [Worker]
    await once(thread, 'message')
    const reader = open('runs.db', { readOnly: true })
    expect((await reader.list()).map(({ runId }) => runId)).toEqual(['new'])
  })

  it('need not have begun for lines to be in the file', async () => {
    const started = once(process, 'worker')
    const records = open('runs.db')
    for (const runId of ['run-1', 'run-2']) {
      tell(records, { ...MANY, runId })
      const [newest] = await open('runs.db', { readOnly: true }).list({ runId })
      expect(newest).toMatchObject({ runId })
    }
    const [thread] = (await started) as [Worker]
    await once(thread, 'message')
    expect((await open('runs.db', { readOnly: true }).read('run-1'))!.info.problem).toBeNull()
  })

  it('has closed the file when the records are closed, so that a copy of the file has all runs', async () => {
    const records = open('runs.db')
    await new Promise(setImmediate)
    const started = once(process, 'worker')
    tell(records, MANY)
    const [thread] = (await started) as [Worker]
    await once(thread, 'message')
    tell(records, { runId: 'run-2' })
    records.close()
    expect(readdirSync(dir)).toEqual(['runs.db'])
    copyFileSync(join(dir, 'runs.db'), join(dir, 'copy.db'))
    const infos = await open('copy.db', { readOnly: true }).list()
    expect(infos.map(({ runId }) => runId).toSorted()).toEqual(['run-1', 'run-2'])
  })

  it('leaves one file where the process ends, and nobody has closed the records', () => {
    const before = process.listeners('exit')
    tell(open('runs.db'))
    const atExit = process.listeners('exit').find((each) => !before.includes(each))
    atExit!(0)
    expect(readdirSync(dir)).toEqual(['runs.db'])
  })

  it('is started once: where it cannot be, this thread writes', async () => {
    const records = open('runs.db', { onError: () => {} })
    rmSync(dir, { recursive: true })
    const threads: Worker[] = []
    const note = (thread: Worker): void => void threads.push(thread)
    process.on('worker', note)
    const started = once(process, 'worker')
    tell(records, MANY)
    const [thread] = (await started) as [Worker]
    await new Promise((resolve) => thread.once('exit', resolve))
    tell(records, { ...MANY, runId: 'run-2' })
    await new Promise(setImmediate)
    process.off('worker', note)
    expect(threads).toHaveLength(1)
  })
})
