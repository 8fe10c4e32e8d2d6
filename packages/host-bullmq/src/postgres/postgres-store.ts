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
} from '@x/interfaces'
import { identityOf, readJson, writeJson } from '../stored-json.ts'
import type { PostgresClient, Row } from './postgres-client.ts'
import { readChat, readEntry, readFound } from './rows.ts'

/** The time of the server in milliseconds since 1970. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Where a claim holds. */
const HELD = "id = $1 AND epoch = $2 AND state = 'running'"

/** Where a chat may be claimed. A lease that ends later than it could is one of before the clock was set back. */
const FREE = `(state = 'waiting' AND due <= ${NOW} OR state = 'running' AND (lease <= ${NOW} OR lease > ${NOW} + leased))`

/** What wakes a suspended chat, in an UPDATE. */
const WAKE = `heard = heard + 1,
  turn = turn + (state = 'suspended')::int,
  queued = CASE state WHEN 'suspended' THEN ${NOW} ELSE queued END,
  state = CASE state WHEN 'suspended' THEN 'waiting' ELSE state END`

/** Keeps chats in tables of Postgres; every method is one statement, under the lock of the row of its chat. */
export class PostgresStore implements ChatStore {
  readonly #db: PostgresClient
  /** Tells others of the chat in `id`, in a SELECT from what was changed. */
  readonly #notify: string

  constructor(db: PostgresClient, channel: string) {
    this.#db = db
    this.#notify = `pg_notify('${channel}', id)`
  }

  async submit({ id, name, version, input, at }: ChatSubmission): Promise<{ chat: HostedChat; isNew: boolean }> {
    const added = await this.#db.rows(
      `WITH changed AS (
         INSERT INTO chats (id, name, version, input, submitted, due, queued)
         SELECT $1, $2, $3, $4, now, coalesce($5::bigint, 0), greatest($5::bigint, now) FROM (SELECT ${NOW} AS now) AS time
         ON CONFLICT DO NOTHING RETURNING *
       ) SELECT *, ${this.#notify} FROM changed`,
      ...[id, name, version, writeJson(input), at === undefined ? null : Math.ceil(at)],
    )
    const chat = readFound(added)
    return chat ? { chat, isNew: true } : { chat: (await this.get(id))!, isNew: false }
  }

  async claim(id: string, lease: number): Promise<ClaimedChat | null> {
    const [row] = await this.#db.rows(
      `UPDATE chats SET state = 'running', epoch = nextval('epochs'), lease = ${NOW} + $2, leased = $2
       WHERE id = $1 AND ${FREE} RETURNING *`,
      ...[id, Math.round(lease * 1000)],
    )
    if (!row) return null
    const [entries, messages] = await Promise.all([
      this.entries(id),
      this.#db.rows('SELECT json FROM messages WHERE chat = $1 ORDER BY n', id),
    ])
    // What came after the claim is counted after it, too: at worst the chat is taken up once more.
    return {
      ...readChat(row),
      entries,
      messages: messages.map(({ json }) => readJson(json)),
      heard: Number(row['heard']),
    }
  }

  async renew(claims: readonly ChatClaim[], lease: number): Promise<readonly string[]> {
    const rows = await this.#db.rows(
      `UPDATE chats SET lease = ${NOW} + $3, leased = $3 FROM unnest($1::text[], $2::bigint[]) AS held (chat, claim)
       WHERE id = held.chat AND epoch = held.claim AND state = 'running' RETURNING id`,
      ...[claims.map(({ id }) => id), claims.map(({ epoch }) => epoch), Math.round(lease * 1000)],
    )
    return rows.map(({ id }) => id as string)
  }

  async append({ id, epoch }: ChatClaim, entry: JournalEntry): Promise<boolean> {
    const added = await this.#insert(
      `WITH held AS (UPDATE chats SET length = length + 1 WHERE ${HELD} AND length = $3 RETURNING id)
       INSERT INTO entries (chat, identity, place, kind, json, at)
       SELECT id, $4, $5, $6, $7, ${NOW} FROM held RETURNING chat`,
      ...[id, epoch, entry.seq, identityOf(entry), JSON.stringify(entry.place), entry.kind, writeJson(entry)],
    )
    return added !== 'known' && added.length > 0
  }

  async finish({ id, epoch }: ChatClaim, outcome: ChatOutcome): Promise<boolean> {
    const set = `state = $3, ended = ${NOW}, outcome = $4`
    return (await this.#change(set, HELD, id, epoch, outcome.state, writeJson(outcome))) !== null
  }

  async suspend({ id, epoch }: ChatClaim, heard: number): Promise<HostedChat | null> {
    const set = `state = CASE heard WHEN $3 THEN 'suspended' ELSE 'waiting' END, turn = turn + (heard <> $3)::int`
    return await this.#change(set, HELD, id, epoch, heard)
  }

  async release({ id, epoch }: ChatClaim): Promise<HostedChat | null> {
    return await this.#change("state = 'waiting', turn = turn + 1", HELD, id, epoch)
  }

  async decide(id: string, decision: JournalEntry, by: string | null): Promise<HostedChat | 'known' | 'ended'> {
    const decided = await this.#insert(
      `WITH changed AS (UPDATE chats SET ${WAKE} WHERE id = $1 AND ended IS NULL RETURNING *), added AS (
         INSERT INTO entries (chat, identity, place, kind, json, author, at)
         SELECT id, $2, $3, 'decision', $4, $5, ${NOW} FROM changed
       ) SELECT *, ${this.#notify} FROM changed`,
      ...[id, identityOf(decision), JSON.stringify(decision.place), writeJson(decision), writeJson(by)],
    )
    return decided === 'known' ? decided : (readFound(decided) ?? 'ended')
  }

  async send(id: string, message: unknown): Promise<HostedChat | 'ended'> {
    const sent = await this.#db.rows(
      `WITH changed AS (UPDATE chats SET ${WAKE} WHERE id = $1 AND ended IS NULL RETURNING *), added AS (
         INSERT INTO messages (chat, json) SELECT id, $2 FROM changed
       ) SELECT *, ${this.#notify} FROM changed`,
      ...[id, writeJson(message)],
    )
    return readFound(sent) ?? 'ended'
  }

  async cancel(id: string, reason: string): Promise<HostedChat | 'ended'> {
    const outcome: ChatOutcome = { state: 'cancelled', reason }
    const set = `state = 'cancelled', ended = ${NOW}, outcome = $2`
    return (await this.#change(set, 'id = $1 AND ended IS NULL', id, writeJson(outcome))) ?? 'ended'
  }

  async delete(id: string): Promise<boolean> {
    const gone = await this.#db.rows(
      `WITH gone AS (DELETE FROM chats WHERE id = $1 AND ended IS NOT NULL RETURNING id),
         entries_gone AS (DELETE FROM entries USING gone WHERE chat = id),
         messages_gone AS (DELETE FROM messages USING gone WHERE chat = id)
       SELECT id FROM gone`,
      id,
    )
    return gone.length > 0
  }

  async expired(seconds: number, limit: number): Promise<readonly HostedChat[]> {
    const sql = `SELECT * FROM chats WHERE ended <= ${NOW} - $1::bigint ORDER BY ended LIMIT $2`
    return (await this.#db.rows(sql, Math.round(seconds * 1000), limit)).map(readChat)
  }

  async get(id: string): Promise<HostedChat | null> {
    return readFound(await this.#db.rows('SELECT * FROM chats WHERE id = $1', id))
  }

  async entries(id: string): Promise<readonly JournalEntry[]> {
    return (await this.#db.rows('SELECT json FROM entries WHERE chat = $1 ORDER BY n', id)).map(readEntry)
  }

  async decisions(id: string): Promise<readonly StoredDecision[]> {
    const sql = "SELECT json, author, at FROM entries WHERE chat = $1 AND kind = 'decision' ORDER BY n"
    const rows = await this.#db.rows(sql, id)
    return rows.map((row) => ({
      entry: readEntry(row),
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
    const sql = `SELECT * FROM chats WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT $2`
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
    return rows.map((row) => ({ chat: row['chat'] as string, entry: readEntry(row), cursor: String(row['n']) }))
  }

  async due(kinds: readonly ChatKind[], limit: number): Promise<readonly HostedChat[]> {
    const rows = await this.#db.rows(
      `SELECT chats.* FROM chats JOIN unnest($1::text[], $2::text[]) AS kinds (a, b) ON name = a AND version = b
       WHERE ${FREE} ORDER BY queued LIMIT $3`,
      ...[kinds.map(({ name }) => name), kinds.map(({ version }) => version), limit],
    )
    return rows.map(readChat)
  }

  async counts(): Promise<readonly ChatCount[]> {
    const rows = await this.#db.rows(
      'SELECT name, version, state, count(*)::int AS count FROM chats GROUP BY name, version, state',
    )
    return rows as unknown as readonly ChatCount[]
  }

  /** Changes a chat, and tells others of it. */
  async #change(set: string, where: string, ...values: readonly unknown[]): Promise<HostedChat | null> {
    const sql = `WITH changed AS (UPDATE chats SET ${set} WHERE ${where} RETURNING *) SELECT *, ${this.#notify} FROM changed`
    return readFound(await this.#db.rows(sql, ...values))
  }

  /** Adds an entry; one of equal identity takes the whole change back. */
  async #insert(sql: string, ...values: readonly unknown[]): Promise<readonly Row[] | 'known'> {
    try {
      return await this.#db.rows(sql, ...values)
    } catch (error) {
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return 'known'
      throw error
    }
  }
}

const UNIQUE_VIOLATION = '23505'
