import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createAgent } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { hostRuns, openRecords } from '@x/records'
import { functionModel } from '@x/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runLog } from './run-log.fake.ts'

const GOLDEN = new URL('../../../../etc/golden/', import.meta.url)

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'x-log-'))
  file = join(folder, 'chats.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Makes the file that a host of a release has left. */
function makeFile(version: string, change = ''): void {
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; ${readFileSync(new URL(`${version}/chats.sql`, GOLDEN), 'utf8')} ${change}`)
  db.close()
}

const bytesOf = (): object =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]))

/** The file of the last release; older ones are made new by the host that opens them. */
const NEWEST = readdirSync(GOLDEN).findLast((name) => name.startsWith('host-sqlite-'))!
const VERSION = Number(NEWEST.slice('host-sqlite-'.length))

it.each([NEWEST])('a file of %s is read without a change in it or beside it', async (version) => {
  makeFile(version)
  const before = bytesOf()
  const listed = await runLog(folder, 'ls', file, '--json')
  expect(listed).toMatchObject({ status: 0, error: '' })
  const ids = listed.text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { runId: string }).runId)
  expect(ids.toSorted()).toEqual(['asks', 'ended', 'listens'])
  for (const id of ids) {
    expect(await runLog(folder, 'show', id, '--file', file, '--json')).toMatchObject({ status: 0, error: '' })
  }
  expect((await runLog(folder, 'tail', 'ended', '--file', file)).text).toContain('has ended')
  expect((await runLog(folder, 'cost', file)).status).toBe(0)
  expect(bytesOf()).toEqual(before)
})

it.each([
  ['an older version', VERSION - 1, /has version \d, and version \d is read without a change; open a copy/u],
  ['a newer version', VERSION + 1, /has version \d, and .* update `@x\/host`/u],
])('a file of %s is refused, with what to do, and left as it is', async (_, version, text) => {
  makeFile(NEWEST, `PRAGMA user_version = ${version};`)
  const before = bytesOf()
  const { status, error } = await runLog(folder, 'ls', file)
  expect({ status, error }).toEqual({ status: 1, error: expect.stringMatching(text) as string })
  expect(bytesOf()).toEqual(before)
})

it('a file that a host has open is read with what the host has written last', async () => {
  makeFile(NEWEST)
  const host = sqlite(file)
  try {
    expect(await host.store.delete('ended')).toBe(true)
    const { text } = await runLog(folder, 'ls', file)
    expect(text.match(/^\w+/gmu)?.toSorted()).toEqual(['asks', 'listens'])
  } finally {
    await host.close()
  }
})

it('a list of the chats of a host reads each event once, and what is new', async () => {
  const backend = sqlite(':memory:')
  let eventsRead = 0
  const { events } = backend
  const read = events.read.bind(events)
  events.read = async (...asked) => {
    const found = await read(...asked)
    eventsRead += found.length
    return found
  }
  const parrot = createAgent({ name: 'parrot', model: functionModel(() => 'Yes.') })
  const talk = defineChat({
    name: 'talk',
    version: '1',
    run: async ({ run, receive }) => await parrot.run(String(await receive()), { run }),
  })
  const host = createHost({ chats: [talk], at: backend })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  try {
    const runs = hostRuns(backend)
    for (const id of ['first', 'second']) {
      await host.submit(talk, {}, { id })
      await host.send(id, `I am the ${id}`)
      await host.result(id)
    }
    const titles = async (): Promise<string[]> => (await runs.list()).map(({ title }) => title).toSorted()
    expect(await titles()).toEqual(['I am the first', 'I am the second'])
    const first = eventsRead
    expect(await titles()).toEqual(['I am the first', 'I am the second'])
    expect(eventsRead).toBe(first)

    await host.submit(talk, {}, { id: 'third' })
    await expect.poll(async () => (await host.get('third'))?.state).toBe('suspended')
    expect(await titles()).toEqual(['', 'I am the first', 'I am the second'])
    const beforeThird = eventsRead
    await host.send('third', 'I am the third')
    await host.result('third')
    expect(await titles()).toEqual(['I am the first', 'I am the second', 'I am the third'])
    expect(eventsRead - beforeThird).toBeLessThanOrEqual(first / 2)
    // What was read in parts is the same as what is read at once.
    expect(await runs.list()).toEqual(await hostRuns(backend).list())
    expect(await host.delete('first')).toBe(true)
    await host.submit(talk, {}, { id: 'first' })
    expect(await titles()).toEqual(['', 'I am the second', 'I am the third'])
  } finally {
    stop.abort()
    await work
    await host.close()
  }
})

it('the record of a hosted chat shows its parts with what came of them', async () => {
  const records = openRecords(join(folder, 'runs.db'))
  const half = defineChat({ name: 'half', version: '1', concurrency: 1, run: ({ input }) => halved(input as unknown) })
  const whole = defineChat({
    ...{ name: 'whole', version: '1' },
    run: async ({ run, perform }) => {
      const clerk = createAgent({ name: 'clerk', model: functionModel(() => 'Ok.') })
      return [
        await perform(half, { of: 42 }),
        await perform(half, { of: 7 }).catch(() => null),
        (await clerk.run('Go.', { run })).text,
      ]
    },
  })
  const host = createHost({ chats: [whole, half], at: sqlite(file), tracer: records })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  const { id } = await host.submit(whole, {})
  await host.result(id)
  stop.abort()
  await work
  await host.close()
  records.close()
  const { text } = await runLog(folder, 'show', id, '--file', join(folder, 'runs.db'))
  expect(text).toContain('\npart half({"of":42}) = 21\npart half({"of":7})  7 is odd\n')
})

function halved(input: unknown): number {
  const { of } = input as { readonly of: number }
  if (of % 2 !== 0) throw new Error(`${of} is odd`)
  return of / 2
}
