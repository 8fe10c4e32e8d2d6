import type { ChatOutcome, ClaimedChat, HostedChat, JournalEntry, XEvent } from '@x/interfaces'
import { XError } from './x-error.ts'

/** A chat as a store has it: values as texts of JSON, numbers as such or as digits, what is absent as null or undefined. */
export type StoredChat = Readonly<Record<Exclude<keyof HostedChat, 'damage' | 'retry' | Optional>, unknown>> &
  Readonly<Partial<Record<Optional, unknown>>> &
  StoredRetry

/** Values that most chats do not have. */
type Optional = 'wakesAt' | 'tags' | 'tenant' | 'priority'

/** The failures of a chat in a row as a store has them. */
type StoredRetry = Readonly<Partial<Record<'retryKind' | 'retrySince' | 'retries' | 'queued', unknown>>>

/** The journal and the messages of a chat in a store, each entry and message as a JSON text. */
export interface StoredJournal extends Pick<ClaimedChat, 'heard' | 'takenOver' | 'isLeft' | 'now'> {
  readonly entries: readonly unknown[]
  readonly messages: readonly unknown[]
  /** How many entries were kept, without decisions. */
  readonly length: number
  /** How many of them come before the last checkpoint, and were not read; default 0. */
  readonly before?: number | undefined
  /** How many entries were to be read, with decisions, where the store counts them. */
  readonly all?: number | undefined
}

/** The last checkpoint among entries that a store is to keep. */
interface StoredCheckpoint {
  /** Index of the entry. */
  readonly index: number
  /** Number of the entry in its journal. */
  readonly seq: number
  /** Number of messages that were used before it. */
  readonly messages: number
}

/** Finds the last checkpoint among entries; null without one. Claims return the journal from there on. */
export function checkpointIn(entries: readonly JournalEntry[]): StoredCheckpoint | null {
  const index = entries.findLastIndex(({ kind }) => kind === 'checkpoint')
  const { seq = 0, value } = entries[index] ?? {}
  const { messages } = (value ?? {}) as { readonly messages?: number }
  // The journal refuses an entry that is damaged.
  return index < 0 ? null : { index, seq, messages: Number.isSafeInteger(messages) ? messages! : 0 }
}

/** Makes the error for a chat that is not as its store has written it. */
export const damagedChat = (id: string, damage: string): XError =>
  new XError(
    'invalid-state',
    `the chat \`${id}\` is damaged in its store: ${damage}; restore it from a copy, or submit it anew under another identifier`,
    { details: { id } },
  )

/** Reads a chat from what a store has. What cannot be read is told in `damage`: one chat is not to hide the others. */
export function readStoredChat(stored: StoredChat): HostedChat {
  const faults: string[] = []
  const number = (key: keyof StoredChat): number => {
    const value = stored[key] === null ? NaN : Number(stored[key])
    if (Number.isFinite(value)) return value
    faults.push(`its \`${key}\` is not a number`)
    return 0
  }
  const json = (key: 'input' | 'outcome' | 'tags'): unknown => {
    const value = parsed(stored[key])
    if (value === undefined) faults.push(`its ${key} ${key === 'tags' ? 'are' : 'is'} not JSON`)
    return value ?? null
  }
  const state = String(stored.state) as HostedChat['state']
  const outcome = isAbsent(stored.outcome) ? null : json('outcome')
  const tags = isAbsent(stored.tags) ? [] : json('tags')
  if (!isTags(tags)) faults.push('its tags are no list of texts')
  const isRight = fits(outcome, state)
  if (!CHAT_STATES.has(state)) faults.push(`its state is \`${state}\`, which is none`)
  else if (!isRight) faults.push(`it is \`${state}\`, and its outcome is not one of that`)
  return {
    id: String(stored.id),
    name: String(stored.name),
    version: String(stored.version),
    input: json('input'),
    at: number('at'),
    wakesAt: isAbsent(stored.wakesAt) ? null : number('wakesAt'),
    tags: isTags(tags) ? tags : [],
    tenant: isAbsent(stored.tenant) ? null : String(stored.tenant),
    priority: PRIORITIES[Number(stored.priority ?? 0) + 1] ?? 'normal',
    state,
    epoch: number('epoch'),
    turn: number('turn'),
    submittedAt: number('submittedAt'),
    endedAt: isAbsent(stored.endedAt) ? null : number('endedAt'),
    outcome: isRight ? (outcome as ChatOutcome | null) : null,
    setbacks: isAbsent(stored.setbacks) ? 0 : number('setbacks'),
    reason: isAbsent(stored.reason) ? null : String(stored.reason),
    retry:
      isAbsent(stored.retrySince) || state === 'done' || state === 'cancelled'
        ? null
        : {
            kind: String(stored.retryKind),
            since: number('retrySince'),
            at: number('queued'),
            failures: number('retries'),
          },
    damage: faults[0] ?? null,
  }
}

/** Reads a chat that was claimed, with its journal and messages; what cannot be read is told in `damage`. */
export function readClaimedChat(chat: HostedChat, stored: StoredJournal): ClaimedChat {
  const faults: string[] = []
  const jsons = (what: string, texts: readonly unknown[]): unknown[] =>
    texts.map((text, index) => {
      const value = parsed(text)
      if (value === undefined) faults.push(`${what} ${index} is not JSON`)
      return value
    })
  const entries = jsons('entry', stored.entries)
  const messages = jsons('message', stored.messages)
  const broken = entries.findIndex((entry) => typeof entry !== 'object' || entry === null)
  if (broken >= 0) faults.push(`entry ${broken} of its journal is none`)
  else {
    const count = (entries as JournalEntry[]).filter(({ seq }) => seq !== undefined).length
    // An entry of another number than the next would never be kept, and what it holds would be asked for again and again.
    const { all = entries.length, before = 0 } = stored
    const kept = stored.length - before
    if (entries.length !== all) faults.push(`its journal has ${entries.length} entries, and ${all} were kept`)
    if (count !== kept) faults.push(`its journal has ${count} entries, and ${kept} were kept`)
  }
  const { heard, takenOver, isLeft, now } = stored
  const damage = chat.damage ?? faults[0] ?? null
  return { ...chat, entries: entries as JournalEntry[], messages, heard, takenOver, isLeft, now, damage }
}

/** Reads an entry of a journal; fails with `invalid-state`, which names the chat. */
export function readStoredEntry(id: string, text: unknown): JournalEntry {
  const entry = parsed(text)
  if (typeof entry === 'object' && entry !== null) return entry as JournalEntry
  throw damagedChat(id, 'an entry of its journal is not JSON')
}

/** Reads the record of a key; undefined where there is none. Fails with `invalid-state`, which names the key. */
export function readStoredRecord(key: string, text: unknown): unknown {
  if (isAbsent(text)) return undefined
  const value = parsed(text)
  if (value !== undefined) return value
  throw new XError(
    'invalid-state',
    `the record \`${key}\` is damaged in its store: it is not JSON; delete it there, and it begins anew`,
    { details: { key } },
  )
}

/** Reads events that came together; fails with `invalid-state`, which names the chat. */
export function readStoredEvents(id: string, text: unknown): readonly XEvent[] {
  const events = parsed(text)
  if (Array.isArray(events)) return events as XEvent[]
  throw damagedChat(id, 'its log has something else than events')
}

const CHAT_STATES: ReadonlySet<HostedChat['state']> = new Set([
  'waiting',
  'waiting-to-retry',
  'running',
  'suspended',
  'done',
  'failed',
  'cancelled',
])

const isTags = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** The priorities of chats, each by its number in a store: that of `low` is -1. */
const PRIORITIES: readonly HostedChat['priority'][] = ['low', 'normal', 'high']

/** Returns the number of a priority in a store; a greater one comes first. */
export const priorityNumber = (priority: HostedChat['priority'] | undefined): number =>
  PRIORITIES.indexOf(priority ?? 'normal') - 1

const isAbsent = (value: unknown): boolean => value === null || value === undefined

/** True if a chat in this state may have this outcome. */
function fits(outcome: unknown, state: HostedChat['state']): boolean {
  if (state !== 'done' && state !== 'failed' && state !== 'cancelled') return outcome === null
  const { value, error, reason, state: end } = (outcome ?? {}) as Record<string, unknown>
  if (end !== state) return false
  if (state === 'cancelled') return typeof reason === 'string'
  if (state === 'done') return value !== undefined
  return typeof (error as { message?: unknown } | null | undefined)?.message === 'string'
}

/** The value of a text of JSON; undefined where it is none. */
function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined
  } catch {
    return undefined
  }
}
