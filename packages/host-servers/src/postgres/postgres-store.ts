import type {
  ChatClaim,
  ChatCount,
  ChatKind,
  ChatOutcome,
  ChatStore,
  ClaimedChat,
  HostedChat,
  JournalEntry,
  PendingQuestion,
  StoredDecision,
  XEvent,
} from '@x/interfaces'
import { priorityNumber, readClaimedChat, readStoredEntry } from '@x/kernel/hosting'
import { CallBatcher } from '../call-batcher.ts'
import {
  claimCounterError,
  decidedBy,
  identityOf,
  readJson,
  readQuestion,
  storedCheckpoint,
  writeJson,
} from '../stored-text.ts'
import type { PostgresClient, Row } from './postgres-client.ts'
import type { PostgresNotices } from './postgres-notices.ts'
import type { PostgresWrites } from './postgres-writes.ts'
import { backoffSql, CLAIM_NEXT_SQL, CLAIM_SQL, dueSql, leftParentsSql, SETBACKS_SQL } from './claim-sql.ts'
import {
  ASYNC_COMMIT_UNLESS_DURABLE_SQL,
  CHAT_COLUMNS_SQL,
  isValueError,
  NOW_SQL,
  readChanged,
  readChat,
} from './rows.ts'

type ChatQuery = Parameters<ChatStore['list']>[0]
type SubmittedQuery = NonNullable<ChatQuery['submitted']>

type ChatSubmission = Parameters<ChatStore['submit']>[0]

/** A submission with the JSON of its input. */
interface WrittenSubmission extends ChatSubmission {
  readonly json: string
}

/** Bounds of the statements about several chats. */
const CHAT_BATCHES = { maxInFlight: 2, maxItems: 200 }

/** Condition: the claim on a chat still holds. */
const CLAIM_HELD_SQL = "id = $1 AND epoch = $2 AND state = 'running'"

/** Assignments of an UPDATE that ends the failures of a chat in a row. */
const NO_RETRY_SQL = 'retry_kind = NULL, retry_since = NULL, retries = 0'

/** Assignments of an UPDATE that wakes a suspended chat. */
const WAKE_SQL = `heard = heard + 1,
  turn = turn + (state = 'suspended')::int,
  queued = CASE state WHEN 'suspended' THEN ${NOW_SQL} ELSE queued END,
  wakes = CASE state WHEN 'suspended' THEN NULL ELSE wakes END,
  state = CASE state WHEN 'suspended' THEN 'waiting' ELSE state END`

/**
 * Keeps chats in tables of Postgres. Each method is one statement that locks the row of its chat; concurrent calls of some
 * methods share a statement.
 */
export class PostgresStore implements ChatStore {
  readonly #db: PostgresClient
  readonly #writes: PostgresWrites
  readonly #notices: PostgresNotices
  readonly #submits: CallBatcher<WrittenSubmission, HostedChat | null>
  readonly #reads: CallBatcher<string, HostedChat | null>
  readonly #deletes: CallBatcher<string, boolean>
  /** The rows of chats that were claimed by {@link claimNext}. */
  readonly #claimed = new Map<string, Row>()

  constructor(db: PostgresClient, writes: PostgresWrites, notices: PostgresNotices) {
    this.#db = db
    this.#writes = writes
    this.#notices = notices
    this.#submits = new CallBatcher((chats) => this.#insert(chats), {
      ...CHAT_BATCHES,
      keyOf: ({ id }) => id,
      lengthOf: ({ json }) => json.length,
      isItemError: isValueError,
    })
    this.#reads = new CallBatcher((ids) => this.#read(ids), CHAT_BATCHES)
    this.#deletes = new CallBatcher((ids) => this.#deleteEnded(ids), CHAT_BATCHES)
  }

  async submit(submission: ChatSubmission): Promise<{ chat: HostedChat; isNew: boolean }> {
    const { id, durable = true, entries, messages, tags = [] } = submission
    const chat = await (entries || messages || tags.length > 0
      ? this.#insertWhole(submission)
      : this.#submits.add({ ...submission, json: writeJson(submission.input) }))
    // A part needs no notification: nobody waits for it before its submission.
    if (chat && durable) this.#notices.notify(id)
    if (chat) return { chat, isNew: true }
    const known = await this.get(id)
    // The chat may have been deleted between the two statements.
    return known ? { chat: known, isNew: false } : await this.submit(submission)
  }

  async claim(id: string, lease: number, parent?: string): Promise<ClaimedChat | null> {
    const claimed = this.#claimed.get(id)
    this.#claimed.delete(id)
    const [row] = claimed ? [claimed] : await this.#db.rows(CLAIM_SQL, id, Math.round(lease * 1000), parent ?? null)
    return row ? await this.#readClaimed(row, parent !== undefined && row['open'] === false) : null
  }

  /**
   * Claims chats of some programs that may be claimed now, longest wait first, and returns their ids; with `isLost`, running chats
   * whose lease has expired too. The next `claim` of each returns it.
   */
  async claimNext(
    kinds: readonly ChatKind[],
    limit: number,
    lease: number,
    isLost: boolean,
  ): Promise<readonly string[]> {
    const names = [kinds.map(({ name }) => name), kinds.map(({ version }) => version)]
    const rows = await this.#db.rows(CLAIM_NEXT_SQL, ...names, limit, Math.round(lease * 1000), isLost)
    for (const row of rows) this.#claimed.set(row['id'] as string, row)
    return rows.map(({ id }) => id as string)
  }

  /** Forgets the claim of a chat of {@link claimNext}; returns it if nobody has asked for it since. */
  forgetClaim(id: string): ChatClaim | null {
    const row = this.#claimed.get(id)
    this.#claimed.delete(id)
    return row ? { id, epoch: Number(row['epoch']) } : null
  }

  /** Returns chats that ended at least `seconds` ago, or were deleted, and have parts that were not. */
  async leftParents(seconds: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#db.list(leftParentsSql(limit), Math.round(seconds * 1000))
    return rows.map(({ parent }) => parent as string)
  }

  /** Reads a chat from the row of its claim, and what it has kept. */
  async #readClaimed(row: Row, isLeft: boolean): Promise<ClaimedChat> {
    const chat = readChat(row)
    if (!Number.isSafeInteger(chat.epoch)) throw claimCounterError('epochs')
    const { id } = chat
    const length = Number(row['length'])
    const heard = Number(row['heard'])
    const [entries, messages] = await (length === 0 && heard === 0
      ? [[], []]
      : Promise.all([
          this.#db.rows(LATER_ENTRIES_SQL, id, row['checkpoint']),
          this.#db.rows(LATER_MESSAGES_SQL, id, row['last_message'], row['messages_before']),
        ]))
    // Messages that came after the claim also raise `heard` after it: at worst the chat runs one turn more.
    const textsOf = (rows: readonly Row[]): readonly unknown[] => rows.map(({ json }) => json)
    return readClaimedChat(chat, {
      entries: textsOf(entries),
      messages: textsOf(messages),
      length,
      heard,
      before: Number(row['entries_before']),
      now: Number(row['now']),
      takenOver: row['before'] === 'running',
      isLeft,
    })
  }

  async renew(claims: readonly ChatClaim[], lease: number): Promise<readonly string[]> {
    const rows = await this.#db.rows(
      `WITH held AS (
         SELECT id AS chat FROM chats JOIN unnest($1::text[], $2::bigint[]) AS given (chat, claim) ON id = chat AND epoch = claim
         WHERE state = 'running' ORDER BY id FOR UPDATE OF chats
       ) UPDATE chats SET lease = ${NOW_SQL} + $3, leased = $3 FROM held WHERE id = chat RETURNING id`,
      ...[claims.map(({ id }) => id), claims.map(({ epoch }) => epoch), Math.round(lease * 1000)],
    )
    return rows.map(({ id }) => id as string)
  }

  async append(
    { id, epoch }: ChatClaim,
    entries: readonly JournalEntry[],
    events: readonly XEvent[] = [],
  ): Promise<{ readonly heard: number } | null> {
    try {
      const written = await this.#writes.write({ claim: { id, epoch }, entries, events })
      return written && { heard: written.heard }
    } catch (error) {
      // The chat has an entry with the same identity. The write was rolled back.
      if (isDuplicate(error)) return null
      throw error
    }
  }

  async finish({ id, epoch }: ChatClaim, outcome: ChatOutcome, events: readonly XEvent[] = []): Promise<boolean> {
    const [ended] = await this.#db.rows(
      `WITH changed AS (
         UPDATE chats SET state = $3, ended = ${NOW_SQL}, outcome = $4, sent = sent + $5 WHERE ${CLAIM_HELD_SQL} RETURNING id, sent, durable
       ), logged AS (INSERT INTO events (chat, n, json) SELECT id, sent, $6 FROM changed WHERE $5 > 0)
       SELECT durable, CASE WHEN NOT durable THEN ${this.#notices.notifySql} END, ${ASYNC_COMMIT_UNLESS_DURABLE_SQL} FROM changed`,
      ...[id, epoch, outcome.state, writeJson(outcome), events.length, writeJson(events)],
    )
    if (ended?.['durable']) this.#notices.notify(id)
    return ended !== undefined
  }

  async suspend({ id, epoch }: ChatClaim, heard: number, wakesAt?: number): Promise<HostedChat | null> {
    const set = `state = CASE heard WHEN $3 THEN 'suspended' ELSE 'waiting' END, wakes = CASE heard WHEN $3 THEN $4::bigint END,
      turn = turn + (heard <> $3 OR $4::bigint IS NOT NULL)::int, setbacks = 0, patience = 0, reason = NULL, ${NO_RETRY_SQL}`
    return await this.#update(set, CLAIM_HELD_SQL, id, epoch, heard, wakesAt === undefined ? null : Math.ceil(wakesAt))
  }

  async release({ id, epoch }: ChatClaim): Promise<HostedChat | null> {
    return await this.#update("state = 'waiting', turn = turn + 1, patience = 0", CLAIM_HELD_SQL, id, epoch)
  }

  async putOff(
    { id, epoch }: ChatClaim,
    reason: string,
    retry?: Parameters<ChatStore['putOff']>[2],
  ): Promise<HostedChat | null> {
    const why = storableText(reason)
    if (retry) {
      const toRetry = `state = 'waiting-to-retry', turn = turn + 1, queued = ${NOW_SQL} + $4, patience = $4, kept = length,
        setbacks = ${SETBACKS_SQL}, retries = CASE length WHEN kept THEN retries ELSE 0 END + 1,
        retry_since = coalesce(CASE length WHEN kept THEN retry_since END, ${NOW_SQL}), retry_kind = $5, reason = $3`
      return await this.#update(toRetry, CLAIM_HELD_SQL, id, epoch, why, Math.round(retry.delay * 1000), retry.kind)
    }
    const setbacks = `${SETBACKS_SQL} + 1`
    const set = `state = 'waiting', turn = turn + 1, queued = ${NOW_SQL}, setbacks = ${setbacks}, kept = length,
      patience = ${backoffSql(`(${setbacks})`)}, reason = $3, ${NO_RETRY_SQL}`
    return await this.#update(set, CLAIM_HELD_SQL, id, epoch, why)
  }

  async decide(id: string, decision: JournalEntry, by: string | null): Promise<HostedChat | 'known' | 'ended'> {
    try {
      const decided = await this.#change(
        id,
        `WITH changed AS (UPDATE chats SET ${WAKE_SQL} WHERE id = $1 AND ended IS NULL RETURNING ${CHAT_COLUMNS_SQL}), added AS (
           INSERT INTO entries (chat, identity, place, kind, json, author, at)
           SELECT id, $2, $3, 'decision', $4, $5, ${NOW_SQL} FROM changed
         ) SELECT * FROM changed`,
        ...[id, identityOf(decision), JSON.stringify(decision.place), writeJson(decision), writeJson(by)],
      )
      return readChanged(decided) ?? 'ended'
    } catch (error) {
      if (isDuplicate(error)) return 'known'
      throw error
    }
  }

  async send(id: string, message: unknown, key?: string): Promise<HostedChat | 'ended' | { known: string }> {
    try {
      const sent = await this.#change(
        id,
        `WITH changed AS (UPDATE chats SET ${WAKE_SQL} WHERE id = $1 AND ended IS NULL RETURNING ${CHAT_COLUMNS_SQL}), added AS (
           INSERT INTO messages (chat, json, key) SELECT id, $2, $3 FROM changed
         ) SELECT * FROM changed`,
        ...[id, writeJson(message), key ?? null],
      )
      return readChanged(sent) ?? (await this.#knownMessage(id, key)) ?? 'ended'
    } catch (error) {
      const known = isDuplicate(error) ? await this.#knownMessage(id, key) : undefined
      if (known) return known
      throw error
    }
  }

  async #knownMessage(id: string, key: string | undefined): Promise<{ known: string } | undefined> {
    if (key === undefined) return undefined
    const [row] = await this.#db.rows('SELECT json FROM messages WHERE chat = $1 AND key = $2', id, key)
    return row && { known: row['json'] as string }
  }

  async cancel(id: string, reason: string): Promise<HostedChat | 'ended'> {
    const outcome: ChatOutcome = { state: 'cancelled', reason }
    const set = `state = 'cancelled', wakes = NULL, ended = ${NOW_SQL}, outcome = $2`
    return (await this.#update(set, 'id = $1 AND ended IS NULL', id, writeJson(outcome))) ?? 'ended'
  }

  async resume(id: string, reason: string): Promise<HostedChat | null> {
    const set = `state = 'waiting', turn = turn + 1, queued = ${NOW_SQL}, patience = 0, setbacks = 0, ended = NULL,
      outcome = NULL, reason = $2, ${NO_RETRY_SQL}`
    return await this.#update(set, "id = $1 AND state IN ('failed', 'waiting-to-retry')", id, storableText(reason))
  }

  async delete(id: string): Promise<boolean> {
    return await this.#deletes.add(id)
  }

  async expired(seconds: number, limit: number): Promise<readonly HostedChat[]> {
    const sql = `SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE ended <= ${NOW_SQL} - $1::bigint ORDER BY ended LIMIT ${limit}`
    return (await this.#db.list(sql, Math.round(seconds * 1000))).map(readChat)
  }

  async get(id: string): Promise<HostedChat | null> {
    return await this.#reads.add(id)
  }

  async entries(id: string): Promise<readonly JournalEntry[]> {
    return (await this.#db.rows(ENTRIES_SQL, id)).map(({ json }) => readStoredEntry(id, json))
  }

  async messages(id: string, without = 0): Promise<readonly string[]> {
    return (await this.#db.rows(MESSAGES_SQL, id, without)).map(({ json }) => json as string)
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

  async list(query: ChatQuery): Promise<readonly HostedChat[]> {
    const { state, kind, after = '', limit, submitted } = query
    if (submitted) return await this.#listSubmitted(query, submitted)
    const values: unknown[] = [after]
    const place = (value: string): string => `$${values.push(value)}`
    const conditions = ['id > $1']
    if (state) conditions.push(stateSql(state))
    if (kind) conditions.push(`name = ${place(kind.name)} AND version = ${place(kind.version)}`)
    const sql = `SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ${limit}`
    return (await this.#db.list(sql, ...values)).map(readChat)
  }

  /** Lists chats by their submission, from the index that the query fits: that of a tag, of a tenant, or of all. */
  async #listSubmitted(
    { state, kind, after, limit }: ChatQuery,
    query: SubmittedQuery,
  ): Promise<readonly HostedChat[]> {
    const { order, tag, tenant, since, until } = query
    const values: unknown[] = []
    const place = (value: unknown, type: 'text' | 'bigint'): string => `$${values.push(value)}::${type}`
    const table = tag === undefined ? 'chats' : 'tags'
    const [first, second] = [`${table}.submitted`, tag === undefined ? 'chats.id' : 'tags.chat']
    const conditions = ['durable']
    if (tag !== undefined) conditions.push(`tag = ${place(tag, 'text')}`)
    if (tenant !== undefined) conditions.push(`tenant = ${place(tenant, 'text')}`)
    if (since !== undefined) conditions.push(`${first} >= ${place(Math.ceil(since), 'bigint')}`)
    if (until !== undefined) conditions.push(`${first} < ${place(Math.ceil(until), 'bigint')}`)
    if (after !== undefined) {
      const sign = order === 'newest' ? '<' : '>'
      conditions.push(`(${first}, ${second}) ${sign} (${place(query.after ?? 0, 'bigint')}, ${place(after, 'text')})`)
    }
    if (state) conditions.push(stateSql(state))
    if (kind) conditions.push(`name = ${place(kind.name, 'text')} AND version = ${place(kind.version, 'text')}`)
    const direction = order === 'newest' ? 'DESC' : 'ASC'
    const columns = CHAT_COLUMNS_SQL.split(', ').map((column) => `chats.${column}`)
    const sql = `SELECT ${columns.join(', ')} FROM chats ${tag === undefined ? '' : 'JOIN tags ON tags.chat = chats.id'}
      WHERE ${conditions.join(' AND ')} ORDER BY ${first} ${direction}, ${second} ${direction} LIMIT ${limit}`
    return (await this.#db.list(sql, ...values)).map(readChat)
  }

  async pending(after: string | null, limit: number): Promise<readonly PendingQuestion[]> {
    const rows = await this.#db.list(
      `SELECT n, chat, json FROM entries JOIN chats ON chats.id = chat
       WHERE kind = 'question' AND n > $1 AND ended IS NULL AND NOT EXISTS (
         SELECT 1 FROM entries AS other
         WHERE other.chat = entries.chat AND other.place = entries.place AND other.kind = 'decision'
       ) AND (checkpoint IS NULL OR n >= (
         SELECT other.n FROM entries AS other
         WHERE other.chat = chats.id AND md5(other.identity) = md5(checkpoint) AND other.identity = checkpoint
       )) ORDER BY n LIMIT ${limit}`,
      after ?? '0',
    )
    return rows.map(({ n, chat, json }) => readQuestion(chat as string, json, String(n)))
  }

  async due(kinds: readonly ChatKind[], limit: number): Promise<readonly HostedChat[]> {
    const names = [kinds.map(({ name }) => name), kinds.map(({ version }) => version)]
    return (await this.#db.list(dueSql(limit), ...names)).map(readChat)
  }

  async counts({ open = false }: { readonly open?: boolean | undefined } = {}): Promise<readonly ChatCount[]> {
    const rows = await this.#db.rows(
      `SELECT name, version, state, count(*)::int AS count FROM chats ${open ? 'WHERE ended IS NULL' : ''}
       GROUP BY name, version, state`,
    )
    return rows as unknown as readonly ChatCount[]
  }

  /** Inserts a chat with the journal and messages with which it begins; null if its identifier exists. */
  async #insertWhole(chat: ChatSubmission): Promise<HostedChat | null> {
    const { id, name, version, input, at, entries = [], messages = [] } = chat
    const { tags = [], tenant = null, priority, durable = true } = chat
    const { identity, seq, messages: used } = storedCheckpoint(entries)
    const rows = await this.#db.rows(
      INSERT_WHOLE_CHAT_SQL,
      ...[id, name, version, writeJson(input), at === undefined ? null : Math.ceil(at)],
      entries.filter(({ seq }) => seq !== undefined).length,
      entries.filter(({ seq }) => seq === undefined).length + messages.length,
      ...[
        entries.map(identityOf),
        entries.map(({ place }) => JSON.stringify(place)),
        entries.map((entry) => entry.kind),
      ],
      ...[entries.map(writeJson), entries.map((entry) => writeJson(decidedBy(entry))), messages.map(writeJson)],
      ...[identity, seq ?? 0, used ?? 0],
      ...[tags.length > 0 ? writeJson(tags) : null, tenant, priorityNumber(priority), durable, tags],
    )
    return readChanged(rows)
  }

  /** Inserts chats; null stands for a chat whose identifier exists. */
  async #insert(chats: readonly WrittenSubmission[]): Promise<readonly (HostedChat | null)[]> {
    const rows = await this.#db.rows(
      INSERT_CHATS_SQL,
      ...[chats.map(({ id }) => id), chats.map(({ name }) => name), chats.map(({ version }) => version)],
      ...[chats.map(({ json }) => json), chats.map(({ at }) => (at === undefined ? null : Math.ceil(at)))],
      chats.map(({ durable = true }) => durable),
      ...[chats.map(({ tenant = null }) => tenant), chats.map(({ priority }) => priorityNumber(priority))],
    )
    return byId(
      chats.map(({ id }) => id),
      rows,
    )
  }

  async #read(ids: readonly string[]): Promise<readonly (HostedChat | null)[]> {
    return byId(ids, await this.#db.rows(`SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE id = ANY($1::text[])`, ids))
  }

  async #deleteEnded(ids: readonly string[]): Promise<readonly boolean[]> {
    const deleted = new Set((await this.#db.rows(DELETE_CHATS_SQL, ids)).map(({ id }) => id))
    return ids.map((id) => deleted.has(id))
  }

  /** Updates the chat with the identifier `$1`, and notifies other processes. */
  async #update(set: string, where: string, id: string, ...values: readonly unknown[]): Promise<HostedChat | null> {
    return readChanged(
      await this.#change(id, `UPDATE chats SET ${set} WHERE ${where} RETURNING ${CHAT_COLUMNS_SQL}`, id, ...values),
    )
  }

  /** Runs a statement, and notifies other processes if it returns a row, which means that it changed the chat. */
  async #change(id: string, sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    const rows = await this.#db.rows(sql, ...values)
    if (rows.length > 0) this.#notices.notify(id)
    return rows
  }
}

/** Replaces the characters of a text that Postgres refuses; in JSON they are escaped. */
const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

/** Returns the condition of a state. It is in the text, because the plan of a list depends on how many chats have the state. */
const stateSql = (state: string): string => (/^[a-z-]+$/u.test(state) ? `state = '${state}'` : 'false')

/** Returns the chats of some rows in the order of their identifiers; null where there is no row. */
function byId(ids: readonly string[], rows: readonly Row[]): readonly (HostedChat | null)[] {
  const chats = new Map(rows.map((row) => [row['id'], readChat(row)]))
  return ids.map((id) => chats.get(id) ?? null)
}

/** Inserts rows in the order of their identifiers, so that statements cannot deadlock. */
const INSERT_CHATS_SQL = `
WITH changed AS (
  INSERT INTO chats (id, name, version, input, submitted, due, queued, wakes, durable, tenant, priority)
  SELECT id, name, version, input, now, coalesce(at, 0), greatest(at, now), nullif(at, 0), durable, tenant, priority
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::boolean[], $7::text[], $8::smallint[])
    AS given (id, name, version, input, at, durable, tenant, priority), (SELECT ${NOW_SQL} AS now) AS time
  ORDER BY id COLLATE "C" ON CONFLICT DO NOTHING RETURNING ${CHAT_COLUMNS_SQL}, durable
) SELECT *, ${ASYNC_COMMIT_UNLESS_DURABLE_SQL} FROM changed`

const INSERT_WHOLE_CHAT_SQL = `
WITH changed AS (
  INSERT INTO chats (id, name, version, input, submitted, due, queued, wakes, length, heard, checkpoint, entries_before,
    messages_before, tags, tenant, priority, durable)
  SELECT $1, $2, $3, $4, now, coalesce($5::bigint, 0), greatest($5::bigint, now), nullif($5::bigint, 0),
    $6::int, $7::int, $14::text, $15::int, $16::int, $17::text, $18::text, $19::smallint, $20::boolean
  FROM (SELECT ${NOW_SQL} AS now) AS time ON CONFLICT DO NOTHING RETURNING ${CHAT_COLUMNS_SQL}
), tagged AS (
  INSERT INTO tags (tag, submitted, chat) SELECT tag, submitted, id FROM unnest($21::text[]) AS given (tag), changed
), kept AS (
  INSERT INTO entries (chat, identity, place, kind, json, author, at)
  SELECT id, identity, place, kind, json, CASE kind WHEN 'decision' THEN author END, ${NOW_SQL}
  FROM unnest($8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
  WITH ORDINALITY AS entries (identity, place, kind, json, author, n), changed ORDER BY n
), sent AS (
  INSERT INTO messages (chat, json)
  SELECT id, json FROM unnest($13::text[]) WITH ORDINALITY AS messages (json, n), changed ORDER BY n
)
SELECT * FROM changed`

/** Locks rows in the order of their identifiers, so that statements cannot deadlock. */
const DELETE_CHATS_SQL = `
WITH ended AS (SELECT id FROM chats WHERE id = ANY($1::text[]) AND ended IS NOT NULL ORDER BY id FOR UPDATE),
  gone AS (DELETE FROM chats USING ended WHERE chats.id = ended.id RETURNING chats.id, durable),
  entries_gone AS (DELETE FROM entries USING gone WHERE chat = id),
  events_gone AS (DELETE FROM events USING gone WHERE chat = id),
  messages_gone AS (DELETE FROM messages USING gone WHERE chat = id),
  tags_gone AS (DELETE FROM tags USING gone WHERE chat = id)
SELECT id, ${ASYNC_COMMIT_UNLESS_DURABLE_SQL} FROM gone`

const MESSAGES_SQL = 'SELECT json FROM messages WHERE chat = $1 ORDER BY n OFFSET $2'
const ENTRIES_SQL = 'SELECT json FROM entries WHERE chat = $1 ORDER BY n'

/** Reads the entries of a chat from its last checkpoint on, and the messages that were not used before it. */
const LATER_ENTRIES_SQL = `SELECT json FROM entries WHERE chat = $1 AND n >= coalesce(
  (SELECT n FROM entries WHERE chat = $1 AND md5(identity) = md5($2::text) AND identity = $2::text), 0) ORDER BY n`
const LATER_MESSAGES_SQL = `SELECT json FROM messages WHERE chat = $1 AND n > $2::bigint ORDER BY n
  OFFSET CASE $2::bigint WHEN 0 THEN $3::int ELSE 0 END`

/** True if a statement failed because of an entry with the same identity. */
const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === UNIQUE_VIOLATION_CODE

/** SQLSTATE of a unique violation. */
const UNIQUE_VIOLATION_CODE = '23505'
