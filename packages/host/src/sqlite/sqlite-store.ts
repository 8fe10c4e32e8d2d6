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
import { XError } from '@x/kernel'
import { readClaimedChat, readStoredEntry } from '@x/kernel/hosting'
import { wholeOf } from '../run/parts.ts'
import { isDuplicate, type Database, type Row } from './database.ts'
import type { JointChanges } from './joint-changes.ts'
import { patienceOf } from './patience.ts'
import { CHAT, readChat, writeJson } from './rows.ts'
import { addEvents } from './sqlite-events.ts'

/** Where a claim holds. */
const HELD = "id = ? AND epoch = ? AND state = 'running'"

/** Where a chat that waits may be claimed, and one that runs; a time is given two times. What lies in the future is of before the clock was set back. */
const WAITS = "state = 'waiting' AND due <= ?1 AND (queued + patience <= ?1 OR queued > ?1) AND ended IS NULL"
const LEFT = "state = 'running' AND (lease + patience <= ?1 OR lease > ?1 + leased) AND ended IS NULL"

/** What wakes a suspended chat, in an UPDATE: the time comes as its parameter. */
const WAKE = `heard = heard + 1,
  turn = turn + (state = 'suspended'),
  queued = iif(state = 'suspended', ?, queued),
  state = iif(state = 'suspended', 'waiting', state)`

/** Keeps chats in the tables of a SQLite file; every method is one transaction, or a part of one with others that come at once. */
export class SqliteStore implements ChatStore {
  readonly #db: Database
  readonly #changes: JointChanges
  readonly #now: () => number
  readonly #changed: (id: string) => void

  /** `changed` is called with the identifier of a chat that others may wait for. */
  constructor(db: Database, changes: JointChanges, now: () => number, changed: (id: string) => void) {
    this.#db = db
    this.#changes = changes
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

  async claim(id: string, lease: number, whole?: string): Promise<ClaimedChat | null> {
    return await this.#changes.add(() => {
      const now = this.#now()
      const free = this.#db.row(`SELECT ${CHAT}, kept FROM chats WHERE (${WAITS} OR ${LEFT}) AND id = ?2`, now, id)
      if (!free) return null
      const takenOver = free['state'] === 'running'
      const epoch = this.#nextEpoch()
      const setbacks = setbacksOf(free, takenOver)
      const row = this.#db.row(
        `UPDATE chats SET state = 'running', epoch = ?, lease = ?, leased = ?, setbacks = ?, kept = length, patience = ?
         WHERE id = ? RETURNING ${CHAT}`,
        ...[epoch, now + lease * 1000, lease * 1000, setbacks, patienceOf(setbacks, epoch), id],
      )!
      return readClaimedChat(readChat(row), {
        entries: this.#texts('SELECT json FROM entries WHERE chat = ? ORDER BY n', id),
        messages: this.#texts('SELECT json FROM messages WHERE chat = ? ORDER BY n', id),
        length: row['length'] as number,
        heard: row['heard'] as number,
        takenOver,
        isLeft: whole !== undefined && !this.#isOpen(whole),
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
            this.#db.run(`UPDATE chats SET lease = ?, leased = ? WHERE ${HELD}`, until, lease * 1000, id, epoch) > 0,
        )
        .map(({ id }) => id),
    )
  }

  async append(claim: ChatClaim, entries: readonly JournalEntry[], events: readonly XEvent[] = []): Promise<boolean> {
    try {
      const held = await this.#changes.add(() => this.#append(claim, entries, events))
      // Who does not follow a chat looks from time to time.
      if (held && events.length > 0 && Number(held['followed']) > this.#now()) this.#changed(claim.id)
      return held !== null
    } catch (error) {
      // There is an entry of equal identity: the whole change was taken back.
      if (isDuplicate(error)) return false
      throw error
    }
  }

  #append({ id, epoch }: ChatClaim, entries: readonly JournalEntry[], events: readonly XEvent[]): Row | null {
    const sql = `UPDATE chats SET length = length + ? WHERE ${HELD} AND length = ? RETURNING followed`
    const held = this.#db.row(sql, entries.length, id, epoch, entries[0]?.seq ?? -1)
    if (!held) return null
    for (const entry of entries) {
      const { place, kind, name = '' } = entry
      this.#db.run(
        'INSERT INTO entries (chat, place, kind, name, json, at) VALUES (?, ?, ?, ?, ?, ?)',
        ...[id, place, kind, name, writeJson(entry), this.#now()],
      )
    }
    addEvents(this.#db, id, events)
    return held
  }

  async finish({ id, epoch }: ChatClaim, outcome: ChatOutcome, events: readonly XEvent[] = []): Promise<boolean> {
    const ended = await this.#changes.add(() => {
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
      `UPDATE chats SET state = iif(heard = ?, 'suspended', 'waiting'), turn = turn + (heard <> ?),
         setbacks = 0, patience = 0, reason = NULL
       WHERE ${HELD} RETURNING ${CHAT}`,
      ...[heard, heard, id, epoch],
    )
  }

  release({ id, epoch }: ChatClaim): HostedChat | null {
    return this.#changedChat(
      `UPDATE chats SET state = 'waiting', turn = turn + 1, patience = 0 WHERE ${HELD} RETURNING ${CHAT}`,
      ...[id, epoch],
    )
  }

  putOff({ id, epoch }: ChatClaim, reason: string): HostedChat | null {
    return this.#db.transaction(() => {
      const held = this.#db.row(`SELECT ${CHAT}, kept FROM chats WHERE ${HELD}`, id, epoch)
      if (!held) return null
      const setbacks = setbacksOf(held, true)
      return this.#changedChat(
        `UPDATE chats SET state = 'waiting', turn = turn + 1, queued = ?, setbacks = ?, kept = length, patience = ?,
           reason = ? WHERE ${HELD} RETURNING ${CHAT}`,
        ...[this.#now(), setbacks, patienceOf(setbacks, epoch), reason, id, epoch],
      )
    })
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
      this.#db.run('DELETE FROM events WHERE chat = ?', id)
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
    const texts = this.#texts('SELECT json FROM entries WHERE chat = ? ORDER BY n', id)
    return texts.map((text) => readStoredEntry(id, text))
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
      entry: readQuestion(row),
      cursor: String(row['n']),
    }))
  }

  due(kinds: readonly ChatKind[], limit: number): readonly HostedChat[] {
    if (kinds.length === 0) return []
    const now = this.#now()
    const ofKinds = `(name, version) IN (VALUES ${kinds.map(() => '(?, ?)').join(', ')})`
    const names = kinds.flatMap(({ name, version }) => [name, version])
    const found = (where: string, most: number): readonly Row[] =>
      this.#db.rows(
        `SELECT ${CHAT} FROM chats WHERE ${where} AND ${ofKinds} ORDER BY queued LIMIT ?`,
        ...[now, ...names, most],
      )
    // Two lists, each read in the order of an index as far as it is needed.
    const left = found(LEFT, limit)
    const waiting = found(WAITS, limit - left.length)
    return [...left, ...waiting].map(readChat)
  }

  /** Chats of which parts have ended and are not forgotten; looks at all chats. */
  wholesOfEndedParts(): readonly string[] {
    const rows = this.#db.rows("SELECT id FROM chats WHERE ended IS NOT NULL AND instr(id, '/part-') > 0")
    const wholes = rows.map((row) => wholeOf(row['id'] as string))
    return [...new Set(wholes)].filter((id) => id !== undefined)
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
      'no chat can be taken up: the counter `epoch` in the file of the chats is not a number that can grow; restore the file from a copy',
    )
  }

  #texts(sql: string, id: string): readonly unknown[] {
    return this.#db.rows(sql, id).map((row) => row['json'])
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

/** Setbacks in a row of a chat that is taken up, or put off; what was kept in between ends the row. */
const setbacksOf = (row: Row, isSetback: boolean): number =>
  (row['length'] === row['kept'] ? (row['setbacks'] as number) : 0) + (isSetback ? 1 : 0)

function readQuestion(row: Row): JournalEntry | null {
  try {
    return readStoredEntry(row['chat'] as string, row['json'])
  } catch {
    return null
  }
}
