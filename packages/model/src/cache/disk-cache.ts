import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { AnswerFile, type AnswerTable } from './answer-file.ts'
import { claimInFile } from './file-claim.ts'
import { hasDisk } from './has-disk.ts'
import { BOUNDS, type CacheBounds } from './memory-cache.ts'
import { PendingWrites, type PendingWrite } from './pending-writes.ts'

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

/**
 * Makes a cache on disk that many processes may share: SQLite in WAL mode, in files that only their owner may read. By
 * default it holds at most 256 MiB, oldest first out. It is opened when it is first asked; a folder that cannot be used
 * makes its operations fail, and it is not tried again. A damaged file is moved aside. While another process holds the
 * file, a lookup is a miss and a write waits in memory; the thread is held up for at most 50 ms. Of several processes that
 * miss the same answer, one asks for it.
 */
export function createDiskCache(options: DiskCacheOptions): CacheStore {
  checkOptions(options ?? null, KINDS, 'run `createDiskCache`')
  if (!options.dir) {
    throw new XError(
      'invalid-argument',
      "cannot run `createDiskCache`: it has no `dir`; name a folder, as in { dir: '.cache' }",
    )
  }
  if (!hasDisk()) {
    throw new XError(
      'invalid-state',
      'cannot run `createDiskCache`: this runtime has no files with SQLite; use `createMemoryCache`, or `createKeyvCache` with a store of yours',
    )
  }
  const { dir, namespace = '', name = dir, ttl, maxEntries = Infinity, now = Date.now } = options
  const { maxBytes = 256 * 2 ** 20, maxEntryBytes = 8 * 2 ** 20 } = options
  const file = new AnswerFile(dir, () => performance.now())
  /** What was added since the bounds were last checked; they are checked at first and after a tenth of a bound. */
  let news = { entries: Infinity, bytes: 0 }

  const full = (key: string): string => `${namespace}/${key}`
  const isOld = (at: number): boolean => ttl !== undefined && now() - at >= ttl * 1000

  /** Drops the oldest tenth until the bounds hold. */
  const sweep = ({ size, evict, dropClaims }: AnswerTable): void => {
    news = { entries: 0, bytes: 0 }
    dropClaims.run(now())
    for (;;) {
      const { entries, bytes } = size.get() as { entries: number; bytes: number | null }
      if (entries === 0 || ((bytes ?? 0) <= maxBytes && entries <= maxEntries)) return
      evict.run(Math.max(1, Math.ceil(entries / 10)))
    }
  }

  const write = (key: string, { text, at }: PendingWrite): boolean => {
    if (!file.use('write', ({ set }) => set.run(key, text, text.length, at))) return false
    news = { entries: news.entries + 1, bytes: news.bytes + text.length }
    if (news.entries * 10 >= maxEntries || news.bytes * 10 >= maxBytes) file.use('write', sweep)
    return true
  }
  const pending = new PendingWrites(write)

  const look = (key: string): { readonly answer: string; readonly at: number } | undefined => {
    const waiting = pending.get(key)
    if (waiting) return { answer: waiting.text, at: waiting.at }
    const found = file.use('read', ({ get }) => get.get(key) as { answer: string; at: number } | undefined)
    if (!found && file.lockError) throw file.lockError
    return found?.value
  }

  return {
    name,
    get(key) {
      const row = look(full(key))
      if (!row) return undefined
      if (!isOld(row.at)) return parseAnswer(row.answer)
      file.use('write', ({ drop }) => drop.run(full(key)))
      return undefined
    },
    set(key, value) {
      const text = JSON.stringify(value)
      if (text.length <= maxEntryBytes) pending.add(full(key), { text, at: now() })
    },
    claim: (key, lease) => claimInFile(file, full(key), { token: crypto.randomUUID(), lease, now }),
    close() {
      file.forgetLocks()
      pending.end()
      file.close(name)
    },
  }
}

/** Gives a stored answer; a text that is not JSON is as good as none. */
function parseAnswer(text: string): StoredAnswer | undefined {
  try {
    return JSON.parse(text) as StoredAnswer
  } catch {
    return undefined
  }
}
