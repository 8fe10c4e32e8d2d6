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
import { XError } from '@x/kernel'
import { checkpointIn, priorityNumber, readClaimedChat, readStoredEntry } from '@x/kernel/hosting'
import { parentOf } from '../run/parts.ts'
import { isDuplicate, type Database, type QueryValues, type Row } from './database.ts'
import { CHAT_COLUMNS_SQL, readChat, storableText, writeJson } from './rows.ts'
import { addEvents } from './sqlite-events.ts'
import type { WriteBatcher } from './write-batcher.ts'

type ChatQuery = Parameters<ChatStore['list']>[0]
type SubmittedQuery = NonNullable<ChatQuery['submitted']>

/** Condition: the claim on a chat still holds. */
const CLAIM_HELD_SQL = "id = ? AND epoch = ? AND state = 'running'"

/**
 * Conditions: a chat that waits, or that waits to retry, may be claimed; so may one whose time has come, and a running chat
 * because its lease has expired. `$now` is the time. A time in the future, other than one that was asked for, was written before
 * the clock was set back, and does not count.
 */
const WAITING_CLAIMABLE_SQL =
  "state = 'waiting' AND wakes IS NULL AND (queued + patience <= $now OR queued > $now) AND ended IS NULL"
const TIMED_CLAIMABLE_SQL = "wakes <= $now AND state IN ('waiting', 'suspended') AND ended IS NULL"
const RETRY_CLAIMABLE_SQL =
  "state = 'waiting-to-retry' AND wakes IS NULL AND (queued <= $now OR queued > $now + patience) AND ended IS NULL"
const RUNNING_CLAIMABLE_SQL =
  "state = 'running' AND wakes IS NULL AND (lease + patience <= $now OR lease > $now + leased) AND ended IS NULL"

const NEXT_MESSAGE_SQL = 'SELECT n FROM messages WHERE chat = ? AND n > ? ORDER BY n LIMIT 1 OFFSET ?'
const KNOWN_MESSAGE_SQL = 'SELECT json FROM messages WHERE chat = ? AND key = ?'

/** Assignments of an UPDATE that ends the failures of a chat in a row. */
const NO_RETRY_SQL = 'retry_kind = NULL, retry_since = NULL, retries = 0'

/** Assignments of an UPDATE that wakes a suspended chat; the parameter is the time. */
const WAKE_SQL = `heard = heard + 1,
  turn = turn + (state = 'suspended'),
  queued = iif(state = 'suspended', ?, queued),
  wakes = iif(state = 'suspended', NULL, wakes),
  state = iif(state = 'suspended', 'waiting', state)`

/** Most time that a chat waits after a setback. */
const MAX_BACKOFF_MS = 900_000
/** Setbacks in a row without a backoff: workers are stopped and killed for reasons other than their chats. */
const SETBACKS_WITHOUT_BACKOFF = 2

/** Keeps chats in the tables of a SQLite file; each method is one transaction, or shares one with concurrent writes. */
export class SqliteStore implements ChatStore {
  readonly #db: Database
  readonly #writes: WriteBatcher
  readonly #now: () => number
  readonly #onChange: (id: string) => void

  /** `onChange` is called with the identifier of a chat for which others may wait. */
  constructor(db: Database, writes: WriteBatcher, now: () => number, onChange: (id: string) => void) {
    this.#db = db
    this.#writes = writes
    this.#now = now
    this.#onChange = onChange
  }

  submit(chat: Parameters<ChatStore['submit']>[0]): { chat: HostedChat; isNew: boolean } {
    const { entries, messages, tags = [] } = chat
    const added =
      entries || messages || tags.length > 0 ? this.#db.transaction(() => this.#insert(chat)) : this.#insert(chat)
    if (added) return { chat: added, isNew: true }
    const known = this.get(chat.id)
    // The chat may have been deleted between the two statements.
    return known ? { chat: known, isNew: false } : this.submit(chat)
  }

  #insert(chat: Parameters<ChatStore['submit']>[0]): HostedChat | null {
    const { id, name, version, input, at = 0, entries = [], messages = [] } = chat
    const { tags = [], tenant = null, priority, durable = true } = chat
    const now = this.#now()
    const length = entries.filter(({ seq }) => seq !== undefined).length
    const heard = entries.length - length + messages.length
    const added = this.#update(
      `INSERT INTO chats (id, name, version, input, state, epoch, turn, heard, length, submitted, due, queued, lease, leased,
         wakes, tags, tenant, priority, durable)
       VALUES (?, ?, ?, ?, 'waiting', 0, 0, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING ${CHAT_COLUMNS_SQL}`,
      ...[id, name, version, writeJson(input), heard, length, now, at, Math.max(at, now)],
      ...[at > 0 ? at : null, tags.length > 0 ? writeJson(tags) : null, tenant, priorityNumber(priority)],
      Number(durable),
    )
    if (!added) return null
    for (const entry of entries) this.#insertEntry(id, entry, now)
    for (const message of messages)
      this.#db.run('INSERT INTO messages (chat, json) VALUES (?, ?)', id, writeJson(message))
    for (const tag of tags) this.#db.run('INSERT INTO tags (tag, submitted, chat) VALUES (?, ?, ?)', tag, now, id)
    this.#noteCheckpoint(id, entries)
    return added
  }

  /** Notes where claims begin to read if there is a checkpoint among entries that were inserted. */
  #noteCheckpoint(id: string, entries: readonly JournalEntry[]): void {
    const checkpoint = checkpointIn(entries)
    if (!checkpoint) return
    const { index, seq, messages } = checkpoint
    const before = this.#db.row('SELECT last_message AS n, messages_before AS used FROM chats WHERE id = ?', id)!
    const used = messages - Number(before['used'])
    const last = used > 0 ? this.#db.row(NEXT_MESSAGE_SQL, id, Number(before['n']), used - 1) : before
    this.#db.run(
      `UPDATE chats SET first_entry = (SELECT n FROM entries WHERE chat = ? AND place = ? AND kind = 'checkpoint'),
         entries_before = ?, last_message = ?, messages_before = ? WHERE id = ?`,
      ...[id, entries[index]!.place, seq, Number((last ?? before)['n']), messages, id],
    )
  }

  #insertEntry(id: string, entry: JournalEntry, now: number): void {
    const { place, kind, name = '' } = entry
    this.#db.run(
      'INSERT INTO entries (chat, place, kind, name, json, author, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[id, place, kind, name, writeJson(entry), decidedBy(entry), now],
    )
  }

  async claim(id: string, lease: number, parent?: string): Promise<ClaimedChat | null> {
    return await this.#writes.add(() => {
      const now = this.#now()
      const claimable = this.#db.row(
        `SELECT ${CHAT_COLUMNS_SQL}, kept, first_entry, entries_before, last_message FROM chats WHERE (${WAITING_CLAIMABLE_SQL} OR ${TIMED_CLAIMABLE_SQL} OR ${RETRY_CLAIMABLE_SQL} OR ${RUNNING_CLAIMABLE_SQL}) AND id = ?`,
        { now },
        id,
      )
      if (!claimable) return null
      const takenOver = claimable['state'] === 'running'
      const epoch = this.#nextEpoch()
      const setbacks = setbacksOf(claimable, takenOver)
      const row = this.#db.row(
        `UPDATE chats SET state = 'running', wakes = NULL, epoch = ?, lease = ?, leased = ?, setbacks = ?, kept = length, patience = ?,
           retry_kind = iif(length = kept, retry_kind, NULL), retry_since = iif(length = kept, retry_since, NULL),
           retries = iif(length = kept, retries, 0)
         WHERE id = ? RETURNING ${CHAT_COLUMNS_SQL}`,
        ...[epoch, now + lease * 1000, lease * 1000, setbacks, backoffMs(setbacks, epoch), id],
      )!
      const { first_entry: first, last_message: last } = claimable
      return readClaimedChat(readChat(row), {
        entries: this.#texts('SELECT json FROM entries WHERE chat = ? AND n >= ? ORDER BY n', id, Number(first)),
        messages: this.#texts('SELECT json FROM messages WHERE chat = ? AND n > ? ORDER BY n', id, Number(last)),
        length: row['length'] as number,
        before: Number(claimable['entries_before']),
        heard: row['heard'] as number,
        now,
        takenOver,
        isLeft: parent !== undefined && !this.#isOpen(parent),
      })
    })
  }

  renew(claims: readonly ChatClaim[], lease: number): readonly string[] {
    const until = this.#now() + lease * 1000
    if (claims.length === 0) return []
    return this.#db.transaction(() =>
      claims
        .filter(
          ({ id, epoch }) =>
            this.#db.run(
              `UPDATE chats SET lease = ?, leased = ? WHERE ${CLAIM_HELD_SQL}`,
              until,
              lease * 1000,
              id,
              epoch,
            ) > 0,
        )
        .map(({ id }) => id),
    )
  }

  async append(
    claim: ChatClaim,
    entries: readonly JournalEntry[],
    events: readonly XEvent[] = [],
  ): Promise<{ readonly heard: number } | null> {
    try {
      const held = await this.#writes.add(() => this.#append(claim, entries, events))
      // Readers that do not follow the chat compare revisions.
      if (held && events.length > 0 && Number(held['followed']) > this.#now()) this.#onChange(claim.id)
      return held && { heard: Number(held['heard']) }
    } catch (error) {
      // Duplicate: the chat has an entry with the same identity. The write was rolled back.
      if (isDuplicate(error)) return null
      throw error
    }
  }

  #append({ id, epoch }: ChatClaim, entries: readonly JournalEntry[], events: readonly XEvent[]): Row | null {
    const sql = `UPDATE chats SET length = length + ? WHERE ${CLAIM_HELD_SQL} AND length = ? RETURNING followed, heard`
    const held = this.#db.row(sql, entries.length, id, epoch, entries[0]?.seq ?? -1)
    if (!held) return null
    const now = this.#now()
    for (const entry of entries) this.#insertEntry(id, entry, now)
    this.#noteCheckpoint(id, entries)
    addEvents(this.#db, id, events)
    return held
  }

  async finish({ id, epoch }: ChatClaim, outcome: ChatOutcome, events: readonly XEvent[] = []): Promise<boolean> {
    const ended = await this.#writes.add(() => {
      const changes = this.#db.run(
        `UPDATE chats SET state = ?, ended = ?, outcome = ? WHERE ${CLAIM_HELD_SQL}`,
        ...[outcome.state, this.#now(), writeJson(outcome), id, epoch],
      )
      if (changes > 0) addEvents(this.#db, id, events)
      return changes > 0
    })
    if (ended) this.#onChange(id)
    return ended
  }

  suspend({ id, epoch }: ChatClaim, heard: number, wakesAt: number | null = null): HostedChat | null {
    return this.#update(
      `UPDATE chats SET state = iif(heard = $heard, 'suspended', 'waiting'), wakes = iif(heard = $heard, $wakes, NULL),
         turn = turn + (heard <> $heard OR $wakes IS NOT NULL), setbacks = 0, patience = 0, reason = NULL, ${NO_RETRY_SQL}
       WHERE ${CLAIM_HELD_SQL} RETURNING ${CHAT_COLUMNS_SQL}`,
      ...[{ heard, wakes: wakesAt }, id, epoch],
    )
  }

  release({ id, epoch }: ChatClaim): HostedChat | null {
    return this.#update(
      `UPDATE chats SET state = 'waiting', turn = turn + 1, patience = 0 WHERE ${CLAIM_HELD_SQL} RETURNING ${CHAT_COLUMNS_SQL}`,
      ...[id, epoch],
    )
  }

  putOff({ id, epoch }: ChatClaim, reason: string, retry?: Parameters<ChatStore['putOff']>[2]): HostedChat | null {
    if (retry) return this.#putOffToRetry({ id, epoch }, reason, retry)
    return this.#db.transaction(() => {
      const held = this.#db.row(`SELECT ${CHAT_COLUMNS_SQL}, kept FROM chats WHERE ${CLAIM_HELD_SQL}`, id, epoch)
      if (!held) return null
      const setbacks = setbacksOf(held, true)
      return this.#update(
        `UPDATE chats SET state = 'waiting', turn = turn + 1, queued = ?, setbacks = ?, kept = length, patience = ?,
           reason = ?, ${NO_RETRY_SQL} WHERE ${CLAIM_HELD_SQL} RETURNING ${CHAT_COLUMNS_SQL}`,
        ...[this.#now(), setbacks, backoffMs(setbacks, epoch), storableText(reason), id, epoch],
      )
    })
  }

  #putOffToRetry(
    { id, epoch }: ChatClaim,
    reason: string,
    { kind, delay }: NonNullable<Parameters<ChatStore['putOff']>[2]>,
  ): HostedChat | null {
    const now = this.#now()
    const delayMs = Math.round(delay * 1000)
    return this.#update(
      `UPDATE chats SET state = 'waiting-to-retry', turn = turn + 1, queued = ?, patience = ?, kept = length,
         setbacks = iif(length = kept, setbacks, 0), retries = iif(length = kept, retries, 0) + 1,
         retry_since = iif(length = kept, coalesce(retry_since, ?), ?), retry_kind = ?, reason = ?
       WHERE ${CLAIM_HELD_SQL} RETURNING ${CHAT_COLUMNS_SQL}`,
      ...[now + delayMs, delayMs, now, now, kind, storableText(reason), id, epoch],
    )
  }

  decide(id: string, decision: JournalEntry, by: string | null): HostedChat | 'known' | 'ended' {
    const now = this.#now()
    return this.#db.transaction(() => {
      if (!this.#isOpen(id)) return 'ended'
      const added = this.#db.run(
        `INSERT INTO entries (chat, place, kind, name, json, author, at)
         VALUES (?, ?, 'decision', '', ?, ?, ?) ON CONFLICT DO NOTHING`,
        ...[id, decision.place, writeJson(decision), by, now],
      )
      return added > 0 ? this.#wake(id, now) : 'known'
    })
  }

  send(id: string, message: unknown, key: string | null = null): HostedChat | 'ended' | { known: string } {
    const now = this.#now()
    return this.#db.transaction(() => {
      const known = key === null ? undefined : this.#db.row(KNOWN_MESSAGE_SQL, id, key)
      if (known) return { known: known['json'] as string }
      const added = this.#db.run(
        'INSERT INTO messages (chat, json, key) SELECT id, ?, ? FROM chats WHERE id = ? AND ended IS NULL',
        ...[writeJson(message), key, id],
      )
      return added > 0 ? this.#wake(id, now) : 'ended'
    })
  }

  cancel(id: string, reason: string): HostedChat | 'ended' {
    const outcome: ChatOutcome = { state: 'cancelled', reason }
    const chat = this.#update(
      `UPDATE chats SET state = 'cancelled', wakes = NULL, ended = ?, outcome = ? WHERE id = ? AND ended IS NULL RETURNING ${CHAT_COLUMNS_SQL}`,
      ...[this.#now(), writeJson(outcome), id],
    )
    return chat ?? 'ended'
  }

  resume(id: string, reason: string): HostedChat | null {
    return this.#update(
      `UPDATE chats SET state = 'waiting', turn = turn + 1, queued = ?, patience = 0, setbacks = 0, ended = NULL,
         outcome = NULL, reason = ?, ${NO_RETRY_SQL}
       WHERE id = ? AND state IN ('failed', 'waiting-to-retry') RETURNING ${CHAT_COLUMNS_SQL}`,
      ...[this.#now(), storableText(reason), id],
    )
  }

  delete(id: string): boolean {
    return this.#db.transaction(() => {
      const gone = this.#db.run('DELETE FROM chats WHERE id = ? AND ended IS NOT NULL', id) > 0
      if (!gone) return false
      this.#db.run('DELETE FROM entries WHERE chat = ?', id)
      this.#db.run('DELETE FROM messages WHERE chat = ?', id)
      this.#db.run('DELETE FROM events WHERE chat = ?', id)
      this.#db.run('DELETE FROM tags WHERE chat = ?', id)
      return true
    })
  }

  expired(seconds: number, limit: number): readonly HostedChat[] {
    const sql = `SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE ended IS NOT NULL AND ended <= ? ORDER BY ended LIMIT ?`
    return this.#db.rows(sql, this.#now() - seconds * 1000, limit).map(readChat)
  }

  get(id: string): HostedChat | null {
    const row = this.#db.row(`SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE id = ?`, id)
    return row ? readChat(row) : null
  }

  entries(id: string): readonly JournalEntry[] {
    const texts = this.#texts('SELECT json FROM entries WHERE chat = ? ORDER BY n', id)
    return texts.map((text) => readStoredEntry(id, text))
  }

  messages(id: string, without = 0): readonly string[] {
    const sql = 'SELECT json FROM messages WHERE chat = ? ORDER BY n LIMIT -1 OFFSET ?'
    return this.#texts(sql, id, without) as string[]
  }

  decisions(id: string): readonly StoredDecision[] {
    const rows = this.#db.rows(
      "SELECT json, author, at FROM entries WHERE chat = ? AND kind = 'decision' ORDER BY n",
      id,
    )
    return rows.map((row) => ({
      entry: readStoredEntry(id, row['json']),
      by: row['author'] as string | null,
      at: row['at'] as number,
    }))
  }

  list(query: ChatQuery): readonly HostedChat[] {
    const { state, kind, after = '', limit, submitted } = query
    if (submitted) return this.#listSubmitted(query, submitted)
    const conditions = ['id > ?', state && 'state = ?', kind && 'name = ? AND version = ?'].filter(Boolean)
    const values = [after, ...(state ? [state] : []), ...(kind ? [kind.name, kind.version] : []), limit]
    const sql = `SELECT ${CHAT_COLUMNS_SQL} FROM chats WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`
    return this.#db.rows(sql, ...values).map(readChat)
  }

  /** Lists chats by their submission, from the index that the query fits: that of a tag, of a tenant, or of all. */
  #listSubmitted({ state, kind, after, limit }: ChatQuery, query: SubmittedQuery): readonly HostedChat[] {
    const { order, tag, tenant, since, until } = query
    // Names of columns alone would be those of the result, which no index has.
    const [first, second] = tag === undefined ? ['chats.submitted', 'chats.id'] : ['tags.submitted', 'tags.chat']
    const isBehind = `(${first}, ${second}) ${order === 'newest' ? '<' : '>'} (?, ?)`
    const conditions: (readonly [sql: string, values: readonly (string | number)[]])[] = [['durable = 1', []]]
    if (tag !== undefined) conditions.push(['tag = ?', [tag]])
    if (tenant !== undefined) conditions.push(['tenant = ?', [tenant]])
    if (since !== undefined) conditions.push([`${first} >= ?`, [since]])
    if (until !== undefined) conditions.push([`${first} < ?`, [until]])
    if (after !== undefined) conditions.push([isBehind, [query.after ?? 0, after]])
    if (state) conditions.push(['state = ?', [state]])
    if (kind) conditions.push(['name = ? AND version = ?', [kind.name, kind.version]])
    const direction = order === 'newest' ? 'DESC' : 'ASC'
    // `CROSS JOIN` keeps the order of the tables: the index of tags is read first.
    const sql = `SELECT ${CHAT_COLUMNS_SQL.replace('id, ', 'chats.id, ').replace('CAST(submitted ', 'CAST(chats.submitted ')}
      FROM ${tag === undefined ? 'chats' : 'tags CROSS JOIN chats ON chats.id = tags.chat'}
      WHERE ${conditions.map(([text]) => text).join(' AND ')} ORDER BY ${first} ${direction}, ${second} ${direction} LIMIT ?`
    return this.#db.rows(sql, ...conditions.flatMap(([, values]) => values), limit).map(readChat)
  }

  pending(after: string | null, limit: number): readonly PendingQuestion[] {
    const rows = this.#db.rows(
      `SELECT entries.n, chat, json FROM entries JOIN chats ON chats.id = chat
       WHERE kind = 'question' AND entries.n > ? AND entries.n >= first_entry AND ended IS NULL AND NOT EXISTS (
         SELECT 1 FROM entries AS other
         WHERE other.chat = entries.chat AND other.place = entries.place AND other.kind = 'decision'
       ) ORDER BY entries.n LIMIT ?`,
      ...[Number(after ?? 0), limit],
    )
    return rows.map((row) => ({
      chat: row['chat'] as string,
      entry: readQuestion(row),
      cursor: String(row['n']),
    }))
  }

  due(kinds: readonly ChatKind[], limit: number): readonly HostedChat[] {
    if (kinds.length === 0) return []
    const now = this.#now()
    const ofKinds = `(name, version) IN (VALUES ${kinds.map(() => '(?, ?)').join(', ')})`
    const names = kinds.flatMap(({ name, version }) => [name, version])
    const select = (
      where: string,
      max: number,
      order = 'chats.priority DESC, chats.queued',
      table = 'chats',
    ): readonly Row[] =>
      this.#db.rows(
        `SELECT ${CHAT_COLUMNS_SQL} FROM ${table} WHERE ${where} AND ${ofKinds} ORDER BY ${order} LIMIT ?`,
        { now },
        ...[...names, max],
      )
    // A query for each state, so that each reads only as much of its index as it needs.
    const running = select(RUNNING_CLAIMABLE_SQL, limit)
    const failed = select(RETRY_CLAIMABLE_SQL, limit - running.length)
    // The index of another column has all chats that sleep.
    const timed = select(
      TIMED_CLAIMABLE_SQL,
      limit - running.length - failed.length,
      'chats.wakes',
      'chats INDEXED BY chats_by_time',
    )
    const waiting = select(WAITING_CLAIMABLE_SQL, limit - running.length - failed.length - timed.length)
    return [...running, ...failed, ...timed, ...waiting].map(readChat)
  }

  /** Returns the parents of parts that have ended and are not deleted; scans all chats. */
  parentsOfEndedParts(): readonly string[] {
    const rows = this.#db.rows("SELECT id FROM chats WHERE ended IS NOT NULL AND instr(id, '/part-') > 0")
    const parents = rows.map((row) => parentOf(row['id'] as string))
    return [...new Set(parents)].filter((id) => id !== undefined)
  }

  counts({ open = false }: { readonly open?: boolean | undefined } = {}): readonly ChatCount[] {
    const rows = this.#db.rows(
      `SELECT name, version, state, count(*) AS count FROM chats ${open ? 'WHERE ended IS NULL' : ''}
       GROUP BY name, version, state`,
    )
    return rows.map((row) => ({ ...row }) as unknown as ChatCount)
  }

  /** Ends the leases of all workers: none of them runs any more. */
  endLeases(): void {
    this.#db.run("UPDATE chats SET lease = min(lease, ?) WHERE state = 'running'", this.#now())
  }

  #isOpen(id: string): boolean {
    return this.#db.row('SELECT 1 FROM chats WHERE id = ? AND ended IS NULL', id) !== undefined
  }

  #nextEpoch(): number {
    const row = this.#db.row(
      "UPDATE counters SET value = value + 1 WHERE name = 'epoch' RETURNING CAST(value AS REAL) AS value",
    )
    const epoch = row?.['value']
    if (Number.isSafeInteger(epoch)) return epoch as number
    throw new XError(
      'invalid-state',
      'cannot claim a chat: the counter `epoch` in the file of the chats is not a number that can grow; restore the file from a backup',
    )
  }

  #texts(sql: string, ...values: readonly (string | number)[]): readonly unknown[] {
    return this.#db.rows(sql, ...values).map((row) => row['json'])
  }

  #wake(id: string, now: number): HostedChat {
    const chat = readChat(
      this.#db.row(`UPDATE chats SET ${WAKE_SQL} WHERE id = ? RETURNING ${CHAT_COLUMNS_SQL}`, now, id)!,
    )
    this.#onChange(id)
    return chat
  }

  /** Runs a statement that changes one chat; returns the chat, or null when the statement changed none. */
  #update(sql: string, ...values: QueryValues): HostedChat | null {
    const row: Row | undefined = this.#db.row(sql, ...values)
    if (!row) return null
    this.#onChange(row['id'] as string)
    return readChat(row)
  }
}

/** Returns who has made a decision, as its entry says it; null for any other entry. */
const decidedBy = ({ kind, value }: JournalEntry): string | null =>
  kind === 'decision' ? ((value as { by?: string } | null)?.by ?? null) : null

/** Returns the setbacks in a row of a chat that is claimed or deferred. An entry saved since the last setback ends the row. */
const setbacksOf = (row: Row, isSetback: boolean): number =>
  (row['length'] === row['kept'] ? (row['setbacks'] as number) : 0) + (isSetback ? 1 : 0)

/**
 * Returns how long a chat is not claimed after a number of setbacks in a row: an exponential backoff with jitter. Each chat
 * gets another jitter each time, so that a chat that kills its worker does not always take the same chats with it.
 */
function backoffMs(setbacks: number, epoch: number): number {
  if (setbacks <= SETBACKS_WITHOUT_BACKOFF) return 0
  const jitter = (((epoch % 65_536) * 40_503) % 65_536) / 65_536
  return Math.round(Math.min(MAX_BACKOFF_MS, 1000 * 2 ** setbacks) * (0.5 + jitter / 2))
}

/** Reads a pending question; null when its entry is damaged. */
function readQuestion(row: Row): JournalEntry | null {
  try {
    return readStoredEntry(row['chat'] as string, row['json'])
  } catch {
    return null
  }
}
