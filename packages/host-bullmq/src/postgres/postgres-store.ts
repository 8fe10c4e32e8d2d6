import type {
  ChatClaim,
  ChatCount,
  ChatKind,
  ChatOutcome,
  ChatQuery,
  ChatStore,
  ChatSubmission,
  ClaimedChat,
  HostedChat,
  JournalEntry,
  PendingQuestion,
  StoredDecision,
  XEvent,
} from '@x/interfaces'
import { readClaimedChat, readStoredEntry } from '@x/kernel/hosting'
import { GroupedCalls } from '../grouped-calls.ts'
import { identityOf, noCounter, readJson, readQuestion, writeJson } from '../stored-json.ts'
import type { PostgresClient, Row } from './postgres-client.ts'
import type { PostgresNotices } from './postgres-notices.ts'
import type { PostgresWrites } from './postgres-writes.ts'
import { CHAT, isOfOne, NOW, readChat, readFound, WITHOUT_WAITING } from './rows.ts'

/** Statements under way at once about chats that are asked for together, and most chats in one. */
const TOGETHER = { lanes: 2, most: 200 }

/** Where a claim holds. */
const HELD = "id = $1 AND epoch = $2 AND state = 'running'"

/** Where a chat that waits may be claimed, and one that runs. What lies in the future is of before the clock was set back. */
const WAITS = `state = 'waiting' AND due <= ${NOW} AND (queued + patience <= ${NOW} OR queued > ${NOW}) AND ended IS NULL`
const LEFT = `state = 'running' AND (lease + patience <= ${NOW} OR lease > ${NOW} + leased) AND ended IS NULL`

/** Setbacks in a row of a chat, without one of now: what was kept in between ends the row. */
const SETBACKS = 'CASE length WHEN kept THEN setbacks ELSE 0 END'

/**
 * Milliseconds for which a chat is left alone after so many setbacks in a row: more and more, and of many chats that were
 * lost together each another time, so that one of them that ends its worker meets others each time.
 */
const patienceOf = (setbacks: string): string =>
  `(CASE WHEN ${setbacks} > 2 THEN least(900000, 1000 * 2 ^ least(${setbacks}, 20)) * (0.5 + random() / 2) ELSE 0 END)::bigint`

/** What wakes a suspended chat, in an UPDATE. */
const WAKE = `heard = heard + 1,
  turn = turn + (state = 'suspended')::int,
  queued = CASE state WHEN 'suspended' THEN ${NOW} ELSE queued END,
  state = CASE state WHEN 'suspended' THEN 'waiting' ELSE state END`

/** Does not wait for the disk where no chat need be durable, in a SELECT from what was changed. */
const UNWAITED = `CASE WHEN NOT bool_or(durable) OVER () THEN ${WITHOUT_WAITING} END`

/**
 * Keeps chats in tables of Postgres; every method is one statement, under the lock of the row of its chat, and some are one
 * with those that come at once.
 */
export class PostgresStore implements ChatStore {
  readonly #db: PostgresClient
  readonly #writes: PostgresWrites
  readonly #notices: PostgresNotices
  readonly #submits: GroupedCalls<ChatSubmission, HostedChat | null>
  readonly #reads: GroupedCalls<string, HostedChat | null>
  readonly #deletes: GroupedCalls<string, boolean>

  constructor(db: PostgresClient, writes: PostgresWrites, notices: PostgresNotices) {
    this.#db = db
    this.#writes = writes
    this.#notices = notices
    this.#submits = new GroupedCalls((chats) => this.#insert(chats), { ...TOGETHER, keyOf: ({ id }) => id, isOfOne })
    this.#reads = new GroupedCalls((ids) => this.#read(ids), TOGETHER)
    this.#deletes = new GroupedCalls((ids) => this.#forget(ids), TOGETHER)
  }

  async submit(submission: ChatSubmission): Promise<{ chat: HostedChat; isNew: boolean }> {
    const { id, durable = true } = submission
    const chat = await this.#submits.add(submission)
    // Nobody knows of a part before it is handed in.
    if (chat && durable) this.#notices.tell(id)
    if (chat) return { chat, isNew: true }
    const known = await this.get(id)
    // One that was forgotten in between is none.
    return known ? { chat: known, isNew: false } : await this.submit(submission)
  }

  async claim(id: string, lease: number, whole?: string): Promise<ClaimedChat | null> {
    const [row] = await this.#db.rows(
      `WITH free AS (
         SELECT id AS chat, state AS before, ${SETBACKS} + (state = 'running')::int AS lost
         FROM chats WHERE id = $1 AND (${WAITS} OR ${LEFT}) FOR UPDATE
       )
       UPDATE chats SET state = 'running', epoch = nextval('epochs'), lease = ${NOW} + $2, leased = $2,
         setbacks = lost, kept = length, patience = ${patienceOf('lost')} FROM free
       WHERE id = chat RETURNING ${CHAT}, before, EXISTS (SELECT FROM chats WHERE id = $3 AND ended IS NULL) AS open,
         CASE WHEN NOT durable THEN ${WITHOUT_WAITING} END`,
      ...[id, Math.round(lease * 1000), whole ?? null],
    )
    if (!row) return null
    const chat = readChat(row)
    if (!Number.isSafeInteger(chat.epoch)) throw noCounter('epochs')
    const length = Number(row['length'])
    const heard = Number(row['heard'])
    const [entries, messages] = await (length === 0 && heard === 0
      ? [[], []]
      : Promise.all([
          this.#db.rows(ENTRIES, id),
          this.#db.rows('SELECT json FROM messages WHERE chat = $1 ORDER BY n', id),
        ]))
    // What came after the claim is counted after it, too: at worst the chat is taken up once more.
    const textsOf = (rows: readonly Row[]): readonly unknown[] => rows.map(({ json }) => json)
    return readClaimedChat(chat, {
      ...{ entries: textsOf(entries), messages: textsOf(messages), length, heard },
      takenOver: row['before'] === 'running',
      isLeft: whole !== undefined && row['open'] === false,
    })
  }

  async renew(claims: readonly ChatClaim[], lease: number): Promise<readonly string[]> {
    const rows = await this.#db.rows(
      `WITH held AS (
         SELECT id AS chat FROM chats JOIN unnest($1::text[], $2::bigint[]) AS given (chat, claim) ON id = chat AND epoch = claim
         WHERE state = 'running' ORDER BY id FOR UPDATE OF chats
       ) UPDATE chats SET lease = ${NOW} + $3, leased = $3 FROM held WHERE id = chat RETURNING id`,
      ...[claims.map(({ id }) => id), claims.map(({ epoch }) => epoch), Math.round(lease * 1000)],
    )
    return rows.map(({ id }) => id as string)
  }

  async append(
    { id, epoch }: ChatClaim,
    entries: readonly JournalEntry[],
    events: readonly XEvent[] = [],
  ): Promise<boolean> {
    try {
      return (await this.#writes.write({ claim: { id, epoch }, entries, events })) !== null
    } catch (error) {
      // There is an entry of equal identity: the whole change was taken back.
      if (isKnown(error)) return false
      throw error
    }
  }

  async finish({ id, epoch }: ChatClaim, outcome: ChatOutcome, events: readonly XEvent[] = []): Promise<boolean> {
    const [ended] = await this.#db.rows(
      `WITH changed AS (
         UPDATE chats SET state = $3, ended = ${NOW}, outcome = $4, sent = sent + $5 WHERE ${HELD} RETURNING id, sent, durable
       ), logged AS (INSERT INTO events (chat, n, json) SELECT id, sent, $6 FROM changed WHERE $5 > 0)
       SELECT durable, CASE WHEN NOT durable THEN ${this.#notices.within} END, ${UNWAITED} FROM changed`,
      ...[id, epoch, outcome.state, writeJson(outcome), events.length, writeJson(events)],
    )
    if (ended?.['durable']) this.#notices.tell(id)
    return ended !== undefined
  }

  async suspend({ id, epoch }: ChatClaim, heard: number): Promise<HostedChat | null> {
    const set = `state = CASE heard WHEN $3 THEN 'suspended' ELSE 'waiting' END, turn = turn + (heard <> $3)::int,
      setbacks = 0, patience = 0, reason = NULL`
    return await this.#update(set, HELD, id, epoch, heard)
  }

  async release({ id, epoch }: ChatClaim): Promise<HostedChat | null> {
    return await this.#update("state = 'waiting', turn = turn + 1, patience = 0", HELD, id, epoch)
  }

  async putOff({ id, epoch }: ChatClaim, reason: string): Promise<HostedChat | null> {
    const setbacks = `${SETBACKS} + 1`
    const set = `state = 'waiting', turn = turn + 1, queued = ${NOW}, setbacks = ${setbacks}, kept = length,
      patience = ${patienceOf(`(${setbacks})`)}, reason = $3`
    return await this.#update(set, HELD, id, epoch, reason)
  }

  async decide(id: string, decision: JournalEntry, by: string | null): Promise<HostedChat | 'known' | 'ended'> {
    try {
      const decided = await this.#changed(
        id,
        `WITH changed AS (UPDATE chats SET ${WAKE} WHERE id = $1 AND ended IS NULL RETURNING ${CHAT}), added AS (
           INSERT INTO entries (chat, identity, place, kind, json, author, at)
           SELECT id, $2, $3, 'decision', $4, $5, ${NOW} FROM changed
         ) SELECT * FROM changed`,
        ...[id, identityOf(decision), JSON.stringify(decision.place), writeJson(decision), writeJson(by)],
      )
      return readFound(decided) ?? 'ended'
    } catch (error) {
      if (isKnown(error)) return 'known'
      throw error
    }
  }

  async send(id: string, message: unknown): Promise<HostedChat | 'ended'> {
    const sent = await this.#changed(
      id,
      `WITH changed AS (UPDATE chats SET ${WAKE} WHERE id = $1 AND ended IS NULL RETURNING ${CHAT}), added AS (
         INSERT INTO messages (chat, json) SELECT id, $2 FROM changed
       ) SELECT * FROM changed`,
      ...[id, writeJson(message)],
    )
    return readFound(sent) ?? 'ended'
  }

  async cancel(id: string, reason: string): Promise<HostedChat | 'ended'> {
    const outcome: ChatOutcome = { state: 'cancelled', reason }
    const set = `state = 'cancelled', ended = ${NOW}, outcome = $2`
    return (await this.#update(set, 'id = $1 AND ended IS NULL', id, writeJson(outcome))) ?? 'ended'
  }

  async delete(id: string): Promise<boolean> {
    return await this.#deletes.add(id)
  }

  async expired(seconds: number, limit: number): Promise<readonly HostedChat[]> {
    const sql = `SELECT ${CHAT} FROM chats WHERE ended <= ${NOW} - $1::bigint ORDER BY ended LIMIT $2`
    return (await this.#db.rows(sql, Math.round(seconds * 1000), limit)).map(readChat)
  }

  async get(id: string): Promise<HostedChat | null> {
    return await this.#reads.add(id)
  }

  async entries(id: string): Promise<readonly JournalEntry[]> {
    return (await this.#db.rows(ENTRIES, id)).map(({ json }) => readStoredEntry(id, json))
  }

  async decisions(id: string): Promise<readonly StoredDecision[]> {
    const sql = "SELECT json, author, at FROM entries WHERE chat = $1 AND kind = 'decision' ORDER BY n"
    const rows = await this.#db.rows(sql, id)
    return rows.map((row) => ({
      entry: readStoredEntry(id, row['json']),
      by: readJson(row['author']) as string | null,
      at: Number(row['at']),
    }))
  }

  async list({ state, kind, after = '', limit }: ChatQuery): Promise<readonly HostedChat[]> {
    const values: unknown[] = [after, limit]
    const place = (value: string): string => `$${values.push(value)}`
    const conditions = ['id > $1']
    if (state) conditions.push(`state = ${place(state)}`)
    if (kind) conditions.push(`name = ${place(kind.name)} AND version = ${place(kind.version)}`)
    const sql = `SELECT ${CHAT} FROM chats WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT $2`
    return (await this.#db.rows(sql, ...values)).map(readChat)
  }

  async pending(after: string | null, limit: number): Promise<readonly PendingQuestion[]> {
    const rows = await this.#db.rows(
      `SELECT n, chat, json FROM entries JOIN chats ON chats.id = chat
       WHERE kind = 'question' AND n > $1 AND ended IS NULL AND NOT EXISTS (
         SELECT 1 FROM entries AS other
         WHERE other.chat = entries.chat AND other.place = entries.place AND other.kind = 'decision'
       ) ORDER BY n LIMIT $2`,
      ...[after ?? '0', limit],
    )
    return rows.map(({ n, chat, json }) => readQuestion(chat as string, json, String(n)))
  }

  async due(kinds: readonly ChatKind[], limit: number): Promise<readonly HostedChat[]> {
    const rows = await this.#db.rows(
      `SELECT found.* FROM unnest($1::text[], $2::text[]) AS kinds (a, b) CROSS JOIN LATERAL (
         (SELECT ${CHAT}, queued FROM chats WHERE name = a AND version = b AND ${WAITS}
          ORDER BY queued LIMIT $3)
         UNION ALL
         SELECT ${CHAT}, queued FROM chats WHERE name = a AND version = b AND ${LEFT}
       ) AS found ORDER BY queued LIMIT $3`,
      ...[kinds.map(({ name }) => name), kinds.map(({ version }) => version), limit],
    )
    return rows.map(readChat)
  }

  async counts({ open = false }: { readonly open?: boolean | undefined } = {}): Promise<readonly ChatCount[]> {
    const rows = await this.#db.rows(
      `SELECT name, version, state, count(*)::int AS count FROM chats ${open ? 'WHERE ended IS NULL' : ''}
       GROUP BY name, version, state`,
    )
    return rows as unknown as readonly ChatCount[]
  }

  /** Gives each chat, or null for one whose identifier is known. */
  async #insert(chats: readonly ChatSubmission[]): Promise<readonly (HostedChat | null)[]> {
    const rows = await this.#db.rows(
      INSERT,
      ...[chats.map(({ id }) => id), chats.map(({ name }) => name), chats.map(({ version }) => version)],
      ...[chats.map(({ input }) => writeJson(input)), chats.map(({ at }) => (at === undefined ? null : Math.ceil(at)))],
      chats.map(({ durable = true }) => durable),
    )
    return byId(
      chats.map(({ id }) => id),
      rows,
    )
  }

  async #read(ids: readonly string[]): Promise<readonly (HostedChat | null)[]> {
    return byId(ids, await this.#db.rows(`SELECT ${CHAT} FROM chats WHERE id = ANY($1::text[])`, ids))
  }

  async #forget(ids: readonly string[]): Promise<readonly boolean[]> {
    const gone = new Set((await this.#db.rows(FORGET, ids)).map(({ id }) => id))
    return ids.map((id) => gone.has(id))
  }

  /** Updates a chat, whose identifier is the first value, and tells others of it. */
  async #update(set: string, where: string, id: string, ...values: readonly unknown[]): Promise<HostedChat | null> {
    return readFound(await this.#changed(id, `UPDATE chats SET ${set} WHERE ${where} RETURNING ${CHAT}`, id, ...values))
  }

  /** Runs a statement that gives a row where it has changed a chat, and tells others of that. */
  async #changed(id: string, sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    const rows = await this.#db.rows(sql, ...values)
    if (rows.length > 0) this.#notices.tell(id)
    return rows
  }
}

/** Gives the chats of some rows as their identifiers were given. */
function byId(ids: readonly string[], rows: readonly Row[]): readonly (HostedChat | null)[] {
  const found = new Map(rows.map((row) => [row['id'], readChat(row)]))
  return ids.map((id) => found.get(id) ?? null)
}

/** Rows are added in one order, so that no two statements wait for each other. */
const INSERT = `
WITH changed AS (
  INSERT INTO chats (id, name, version, input, submitted, due, queued, durable)
  SELECT id, name, version, input, now, coalesce(at, 0), greatest(at, now), durable
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::boolean[])
    AS given (id, name, version, input, at, durable), (SELECT ${NOW} AS now) AS time
  ORDER BY id COLLATE "C" ON CONFLICT DO NOTHING RETURNING ${CHAT}, durable
) SELECT *, ${UNWAITED} FROM changed`

const FORGET = `
WITH ended AS (SELECT id FROM chats WHERE id = ANY($1::text[]) AND ended IS NOT NULL ORDER BY id FOR UPDATE),
  gone AS (DELETE FROM chats USING ended WHERE chats.id = ended.id RETURNING chats.id, durable),
  entries_gone AS (DELETE FROM entries USING gone WHERE chat = id),
  events_gone AS (DELETE FROM events USING gone WHERE chat = id),
  messages_gone AS (DELETE FROM messages USING gone WHERE chat = id)
SELECT id, ${UNWAITED} FROM gone`

const ENTRIES = 'SELECT json FROM entries WHERE chat = $1 ORDER BY n'

/** Whether an error says that there is an entry of equal identity. */
const isKnown = (error: unknown): boolean => (error as { code?: unknown }).code === UNIQUE_VIOLATION

const UNIQUE_VIOLATION = '23505'
