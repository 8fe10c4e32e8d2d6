import type { ChatClaim, JournalEntry, XEvent } from '@x/interfaces'
import { identityOf, writeJson } from '../stored-json.ts'
import { GroupedCalls } from '../grouped-calls.ts'
import type { PostgresClient } from './postgres-client.ts'
import type { PostgresNotices } from './postgres-notices.ts'
import { isOfOne, NOW } from './rows.ts'

/** What a worker writes of a chat at once: events, and entries behind them. */
interface ChatWrite {
  readonly claim: ChatClaim
  readonly events: readonly XEvent[]
  readonly entries: readonly JournalEntry[]
}

/** A write that was made: the claim held, and the numbers of the entries followed. */
type Written = { readonly followed: boolean } | null

/** Statements under way at once: one is being made durable while the next one is collected. */
const LANES = 2
/** Most chats in a statement. */
const MOST = 200

/** Writes entries and events of many chats in one statement, under the locks of their rows. */
export class PostgresWrites {
  readonly #db: PostgresClient
  readonly #notices: PostgresNotices
  readonly #calls: GroupedCalls<ChatWrite, Written>

  constructor(db: PostgresClient, notices: PostgresNotices) {
    this.#db = db
    this.#notices = notices
    this.#calls = new GroupedCalls((writes) => this.#write(writes), {
      ...{ lanes: LANES, most: MOST, isOfOne },
      keyOf: ({ claim }) => claim.id,
    })
  }

  /** Null when the claim has ended or the number of the first entry does not follow; an entry that is known fails with a unique violation. */
  async write(write: ChatWrite): Promise<Written> {
    const written = await this.#calls.add(write)
    if (written?.followed && write.events.length > 0) this.#notices.tell(write.claim.id)
    return written
  }

  async #write(writes: readonly ChatWrite[]): Promise<readonly Written[]> {
    const rows = await this.#db.rows(SQL, ...columnsOf(writes))
    const written = new Map(rows.map(({ place, followed }) => [Number(place), { followed: followed === true }]))
    return writes.map((_, index) => written.get(index + 1) ?? null)
  }
}

function columnsOf(writes: readonly ChatWrite[]): unknown[] {
  const added = writes.flatMap(({ entries }, index) => entries.map((entry) => ({ entry, place: index + 1 })))
  return [
    writes.map(({ claim }) => claim.id),
    writes.map(({ claim }) => claim.epoch),
    writes.map(({ events }) => events.length),
    writes.map(({ events }) => (events.length > 0 ? writeJson(events) : null)),
    writes.map(({ entries }) => entries.length),
    writes.map(({ entries }) => entries[0]?.seq ?? null),
    added.map(({ place }) => place),
    added.map(({ entry }) => identityOf(entry)),
    added.map(({ entry }) => JSON.stringify(entry.place)),
    added.map(({ entry }) => entry.kind),
    added.map(({ entry }) => writeJson(entry)),
  ]
}

/** Rows are locked in one order, so that no two statements wait for each other. */
const SQL = `
WITH given AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::text[], $5::int[], $6::int[])
  WITH ORDINALITY AS given (chat, claim, count, events, added, seq, place)
), held AS (
  SELECT chats.id FROM chats JOIN given ON id = chat AND epoch = claim
  WHERE state = 'running' AND (added = 0 OR length = seq) ORDER BY id FOR UPDATE OF chats
), changed AS (
  UPDATE chats SET length = length + added, sent = sent + count FROM given, held
  WHERE chats.id = held.id AND chats.id = chat
  RETURNING chats.id, sent, place, followed > ${NOW} AS followed
), logged AS (
  INSERT INTO events (chat, n, json)
  SELECT id, sent, events FROM changed JOIN given USING (place) WHERE count > 0
), kept AS (
  INSERT INTO entries (chat, identity, place, kind, json, at)
  SELECT id, identity, entry_place, kind, json, ${NOW}
  FROM unnest($7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[])
  WITH ORDINALITY AS entries (place, identity, entry_place, kind, json, n) JOIN changed USING (place) ORDER BY n
)
SELECT place, followed FROM changed`
