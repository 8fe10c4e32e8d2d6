import type { ChatClaim, JournalEntry, XEvent } from '@x/interfaces'
import { CallBatcher } from '../call-batcher.ts'
import { identityOf, storedCheckpoint, writeJson } from '../stored-text.ts'
import type { PostgresClient } from './postgres-client.ts'
import type { PostgresNotices } from './postgres-notices.ts'
import { isConnectionError, isValueError, NOW_SQL } from './rows.ts'

/** A write of a worker to a chat: events, and entries behind them. */
interface ChatWrite {
  readonly claim: ChatClaim
  readonly events: readonly XEvent[]
  readonly entries: readonly JournalEntry[]
}

/** A write with its JSON, and when it is given up in milliseconds since 1970. */
interface TimedWrite extends ChatWrite {
  readonly until: number
  readonly eventsJson: string | null
  readonly entryJsons: readonly string[]
}

/** Result of a write; null when it was refused. */
type WriteResult = { readonly followed: boolean; readonly heard: number } | null

/** Bounds of the statements: while one is made durable, the next one is collected. */
const WRITE_BATCHES = { maxInFlight: 2, maxItems: 200 }

/** Delay before a write whose connection was lost is made again. */
const RETRY_DELAY_MS = 250

/** Options of {@link PostgresWrites}. */
interface PostgresWritesOptions {
  /** Seconds within which a statement is answered, or fails. */
  readonly timeout: number
  readonly now: () => number
}

/**
 * Writes entries and events of many chats in one statement, which locks the rows of the chats. A write whose connection was
 * lost is made again if the server does not have it: what a worker cannot keep is paid for again.
 */
export class PostgresWrites {
  readonly #db: PostgresClient
  readonly #notices: PostgresNotices
  readonly #options: PostgresWritesOptions
  readonly #batcher: CallBatcher<TimedWrite, WriteResult>

  constructor(db: PostgresClient, notices: PostgresNotices, options: PostgresWritesOptions) {
    this.#db = db
    this.#notices = notices
    this.#options = options
    this.#batcher = new CallBatcher((writes) => this.#write(writes), {
      ...WRITE_BATCHES,
      isItemError: isValueError,
      keyOf: ({ claim }) => claim.id,
      lengthOf: ({ eventsJson, entryJsons }) =>
        entryJsons.reduce((sum, { length }) => sum + length, eventsJson?.length ?? 0),
    })
  }

  /** Writes a chat; null when the claim has ended or the first entry has not the next number. Fails with a unique violation for a duplicate entry. */
  async write(write: ChatWrite): Promise<WriteResult> {
    const { timeout, now } = this.#options
    // One time-out for the first connection, and one for others.
    const until = now() + 2 * timeout * 1000
    const { events, entries } = write
    const eventsJson = events.length > 0 ? writeJson(events) : null
    const result = await this.#batcher.add({ ...write, until, eventsJson, entryJsons: entries.map(writeJson) })
    if (result?.followed && events.length > 0) this.#notices.notify(write.claim.id)
    return result
  }

  async #write(writes: readonly TimedWrite[]): Promise<readonly WriteResult[]> {
    const until = Math.max(...writes.map((write) => write.until))
    const results = new Map<TimedWrite, WriteResult>()
    const rest = (): readonly TimedWrite[] => writes.filter((write) => !results.has(write))
    while (rest().length > 0) {
      try {
        await this.#run(WRITE_SQL, columnsOf(rest()), rest(), results)
        break
      } catch (error) {
        if (!isConnectionError(error) || this.#options.now() >= until) throw error
        await this.#findKept(rest(), results, until)
      }
    }
    return writes.map((write) => results.get(write) ?? null)
  }

  /** Finds the writes that the server has kept, though their answer was lost, as soon as it can be asked. */
  async #findKept(writes: readonly TimedWrite[], results: Map<TimedWrite, WriteResult>, until: number): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
      try {
        return await this.#run(KEPT_SQL, columnsOf(writes).slice(0, GIVEN_COLUMNS), writes, results)
      } catch (error) {
        if (!isConnectionError(error) || this.#options.now() >= until) throw error
      }
    }
  }

  /** Runs a statement that returns the places of writes, and adds their results. */
  async #run(
    sql: string,
    columns: readonly unknown[],
    writes: readonly TimedWrite[],
    results: Map<TimedWrite, WriteResult>,
  ): Promise<void> {
    for (const { place, followed, heard } of await this.#db.rows(sql, ...columns)) {
      results.set(writes[Number(place) - 1]!, { followed: followed === true, heard: Number(heard) })
    }
  }
}

function columnsOf(writes: readonly TimedWrite[]): unknown[] {
  const checkpoints = writes.map(({ entries }) => storedCheckpoint(entries))
  const rows = writes.flatMap(({ entries }, index) => entries.map((entry) => ({ entry, place: index + 1 })))
  return [
    writes.map(({ claim }) => claim.id),
    writes.map(({ claim }) => claim.epoch),
    writes.map(({ events }) => events.length),
    writes.map(({ eventsJson }) => eventsJson),
    writes.map(({ entries }) => entries.length),
    writes.map(({ entries }) => entries[0]?.seq ?? null),
    ...[checkpoints.map(({ identity }) => identity), checkpoints.map(({ seq }) => seq)],
    checkpoints.map(({ messages }) => messages),
    rows.map(({ place }) => place),
    rows.map(({ entry }) => identityOf(entry)),
    rows.map(({ entry }) => JSON.stringify(entry.place)),
    rows.map(({ entry }) => entry.kind),
    writes.flatMap(({ entryJsons }) => entryJsons),
  ]
}

/** Number of the columns of writes; those of their entries follow. */
const GIVEN_COLUMNS = 9

const GIVEN_SQL = `given AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::text[], $5::int[], $6::int[], $7::text[], $8::int[], $9::int[])
  WITH ORDINALITY AS given (chat, claim, count, events, added, seq, begins, cold, used, place)
)`

/** Finds writes that are kept. Only the claim writes, one write after the other, so the last entry or events tell. */
const KEPT_SQL = `
WITH ${GIVEN_SQL}
SELECT place, followed > ${NOW_SQL} AS followed, heard FROM given JOIN chats ON id = chat AND epoch = claim
WHERE state = 'running' AND CASE WHEN added > 0 THEN length = seq + added
  ELSE events = (SELECT json FROM events AS logged WHERE logged.chat = id ORDER BY n DESC LIMIT 1) END`

/** The number of the last message that was used before a checkpoint. It is 0 in a fork, whose first messages are counted anew. */
const LAST_MESSAGE_SQL = `coalesce((
  SELECT n FROM messages WHERE messages.chat = chats.id AND n > last_message ORDER BY n LIMIT 1
  OFFSET used - 1 - CASE last_message WHEN 0 THEN 0 ELSE messages_before END
), last_message)`

/** Locks rows in the order of their identifiers, so that statements cannot deadlock. */
const WRITE_SQL = `
WITH ${GIVEN_SQL}, held AS (
  SELECT chats.id FROM chats JOIN given ON id = chat AND epoch = claim
  WHERE state = 'running' AND (added = 0 OR length = seq) ORDER BY id FOR UPDATE OF chats
), changed AS (
  UPDATE chats SET length = length + added, sent = sent + count, checkpoint = coalesce(begins, checkpoint),
    entries_before = coalesce(cold, entries_before), messages_before = coalesce(used, messages_before),
    last_message = CASE WHEN used > messages_before THEN ${LAST_MESSAGE_SQL} ELSE last_message END
  FROM given, held
  WHERE chats.id = held.id AND chats.id = chat
  RETURNING chats.id, sent, place, followed > ${NOW_SQL} AS followed, heard
), logged AS (
  INSERT INTO events (chat, n, json)
  SELECT id, sent, events FROM changed JOIN given USING (place) WHERE count > 0
), kept AS (
  INSERT INTO entries (chat, identity, place, kind, json, at)
  SELECT id, identity, entry_place, kind, json, ${NOW_SQL}
  FROM unnest($10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[])
  WITH ORDINALITY AS entries (place, identity, entry_place, kind, json, n) JOIN changed USING (place) ORDER BY n
)
SELECT place, followed, heard FROM changed`
