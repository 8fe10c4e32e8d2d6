import type { CacheClaim, CacheStore, StoredAnswer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { AnswerFile, type AnswerTable } from './answer-file.ts'
import { CACHE_BOUND_KINDS, type CacheBounds } from './memory-cache.ts'

/** Options of a cache on disk. */
export interface DiskCacheOptions extends CacheBounds {
  /** Folder of the database; it is made at the first lookup. */
  readonly dir: string
  /** Keeps the answers of several users of one folder apart; default: none. */
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined
}

const DISK_CACHE_KINDS: OptionKinds<DiskCacheOptions> = {
  dir: kind.text,
  namespace: kind.text,
  ...CACHE_BOUND_KINDS,
  maxEntries: kind.limit(1),
  name: kind.text,
  now: kind.call,
}

/** Most bytes of all answers by default: 256 MiB. */
const DEFAULT_MAX_BYTES: number = 256 * 2 ** 20

/** Most bytes of one answer by default: 8 MiB. */
const DEFAULT_MAX_ENTRY_BYTES: number = 8 * 2 ** 20

/**
 * Makes a cache on disk that many processes may share: SQLite in WAL mode, in files that only their owner may read. By
 * default it holds at most 256 MiB and evicts the oldest answers first. The file is opened at the first operation; if the
 * folder cannot be used, every operation fails and the folder is not tried again. A damaged file is moved aside. While
 * another process locks the file, a lookup is a miss and a write waits in memory; the thread is blocked for at most 50 ms.
 * Of several processes that miss the same answer, one asks for it.
 */
export function createDiskCache(options: DiskCacheOptions): CacheStore {
  checkDiskCacheOptions(options)
  const { dir, namespace = '', name = dir, ttl, maxEntries = Infinity, now = Date.now } = options
  const { maxBytes = DEFAULT_MAX_BYTES, maxEntryBytes = DEFAULT_MAX_ENTRY_BYTES } = options
  const file = new AnswerFile(dir, () => performance.now())
  /** Entries and bytes that were added since the last eviction. Bounds are checked at the first write, and after a tenth of a bound. */
  let added = { entries: Infinity, bytes: 0 }

  const fullKey = (key: string): string => `${namespace}/${key}`
  const isExpired = (at: number): boolean => ttl !== undefined && now() - at >= ttl * 1000

  /** Evicts the oldest tenth until the bounds hold. */
  const evictOldest = ({ size, evict, dropClaims }: AnswerTable): void => {
    added = { entries: 0, bytes: 0 }
    dropClaims.run(now())
    for (;;) {
      const { entries, bytes } = size.get() as { entries: number; bytes: number | null }
      if (entries === 0 || ((bytes ?? 0) <= maxBytes && entries <= maxEntries)) return
      evict.run(Math.max(1, Math.ceil(entries / 10)))
    }
  }

  const write = (key: string, { text, at }: PendingWrite): boolean => {
    if (!file.use('write', ({ set }) => set.run(key, text, text.length, at))) return false
    added = { entries: added.entries + 1, bytes: added.bytes + text.length }
    if (added.entries * 10 >= maxEntries || added.bytes * 10 >= maxBytes) file.use('write', evictOldest)
    return true
  }
  const pending = new PendingWrites(write)

  const readRow = (key: string): { readonly answer: string; readonly at: number } | undefined => {
    const unwritten = pending.get(key)
    if (unwritten) return { answer: unwritten.text, at: unwritten.at }
    const row = file.use('read', ({ get }) => get.get(key) as { answer: string; at: number } | undefined)
    if (!row && file.lockError) throw file.lockError
    return row?.value
  }

  return {
    name,
    get(key) {
      const row = readRow(fullKey(key))
      if (!row) return undefined
      if (!isExpired(row.at)) return parseAnswer(row.answer)
      file.use('write', ({ drop }) => drop.run(fullKey(key)))
      return undefined
    },
    set(key, value) {
      const text = JSON.stringify(value)
      if (text.length <= maxEntryBytes) pending.add(fullKey(key), { text, at: now() })
    },
    claim: (key, lease) => claimInFile(file, fullKey(key), { token: crypto.randomUUID(), lease, now }),
    close() {
      file.forgetLocks()
      pending.close()
      file.close(name)
    },
  }
}

/** Refuses wrong options, and runtimes without files. */
function checkDiskCacheOptions(options: DiskCacheOptions): void {
  checkOptions(options ?? null, DISK_CACHE_KINDS, 'run `createDiskCache`')
  if (!options.dir) {
    throw new XError(
      'invalid-argument',
      "cannot run `createDiskCache`: `dir` is missing; name a folder, as in { dir: '.cache' }",
    )
  }
  if (!hasDisk()) {
    throw new XError(
      'invalid-state',
      'cannot run `createDiskCache`: this runtime has no file system with SQLite; use `createMemoryCache`, or `createKeyvCache` with a store of your own',
    )
  }
}

/** Parses a stored answer; a text that is not JSON counts as a miss. */
function parseAnswer(text: string): StoredAnswer | undefined {
  try {
    return JSON.parse(text) as StoredAnswer
  } catch {
    return undefined
  }
}

/** An answer that is not in the file yet. */
interface PendingWrite {
  readonly text: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Most answers that wait for a locked file. */
const MAX_PENDING_WRITES = 1000

/** Most characters of all answers that wait for a locked file. */
const MAX_PENDING_LENGTH = 32 * 2 ** 20

/** Milliseconds between two attempts to write pending answers. */
const FLUSH_INTERVAL_MS = 500

/** Answers that wait for a locked file, oldest first. When there are too many, the oldest are dropped. */
class PendingWrites {
  readonly #writes = new Map<string, PendingWrite>()
  /** Writes one answer; returns false when the file is locked. */
  readonly #write: (key: string, write: PendingWrite) => boolean
  #length = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(write: (key: string, write: PendingWrite) => boolean) {
    this.#write = write
  }

  get(key: string): PendingWrite | undefined {
    return this.#writes.get(key)
  }

  /** Adds a write and flushes. */
  add(key: string, write: PendingWrite): void {
    this.#drop(key)
    this.#writes.set(key, write)
    this.#length += write.text.length
    this.flush()
    for (const oldest of this.#writes.keys()) {
      if (this.#writes.size <= MAX_PENDING_WRITES && this.#length <= MAX_PENDING_LENGTH) break
      this.#drop(oldest)
    }
  }

  /** Writes what can be written; the rest is tried again later. A write that fails is dropped. */
  flush(): void {
    for (const [key, write] of this.#writes) {
      let written = true
      try {
        written = this.#write(key, write)
      } finally {
        if (written) this.#drop(key)
      }
      if (!written) return this.#flushLater()
    }
  }

  /** Writes what can be written and drops the rest. */
  close(): void {
    try {
      this.flush()
    } catch {
      // A cache may lose answers.
    }
    clearTimeout(this.#timer)
    this.#writes.clear()
  }

  #flushLater(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      try {
        this.flush()
      } catch {
        // The next operation of the cache meets the same error and reports it.
      }
    }, FLUSH_INTERVAL_MS)
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  #drop(key: string): void {
    this.#length -= this.#writes.get(key)?.text.length ?? 0
    this.#writes.delete(key)
  }
}

/** The holder and the lease of a claim in a file. */
interface FileClaimOptions {
  /** Identifies the claim. */
  readonly token: string
  /** Seconds. */
  readonly lease: number
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Claims a key in a file; returns null while another process has it. While the file is locked, it returns a claim that no
 * other process sees.
 */
function claimInFile(file: AnswerFile, key: string, { token, lease, now }: FileClaimOptions): CacheClaim | null {
  const at = now()
  const inserted = file.use('write', ({ claim }) => claim.run(key, token, at, at + lease * 1000))
  if (inserted && Number(inserted.value.changes) === 0) return null
  return {
    renew(seconds) {
      const since = now()
      const renewed = file.use('write', ({ renew }) => renew.run(since, since + seconds * 1000, key, token, since))
      return renewed !== undefined && Number(renewed.value.changes) > 0
    },
    release() {
      file.use('write', ({ unclaim }) => unclaim.run(key, token))
    },
  }
}

/** Tells whether this runtime has a file system and SQLite, as Node, Bun and Deno do; browsers and workers do not. */
export function hasDisk(): boolean {
  // Workers with Node compatibility list the modules and fail when one is used.
  if (globalThis.navigator?.userAgent === 'Cloudflare-Workers') return false
  return globalThis.process?.getBuiltinModule?.('node:module')?.isBuiltin?.('node:sqlite') ?? false
}
