import type { ChatKind, ChatQueue, HostedChat } from '@x/interfaces'
import { CallBatcher } from '../call-batcher.ts'
import { Listeners } from '../listeners.ts'
import { newToken, platformNow } from '../platform.ts'
import { kindName } from '../stored-text.ts'
import { aborted, pause, startTimeOf } from '../waits.ts'
import type { PostgresClient } from './postgres-client.ts'
import type { PostgresStore } from './postgres-store.ts'
import { ASYNC_COMMIT_SQL, NOW_SQL } from './rows.ts'

type QueueWork = Parameters<ChatQueue['work']>[0]

/**
 * Interval at which a worker with free slots looks for chats without a notification, such as one whose time has come.
 */
const POLL_INTERVAL_MS = 500
/** Interval at which a worker says that it is there. */
const PRESENCE_INTERVAL_MS = 2000
/** Time after which a worker that has not said so is not notified. */
const MAX_ABSENCE_MS = 3 * PRESENCE_INTERVAL_MS
/** Delay before a chat that failed in the store is run again. */
const RETRY_DELAY_MS = 250
/** Most chats that are claimed in one statement, so that workers share what waits. */
const MAX_CLAIMS = 8
/** Most parts of a chat of which one worker is notified at once. */
const PARTS_PER_WORKER = 4
/** Most chats whose parts are deleted at once, because their workers died before they did. */
const MAX_LEFT_PARENTS = 100
/** Bounds of the statements that notify workers. */
const NOTICE_BATCHES = { maxInFlight: 2, maxItems: 200 }

/** A notice that chats of a program wait. */
interface WorkNotice {
  readonly kind: string
  readonly count: number
  /** True for chats that share workers, up to {@link PARTS_PER_WORKER} each: parts of others. */
  readonly isShared: boolean
  /** The worker that passes the notice on because it has no free slot; undefined for a new notice. */
  readonly from?: string | undefined
}

/**
 * Delivers the chats of the store's own table, which is the queue. A worker claims several in one statement, and passes
 * over chats that others are claiming. Workers register in a table, and a chat that is added notifies one of them,
 * chosen at random; one without a free slot passes the notice on. Whatever gets lost, each worker also polls.
 */
export class PostgresQueue implements ChatQueue {
  readonly #db: PostgresClient
  readonly #store: PostgresStore
  readonly #schema: string
  readonly #notices: CallBatcher<WorkNotice, WorkNotice>

  constructor(db: PostgresClient, store: PostgresStore, schema: string) {
    this.#db = db
    this.#store = store
    this.#schema = schema
    this.#notices = new CallBatcher((notices) => this.#notify(notices), NOTICE_BATCHES)
  }

  /** Notifies a worker, unless the chat is for later. A failure is ignored: the chat is in the store, and workers poll. */
  async add(chat: HostedChat, parent?: string): Promise<void> {
    if (startTimeOf(chat) > platformNow()) return
    await this.#add({ kind: kindName(chat), count: 1, isShared: parent !== undefined })
  }

  async work({ kinds, concurrency, lease, signal, run, onError }: QueueWork): Promise<void> {
    if (signal.aborted) return
    const id = newToken().slice(0, 13)
    const claim = async (of: readonly ChatKind[], limit: number, isLost: boolean): Promise<readonly string[]> =>
      await this.#store.claimNext(of, limit, lease, isLost)
    const runWhole = async (chat: string): Promise<void> => await this.#run(chat, run, signal)
    const calls: SlotCalls = { claim, run: runWhole, signal, onError, takeoverInterval: lease * 500 }
    // Programs with a `concurrency` of their own have their own slots; all others share those of the worker.
    const own = kinds.filter((kind) => kind.concurrency !== undefined)
    const groups = [kinds.filter((kind) => !own.includes(kind)), ...own.map((kind) => [kind])]
      .filter((group) => group.length > 0)
      .map((group) => new ClaimingSlots(group, group[0]!.concurrency ?? concurrency, calls))
    const pollAll = (): void => groups.forEach((group) => group.poll())
    const onNotice = (text: string | null): void => {
      if (text === null) return pollAll()
      const { kind, count, isPassed } = readNotice(text)
      const left = groups.find((group) => group.names.has(kind))?.want(count) ?? count
      if (left > 0 && !isPassed) void this.#add({ kind, count: left, isShared: true, from: id })
    }
    const listeners = new Listeners((calls) => this.#db.subscribe(channelOf(this.#schema, id), calls), onError)
    const unlisten = listeners.add(onNotice)
    const register = (): void => void this.#db.rows(REGISTER_SQL, id, kinds.map(kindName)).catch(onError)
    let cleaning = Promise.resolve()
    const clean = (): void => void (cleaning = cleaning.then(() => this.#runLeftParents(lease, run)).catch(onError))
    const timers = [
      setInterval(pollAll, POLL_INTERVAL_MS),
      setInterval(register, PRESENCE_INTERVAL_MS),
      setInterval(clean, Math.max(1, lease) * 1000),
    ]
    register()
    clean()
    await aborted(signal)
    for (const timer of timers) clearInterval(timer)
    unlisten()
    await Promise.all([
      listeners.close(),
      // The others notice its absence.
      this.#db.rows('DELETE FROM workers WHERE id = $1', id).catch(() => {}),
      cleaning,
      ...groups.map(async (group) => await group.drained()),
    ])
  }

  async #add(notice: WorkNotice): Promise<void> {
    await this.#notices.add(notice).catch(() => {})
  }

  /** Notifies workers of chats that were added at once: one worker for each chat, or for each few parts. */
  async #notify(notices: readonly WorkNotice[]): Promise<readonly WorkNotice[]> {
    const groups = new Map<string, { kind: string; count: number; workers: number; from: string | null }>()
    for (const { kind, count, isShared, from = null } of notices) {
      const key = JSON.stringify([kind, isShared, from])
      const group = groups.get(key) ?? { kind, count: 0, workers: 0, from }
      group.count += count
      group.workers += isShared ? count / PARTS_PER_WORKER : count
      groups.set(key, group)
    }
    const all = [...groups.values()]
    await this.#db.rows(
      notifySql(this.#schema),
      ...[all.map(({ kind }) => kind), all.map(({ count }) => count)],
      ...[all.map(({ workers }) => Math.ceil(workers)), all.map(({ from }) => from)],
    )
    return notices
  }

  /** Runs a claimed chat, and again after each failure: the store may be unavailable. Releases it if the worker has ended before. */
  async #run(id: string, run: QueueWork['run'], signal: AbortSignal): Promise<void> {
    do {
      try {
        await run(id)
        break
      } catch {
        // The worker has reported the error.
        await pause(RETRY_DELAY_MS, signal)
      }
    } while (!signal.aborted)
    const claim = this.#store.forgetClaim(id)
    if (!claim || !signal.aborted) return
    const released = await this.#store.release(claim).catch(() => null)
    if (released) await this.add(released)
  }

  /** Runs chats that have ended without their parts, for their worker to delete these. */
  async #runLeftParents(lease: number, run: QueueWork['run']): Promise<void> {
    const ids = await this.#store.leftParents(lease, MAX_LEFT_PARENTS)
    await Promise.all(ids.map(async (id) => await run(id)))
  }
}

/** Returns the channel of a worker. */
const channelOf = (schema: string, worker: string): string => `${schema}_${worker}`

/** Text of a notice to a worker: how many chats of which program, and whether another worker has passed it on. */
function readNotice(text: string): { readonly kind: string; readonly count: number; readonly isPassed: boolean } {
  const [count = '', passed = '', ...kind] = text.split(' ')
  return { kind: kind.join(' '), count: Number(count), isPassed: passed === 'passed' }
}

/** Adds a worker or renews its sign of life, and deletes workers that are gone. */
const REGISTER_SQL = `
WITH gone AS (DELETE FROM workers WHERE seen < ${NOW_SQL} - ${10 * MAX_ABSENCE_MS})
INSERT INTO workers (id, kinds, seen) VALUES ($1, $2::text[], ${NOW_SQL})
ON CONFLICT (id) DO UPDATE SET seen = excluded.seen RETURNING ${ASYNC_COMMIT_SQL}`

/** Notifies workers that chats of a program wait: `$1` programs, `$2` numbers of chats, `$3` most workers, `$4` who passes a notice on. */
const notifySql = (schema: string): string => `
SELECT pg_notify('${channelOf(schema, '')}' || worker, ceil(count::float / least(wanted, found)) || passed || kind), ${ASYNC_COMMIT_SQL}
FROM unnest($1::text[], $2::int[], $3::int[], $4::text[]) AS given (kind, count, wanted, sender)
CROSS JOIN LATERAL (SELECT CASE WHEN sender IS NULL THEN ' new ' ELSE ' passed ' END AS passed) AS words
CROSS JOIN LATERAL (
  SELECT id AS worker, count(*) OVER () AS found FROM workers
  WHERE kinds @> ARRAY[kind] AND seen >= ${NOW_SQL} - ${MAX_ABSENCE_MS} AND id IS DISTINCT FROM sender
  ORDER BY random() LIMIT wanted
) AS chosen`

/** Functions and settings of {@link ClaimingSlots}. */
interface SlotCalls {
  /** Claims chats, and returns their ids; `isLost`: also those whose worker has died. */
  readonly claim: (kinds: readonly ChatKind[], limit: number, isLost: boolean) => Promise<readonly string[]>
  /** Runs a claimed chat; never fails. */
  readonly run: (id: string) => Promise<void>
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  /** Milliseconds after which chats of dead workers are looked for again. */
  readonly takeoverInterval: number
}

/** The slots of a group of programs: it claims chats for the free ones. */
class ClaimingSlots {
  /** Names of its programs. */
  readonly names: ReadonlySet<string>
  readonly #kinds: readonly ChatKind[]
  readonly #calls: SlotCalls
  readonly #running = new Set<Promise<void>>()
  #free: number
  /** Number of chats that wait, as far as is known; `Infinity`: as many as there are. */
  #wanted = 0
  /** How many of these were wanted after the current claim began, which may not see them. */
  #wantedSince = 0
  #claiming: Promise<void> | undefined
  /** Number of polls before dead workers are looked for. */
  #pollsLeft = 0

  constructor(kinds: readonly ChatKind[], slots: number, calls: SlotCalls) {
    this.names = new Set(kinds.map(kindName))
    this.#kinds = kinds
    this.#calls = calls
    this.#free = slots
  }

  /** Claims chats, now or when slots become free; returns how many of them have no free slot. */
  want(count: number): number {
    const left =
      this.#wanted === Infinity && this.#free > 0 ? 0 : Math.max(0, Math.min(count, this.#wanted + count - this.#free))
    this.#wanted += count
    this.#wantedSince += count
    this.#fill()
    return left
  }

  /** Claims as many chats as wait and have a free slot. */
  poll(): void {
    this.#pollsLeft--
    if (this.#free === 0) return
    this.#wanted = Infinity
    this.#fill()
  }

  /** Resolves when no chat is running. */
  async drained(): Promise<void> {
    await this.#claiming
    await Promise.all(this.#running)
  }

  #fill(): void {
    if (this.#wanted > 0 && this.#free > 0 && !this.#calls.signal.aborted) this.#claiming ??= this.#claim()
  }

  async #claim(): Promise<void> {
    const { claim, onError, signal, takeoverInterval } = this.#calls
    while (this.#wanted > 0 && this.#free > 0 && !signal.aborted) {
      const limit = Math.min(this.#wanted, this.#free, MAX_CLAIMS)
      const isLost = this.#pollsLeft <= 0
      if (isLost) this.#pollsLeft = takeoverInterval / POLL_INTERVAL_MS
      this.#wanted -= limit
      this.#wantedSince = 0
      this.#free -= limit
      let ids: readonly string[] = []
      try {
        ids = await claim(this.#kinds, limit, isLost)
      } catch (error) {
        onError(error)
      }
      this.#free += limit - ids.length
      for (const id of ids) this.#run(id)
      // The others are gone: other workers have them.
      if (ids.length < limit) this.#wanted = this.#wantedSince
    }
    this.#claiming = undefined
  }

  #run(id: string): void {
    const { run } = this.#calls
    const running = run(id).then(() => {
      this.#free++
      this.#running.delete(running)
      this.#fill()
    })
    this.#running.add(running)
  }
}
