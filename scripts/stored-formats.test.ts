import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS_SQL as POSTGRES_SQL } from '../packages/host-servers/src/postgres/schema.ts'
import { LAYOUT_VERSION } from '../packages/host-servers/src/redis/scripts.ts'
import { MIGRATIONS_SQL as SQLITE_SQL } from '../packages/host/src/sqlite/schema.ts'
import { root } from './workspace.ts'

/** The number that a source file gives a constant. */
function numberIn(file: string, constant: RegExp): number {
  const [, found] = constant.exec(readFileSync(join(root, 'packages', file), 'utf8')) ?? []
  return Number(found)
}

/** A version, and the folder of `etc/golden` with files of it. */
type Kept = readonly [version: number, folder: string]

const kept = (name: string, version: number): Kept => [version, `${name}-${version}`]

const RECORD_VERSION = numberIn('records/src/storage.ts', /RECORD_VERSION = (\d+)/u)

/** The version of each format as the sources have it. */
const VERSIONS: Readonly<Record<string, Kept>> = {
  'chat journal': kept('chat', numberIn('agent/src/options/operations.ts', /CHAT_VERSION = (\d+)/u)),
  'checkpoint of a chat': kept(
    'checkpoint',
    numberIn('agent/src/options/operations.ts', /CHECKPOINT_VERSION = (\d+)/u),
  ),
  'agent state': kept('agent', numberIn('agent/src/options/operations.ts', /AGENT_VERSION = (\d+)/u)),
  'session folder': kept('session', numberIn('session/src/session-store.ts', /FORMAT_VERSION = (\d+)/u)),
  'search journal': kept('search', numberIn('reasoning/src/search/search-journal.ts', /JOURNAL_VERSION = (\d+)/u)),
  // Part of the states of agents.
  'cut of a history': [numberIn('history/src/cut/cut-record.ts', /readonly version: (\d+)/u), 'agent-2'],
  'chats in SQLite': kept('host-sqlite', SQLITE_SQL.length),
  'chats in Postgres': kept('host-postgres', POSTGRES_SQL.length),
  'chats on Redis': kept('host-redis', LAYOUT_VERSION),
  // Part of the stores of hosts.
  'record of a budget or limit': [
    numberIn('kernel/src/limits/record-shape.ts', /RECORD_VERSION = (\d+)/u),
    'host-sqlite-5',
  ],
  'cache file of model answers': kept(
    'model-cache',
    numberIn('model/src/cache/answer-file.ts', /TABLES_VERSION = (\d+)/u),
  ),
  // Under such keys are the answers of the cache file.
  'key of a cached answer': [numberIn('model/src/cache/cache-key.ts', /KEY_VERSION = 'x(\d+)'/u), 'model-cache-1'],
  'records of runs': kept('records', RECORD_VERSION),
  'records of runs in JSON lines': kept('record-lines', RECORD_VERSION),
  // Beside the records.
  'fixture of a run': [RECORD_VERSION, `records-${RECORD_VERSION}`],
  'answers of evaluations': kept('eval-answers', numberIn('eval/src/answer-file.ts', /FILE_VERSION = (\d+)/u)),
  'state of an MCP task': kept('mcp-task', numberIn('mcp/src/server/sealed-state.ts', /`(\d+)\.\$\{toBase64\(iv\)\}/u)),
}

const document = readFileSync(join(root, 'docs/stored-formats.md'), 'utf8')
const [, table = ''] = /## The formats\n\n([^]*?)\n\n/u.exec(document) ?? []
const rows = table
  .split('\n')
  .slice(2)
  .map((row) => row.split('|').map((cell) => cell.trim()))

describe('docs/stored-formats.md', () => {
  it('has a row for every format, with the version of the sources', () => {
    const documented = Object.fromEntries(rows.map(([, format = '', , version]) => [format, Number(version)]))
    const sources = Object.fromEntries(Object.entries(VERSIONS).map(([format, [version]]) => [format, version]))
    expect(documented).toEqual(sources)
  })

  it('says of every format that its own version is read', () => {
    for (const [, format, , version, reads] of rows)
      expect([format, reads]).toEqual([format, expect.stringMatching(new RegExp(`\\b${version}$`, 'u'))])
  })

  it('is held by golden files of every version', () => {
    const folders = new Set(readdirSync(join(root, 'etc/golden')))
    const missing = Object.values(VERSIONS).filter(([, folder]) => !folders.has(folder))
    expect(missing).toEqual([])
  })
})
