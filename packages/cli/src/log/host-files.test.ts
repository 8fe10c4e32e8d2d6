import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqlite } from '@x/host'
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
