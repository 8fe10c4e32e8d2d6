import type { HostBackend, HostedChat, LoggedEvent, SpanOutcome, XEvent } from '@x/interfaces'
import { firstMessage, type KeptRun } from './kept-run.ts'
import type { Records } from './records.ts'
import { type RunSummary, SummaryCount, type SummaryPart } from './run-summary.ts'
import { checkQuery, DEFAULT_LIMIT, isWanted, joined, type KeptRunInfo, type RunQuery } from './storage.ts'

/** Chats and events that are read from a backend at once. */
const PAGE_LENGTH = 500

/** Chats whose revisions a backend gives at once. */
const MAX_REVISIONS = 1000

/** Why the chat of a host cannot be repeated. */
const HOST_PROBLEM = 'a host keeps the answers of a chat, but not what was asked'

/** Outcomes of chats by their state; a chat in any other state is under way. */
const OUTCOMES: Readonly<Partial<Record<HostedChat['state'], SpanOutcome>>> = {
  suspended: 'suspended',
  done: 'ok',
  failed: 'error',
  cancelled: 'aborted',
}

/**
 * Reads the chats of a host as runs: their events, and the entries of their journals. They have the tags `chat`, `version`,
 * `state` and, for a chat that has one, `tenant`. They cannot be repeated, and nothing is written. A second `list` reads only the
 * events that are new since the first. A function opens the backend for each question, and it is closed behind it.
 */
export function hostRuns(backend: HostBackend | (() => HostBackend)): Pick<Records, 'list' | 'read'> {
  const known = new Map<string, KnownChat>()
  const reading = async <T>(read: (opened: HostBackend) => Promise<T>): Promise<T> => {
    if (typeof backend !== 'function') return await read(backend)
    const opened = backend()
    try {
      return await read(opened)
    } finally {
      await opened.close()
    }
  }
  return {
    list: async (query) => {
      checkQuery(query ?? {})
      return await reading(async (opened) => await listChats(opened, query ?? {}, known))
    },
    read: async (runId) =>
      await reading(async (opened): Promise<KeptRun | undefined> => {
        const chat = await opened.store.get(runId)
        if (!chat) return undefined
        const events = await eventsOf(opened, runId)
        const entries = await opened.store.entries(runId)
        const count = new SummaryCount()
        for (const event of events) count.add(event)
        const info = infoOf(chat, count.take(chat.submittedAt))
        return {
          info,
          message: firstMessage(events),
          events,
          entries,
          calls: [],
          waits: true,
          requestOf: () => undefined,
        }
      }),
  }
}

/** The part of a chat that an earlier list has read. */
interface KnownChat {
  /** Differs from every other state of the chat. */
  readonly state: string
  readonly count: SummaryCount
  /** Null before the first event. */
  readonly summary: RunSummary | null
  /** Cursor of the last event. */
  readonly cursor: string | null
}

async function listChats(
  backend: HostBackend,
  query: RunQuery,
  known: Map<string, KnownChat>,
): Promise<readonly KeptRunInfo[]> {
  const { since = 0, before: until = Infinity, limit = DEFAULT_LIMIT, runId = '' } = query
  const all = await allChats(backend)
  const ids = new Set(all.map(({ id }) => id))
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
  const chats = all
    // The events of a chat that has ended are not later than its end.
    .filter(({ id, endedAt }) => id.startsWith(runId) && (endedAt === null || endedAt >= since))
    .toSorted((one, other) => lastOf(other) - lastOf(one))
  const states = await statesOf(backend, chats)
  const found: KeptRunInfo[] = []
  for (const chat of chats) {
    if (found.length >= limit) break
    const { id } = chat
    const state = states.get(id)!
    const before = known.get(id)
    const its = before?.state === state ? before : await readOn(backend, chat, state, before)
    known.set(id, its)
    const info = infoOf(chat, its.summary)
    if (info.last >= since && info.last < until && isWanted(info, query)) found.push(info)
  }
  // When a chat that goes on was last heard of is known only now.
  return found.toSorted((one, other) => other.last - one.last)
}

/** Returns for each chat a text that is another one when the chat has changed. One that has ended has no more events. */
async function statesOf({ events }: HostBackend, chats: readonly HostedChat[]): Promise<ReadonlyMap<string, string>> {
  const states = new Map(chats.map(({ id, submittedAt, endedAt }) => [id, `${submittedAt} ended ${endedAt}`]))
  const open = chats.filter(({ endedAt }) => endedAt === null)
  for (let first = 0; first < open.length; first += MAX_REVISIONS) {
    const part = open.slice(first, first + MAX_REVISIONS)
    const revisions = await events.revisions(part.map(({ id }) => id))
    for (const [index, { id, submittedAt }] of part.entries()) states.set(id, `${submittedAt} ${revisions[index]}`)
  }
  return states
}

/** Reads the events of a chat behind those that are known. */
async function readOn(
  { events }: HostBackend,
  { id, submittedAt }: HostedChat,
  state: string,
  known: KnownChat | undefined,
): Promise<KnownChat> {
  // A chat that was deleted and submitted again begins anew.
  const its = known?.state.startsWith(`${submittedAt} `) ? known : undefined
  const count = its?.count ?? new SummaryCount()
  let cursor = its?.cursor ?? null
  for (;;) {
    const page = await events.read(id, cursor, PAGE_LENGTH)
    for (const { event } of page) count.add(event)
    cursor = page.at(-1)?.cursor ?? cursor
    if (page.length < PAGE_LENGTH) break
  }
  const part = count.take(submittedAt)
  return { state, count, cursor, summary: part ? joined(its?.summary ?? null, part) : (its?.summary ?? null) }
}

async function allChats({ store }: HostBackend): Promise<readonly HostedChat[]> {
  const chats: HostedChat[] = []
  for (;;) {
    const after = chats.at(-1)?.id
    const page = await store.list({ limit: PAGE_LENGTH, ...(after !== undefined && { after }) })
    for (const chat of page) chats.push(chat)
    if (page.length < PAGE_LENGTH) return chats
  }
}

async function eventsOf({ events }: HostBackend, id: string): Promise<readonly XEvent[]> {
  const read: XEvent[] = []
  for (let cursor: string | null = null; ;) {
    const page: readonly LoggedEvent[] = await events.read(id, cursor, PAGE_LENGTH)
    for (const { event } of page) read.push(event)
    if (page.length < PAGE_LENGTH) return read
    cursor = page.at(-1)!.cursor
  }
}

const lastOf = ({ endedAt, submittedAt }: HostedChat): number => endedAt ?? submittedAt

function infoOf(chat: HostedChat, counted: SummaryPart | RunSummary | null): KeptRunInfo {
  const { id, name, version, state, outcome, submittedAt, damage, tenant } = chat
  const summary = joined(null, counted)
  return {
    ...summary,
    runId: id,
    began: summary.began || submittedAt,
    last: Math.max(summary.last, lastOf(chat)),
    outcome: OUTCOMES[state] ?? null,
    error: outcome?.state === 'failed' ? outcome.error.message : damage,
    cutOff: false,
    problem: HOST_PROBLEM,
    tags: { chat: name, version, state, ...(tenant !== null && { tenant }) },
    parent: null,
    labels: [],
    bytes: 0,
  }
}
