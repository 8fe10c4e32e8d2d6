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
import { isDuplicate, type Database, type Row } from './database.ts'
import { addEvents } from './sqlite-events.ts'
import { CHAT, readChat, readJson, writeJson } from './rows.ts'

/** Where a claim holds. */
const HELD = "id = ? AND epoch = ? AND state = 'running'"

/** Where a chat may be claimed, at a time that is given three times. A lease that ends later than it could is one of before the clock was set back. */
const FREE = "(state = 'waiting' AND due <= ? OR state = 'running' AND (lease <= ? OR lease > ? + leased))"

/** What wakes a suspended chat, in an UPDATE: the time comes as its parameter. */
const WAKE = `heard = heard + 1,
  turn = turn + (state = 'suspended'),
  queued = iif(state = 'suspended', ?, queued),
  state = iif(state = 'suspended', 'waiting', state)`

/** Keeps chats in the tables of a SQLite file; every method is one transaction. */
export class SqliteStore implements ChatStore {
  readonly #db: Database
  readonly #now: () => number
  readonly #changed: (id: string) => void

  /** `changed` is called with the identifier of a chat that others may wait for. */
  constructor(db: Database, now: () => number, changed: (id: string) => void) {
    this.#db = db
    this.#now = now
    this.#changed = changed
  }

  submit({ id, name, version, input, at }: ChatSubmission): { chat: HostedChat; isNew: boolean } {
    const now = this.#now()
    const added = this.#changedChat(
      `INSERT INTO chats (id, name, version, input, state, epoch, turn, heard, length, submitted, due, queued, lease, leased)
       VALUES (?, ?, ?, ?, 'waiting', 0, 0, 0, 0, ?, ?, ?, 0, 0) ON CONFLICT DO NOTHING RETURNING ${CHAT}`,
      ...[id, name, version, writeJson(input), now, at ?? 0, Math.max(at ?? 0, now)],
    )
    if (added) return { chat: added, isNew: true }
    const known = this.get(id)
    // One that was forgotten in between is none.
    return known ? { chat: known, isNew: false } : this.submit({ id, name, version, input, at })
  }

  claim(id: string, lease: number): ClaimedChat | null {
    const now = this.#now()
    return this.#db.transaction(() => {
      const free = this.#db.row(`SELECT state FROM chats WHERE id = ? AND ${FREE}`, ...[id, now, now, now])
      if (!free) return null
      const takenOver = free['state'] === 'running'
      const { value } = this.#db.row("UPDATE counters SET value = value + 1 WHERE name = 'epoch' RETURNING value")!
      const row = this.#db.row(
        `UPDATE chats SET state = 'running', epoch = ?, lease = ?, leased = ? WHERE id = ? RETURNING ${CHAT}`,
        ...[value as number, now + lease * 1000, lease * 1000, id],
      )!
      const messages = this.#db.rows('SELECT json FROM messages WHERE chat = ? ORDER BY n', id)
      const heard = row['heard'] as number
      const said = messages.map((each) => readJson(each))
      return { ...readChat(row), entries: this.entries(id), messages: said, heard, takenOver }
    })
  }

  renew(claims: readonly ChatClaim[], lease: number): readonly string[] {
    const until = this.#now() + lease * 1000
    if (claims.length === 0) return []
    return this.#db.transaction(() =>
      claims
        .filter(
          ({ id, epoch }) =>
            this.#db.run(`UPDATE chats SET lease = ?, leased = ? WHERE ${HELD}`, until, lease * 1000, id, epoch) > 0,
        )
        .map(({ id }) => id),
    )
  }

  append(claim: ChatClaim, entries: readonly JournalEntry[], events: readonly XEvent[] = []): boolean {
    try {
      const kept = this.#db.transaction(() => this.#append(claim, entries, events))
      if (kept && events.length > 0) this.#changed(claim.id)
      return kept
    } catch (error) {
      // There is an entry of equal identity: the whole change was taken back.
      if (isDuplicate(error)) return false
      throw error
    }
  }

  #append({ id, epoch }: ChatClaim, entries: readonly JournalEntry[], events: readonly XEvent[]): boolean {
    const sql = `UPDATE chats SET length = length + ? WHERE ${HELD} AND length = ?`
    if (this.#db.run(sql, entries.length, id, epoch, entries[0]?.seq ?? -1) === 0) return false
    for (const entry of entries) {
      const { place, kind, name = '' } = entry
      this.#db.run(
        'INSERT INTO entries (chat, place, kind, name, json, at) VALUES (?, ?, ?, ?, ?, ?)',
        ...[id, place, kind, name, writeJson(entry), this.#now()],
      )
    }
    addEvents(this.#db, id, events)
    return true
  }

  finish({ id, epoch }: ChatClaim, outcome: ChatOutcome, events: readonly XEvent[] = []): boolean {
    const ended = this.#db.transaction(() => {
      const changes = this.#db.run(
        `UPDATE chats SET state = ?, ended = ?, outcome = ? WHERE ${HELD}`,
        ...[outcome.state, this.#now(), writeJson(outcome), id, epoch],
      )
      if (changes > 0) addEvents(this.#db, id, events)
      return changes > 0
    })
    if (ended) this.#changed(id)
    return ended
  }

  suspend({ id, epoch }: ChatClaim, heard: number): HostedChat | null {
    return this.#changedChat(
      `UPDATE chats SET state = iif(heard = ?, 'suspended', 'waiting'), turn = turn + (heard <> ?)
       WHERE ${HELD} RETURNING ${CHAT}`,
      ...[heard, heard, id, epoch],
    )
  }

  release({ id, epoch }: ChatClaim): HostedChat | null {
    return this.#changedChat(
      `UPDATE chats SET state = 'waiting', turn = turn + 1 WHERE ${HELD} RETURNING ${CHAT}`,
      ...[id, epoch],
    )
  }

  decide(id: string, decision: JournalEntry, by: string | null): HostedChat | 'known' | 'ended' {
    const now = this.#now()
    return this.#db.transaction(() => {
      if (!this.#db.row('SELECT 1 FROM chats WHERE id = ? AND ended IS NULL', id)) return 'ended'
      const added = this.#db.run(
        `INSERT INTO entries (chat, place, kind, name, json, author, at)
         VALUES (?, ?, 'decision', '', ?, ?, ?) ON CONFLICT DO NOTHING`,
        ...[id, decision.place, writeJson(decision), by, now],
      )
      return added > 0 ? this.#wake(id, now) : 'known'
    })
  }

  send(id: string, message: unknown): HostedChat | 'ended' {
    const now = this.#now()
    return this.#db.transaction(() => {
      const added = this.#db.run(
        'INSERT INTO messages (chat, json) SELECT id, ? FROM chats WHERE id = ? AND ended IS NULL',
        ...[writeJson(message), id],
      )
      return added > 0 ? this.#wake(id, now) : 'ended'
    })
  }

  cancel(id: string, reason: string): HostedChat | 'ended' {
    const outcome: ChatOutcome = { state: 'cancelled', reason }
    const chat = this.#changedChat(
      `UPDATE chats SET state = 'cancelled', ended = ?, outcome = ? WHERE id = ? AND ended IS NULL RETURNING ${CHAT}`,
      ...[this.#now(), writeJson(outcome), id],
    )
    return chat ?? 'ended'
  }

  delete(id: string): boolean {
    return this.#db.transaction(() => {
      const gone = this.#db.run('DELETE FROM chats WHERE id = ? AND ended IS NOT NULL', id) > 0
      if (!gone) return false
      this.#db.run('DELETE FROM entries WHERE chat = ?', id)
      this.#db.run('DELETE FROM messages WHERE chat = ?', id)
      return true
    })
  }

  expired(seconds: number, limit: number): readonly HostedChat[] {
    const sql = `SELECT ${CHAT} FROM chats WHERE ended IS NOT NULL AND ended <= ? ORDER BY ended LIMIT ?`
    return this.#db.rows(sql, this.#now() - seconds * 1000, limit).map(readChat)
  }

  get(id: string): HostedChat | null {
    const row = this.#db.row(`SELECT ${CHAT} FROM chats WHERE id = ?`, id)
    return row ? readChat(row) : null
  }

  entries(id: string): readonly JournalEntry[] {
    const rows = this.#db.rows('SELECT json FROM entries WHERE chat = ? ORDER BY n', id)
    return rows.map((row) => readJson(row) as JournalEntry)
  }

  decisions(id: string): readonly StoredDecision[] {
    const rows = this.#db.rows(
      "SELECT json, author, at FROM entries WHERE chat = ? AND kind = 'decision' ORDER BY n",
      id,
    )
    return rows.map((row) => ({
      entry: readJson(row) as JournalEntry,
      by: row['author'] as string | null,
      at: row['at'] as number,
    }))
  }

  list({ state, kind, after = '', limit }: ChatQuery): readonly HostedChat[] {
    const conditions = ['id > ?', state && 'state = ?', kind && 'name = ? AND version = ?'].filter(Boolean)
    const values = [after, ...(state ? [state] : []), ...(kind ? [kind.name, kind.version] : []), limit]
    const sql = `SELECT ${CHAT} FROM chats WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`
    return this.#db.rows(sql, ...values).map(readChat)
  }

  pending(after: string | null, limit: number): readonly PendingQuestion[] {
    const rows = this.#db.rows(
      `SELECT entries.n, chat, json FROM entries JOIN chats ON chats.id = chat
       WHERE kind = 'question' AND entries.n > ? AND ended IS NULL AND NOT EXISTS (
         SELECT 1 FROM entries AS other
         WHERE other.chat = entries.chat AND other.place = entries.place AND other.kind = 'decision'
       ) ORDER BY entries.n LIMIT ?`,
      ...[Number(after ?? 0), limit],
    )
    return rows.map((row) => ({
      chat: row['chat'] as string,
      entry: readJson(row) as JournalEntry,
      cursor: String(row['n']),
    }))
  }

  due(kinds: readonly ChatKind[], limit: number): readonly HostedChat[] {
    if (kinds.length === 0) return []
    const now = this.#now()
    const ofKinds = `(name, version) IN (VALUES ${kinds.map(() => '(?, ?)').join(', ')})`
    const names = kinds.flatMap(({ name, version }) => [name, version])
    // Two lists, each read in the order of an index as far as it is needed.
    const left = this.#db.rows(
      `SELECT ${CHAT} FROM chats WHERE state = 'running' AND (lease <= ? OR lease > ? + leased) AND ${ofKinds}
       ORDER BY queued LIMIT ?`,
      ...[now, now, ...names, limit],
    )
    const waiting = this.#db.rows(
      `SELECT ${CHAT} FROM chats WHERE state = 'waiting' AND due <= ? AND ${ofKinds} ORDER BY queued LIMIT ?`,
      ...[now, ...names, limit - left.length],
    )
    return [...left, ...waiting].map(readChat)
  }

  counts({ open = false }: { readonly open?: boolean | undefined } = {}): readonly ChatCount[] {
    const rows = this.#db.rows(
      `SELECT name, version, state, count(*) AS count FROM chats ${open ? 'WHERE ended IS NULL' : ''}
       GROUP BY name, version, state`,
    )
    return rows.map((row) => ({ ...row }) as unknown as ChatCount)
  }

  /** Ends the leases of workers that are gone. */
  endLeases(): void {
    this.#db.run("UPDATE chats SET lease = 0, leased = 0 WHERE state = 'running'")
  }

  #wake(id: string, now: number): HostedChat {
    const chat = readChat(this.#db.row(`UPDATE chats SET ${WAKE} WHERE id = ? RETURNING ${CHAT}`, now, id)!)
    this.#changed(id)
    return chat
  }

  #changedChat(sql: string, ...values: readonly (string | number)[]): HostedChat | null {
    const row: Row | undefined = this.#db.row(sql, ...values)
    if (!row) return null
    this.#changed(row['id'] as string)
    return readChat(row)
  }
}
