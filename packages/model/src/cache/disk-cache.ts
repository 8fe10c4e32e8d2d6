import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { BOUNDS, type CacheBounds } from './memory-cache.ts'
import { openDatabase } from './sqlite.ts'

/** Options of a cache on disk. */
export interface DiskCacheOptions extends CacheBounds {
  /** Folder of the database; made when the first answer is looked up. */
  readonly dir: string
  /** Keeps users of one folder apart; default: none. */
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined
}

const KINDS: OptionKinds<DiskCacheOptions> = {
  dir: kind.text,
  namespace: kind.text,
  ...BOUNDS,
  maxEntries: kind.limit(1),
  name: kind.text,
  now: kind.call,
}

interface Table {
  readonly db: DatabaseSync
  readonly get: StatementSync
  readonly set: StatementSync
  readonly drop: StatementSync
  readonly evict: StatementSync
  readonly size: StatementSync
}

/**
 * Makes a cache on disk that many processes may share: SQLite in WAL mode. By default it holds at most 256 MiB, oldest
 * first out. It is opened when it is first asked; a folder that cannot be used makes its operations fail, and it is not
 * tried again.
 */
export function createDiskCache(options: DiskCacheOptions): CacheStore {
  checkOptions(options ?? null, KINDS, 'run `createDiskCache`')
  if (!options.dir) {
    throw new XError(
      'invalid-argument',
      "cannot run `createDiskCache`: it has no `dir`; name a folder, as in { dir: '.cache' }",
    )
  }
  const { dir, namespace = '', name = dir, ttl, maxEntries = Infinity, now = Date.now } = options
  const { maxBytes = 256 * 2 ** 20, maxEntryBytes = 8 * 2 ** 20 } = options
  let opened: Table | undefined
  let broken: { error: unknown } | undefined
  /** What was added since the bounds were last checked; they are checked at first and after a tenth of a bound. */
  let news = { entries: Infinity, bytes: 0 }

  const table = (): Table => {
    if (broken) throw broken.error
    try {
      return (opened ??= openTable(dir))
    } catch (error) {
      broken = { error }
      throw error
    }
  }
  const full = (key: string): string => `${namespace}/${key}`

  /** Drops the oldest tenth until the bounds hold. */
  const sweep = ({ size, evict }: Table): void => {
    news = { entries: 0, bytes: 0 }
    for (;;) {
      const { entries, bytes } = size.get() as { entries: number; bytes: number | null }
      if (entries === 0 || ((bytes ?? 0) <= maxBytes && entries <= maxEntries)) return
      evict.run(Math.max(1, Math.ceil(entries / 10)))
    }
  }

  return {
    name,
    get(key) {
      const row = table().get.get(full(key)) as { answer: string; at: number } | undefined
      if (!row) return undefined
      if (ttl !== undefined && now() - row.at >= ttl * 1000) {
        table().drop.run(full(key))
        return undefined
      }
      return JSON.parse(row.answer) as StoredAnswer
    },
    set(key, value) {
      const text = JSON.stringify(value)
      if (text.length > maxEntryBytes) return
      table().set.run(full(key), text, text.length, now())
      news = { entries: news.entries + 1, bytes: news.bytes + text.length }
      if (news.entries * 10 >= maxEntries || news.bytes * 10 >= maxBytes) sweep(table())
    },
    close() {
      opened?.db.close()
      opened = undefined
      broken = { error: new Error(`the cache \`${name}\` is closed`) }
    },
  }
}

function openTable(dir: string): Table {
  const db = openDatabase(dir, 'answers.db')
  db.exec('CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, bytes INTEGER, at INTEGER)')
  return {
    db,
    get: db.prepare('SELECT answer, at FROM answers WHERE key = ?'),
    set: db.prepare('INSERT OR REPLACE INTO answers (key, answer, bytes, at) VALUES (?, ?, ?, ?)'),
    drop: db.prepare('DELETE FROM answers WHERE key = ?'),
    evict: db.prepare('DELETE FROM answers WHERE rowid IN (SELECT rowid FROM answers ORDER BY at, rowid LIMIT ?)'),
    size: db.prepare('SELECT count(*) AS entries, sum(bytes) AS bytes FROM answers'),
  }
}
