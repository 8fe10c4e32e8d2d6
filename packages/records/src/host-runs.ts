import type { HostBackend, HostedChat, LoggedEvent, SpanOutcome, XEvent } from '@x/interfaces'
import { firstMessage, type KeptRun } from './kept-run.ts'
import type { Records } from './records.ts'
import { SummaryCount } from './run-summary.ts'
import { DEFAULT_LIMIT, isWanted, joined, type KeptRunInfo, type RunQuery } from './storage.ts'

/** Chats and events that are read from a backend at once. */
const PAGE_LENGTH = 500

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
 * Reads the chats of a host as runs: their events, and the entries of their journals. They have the tags `chat`, `version` and
 * `state`, cannot be repeated, and nothing is written.
 */
export function hostRuns(backend: HostBackend): Pick<Records, 'list' | 'read'> {
  return {
    async list(query: RunQuery = {}) {
      const { since = 0, before = Infinity, limit = DEFAULT_LIMIT } = query
      const chats = (await allChats(backend)).toSorted((one, other) => lastOf(other) - lastOf(one))
      const found: KeptRunInfo[] = []
      for (const chat of chats) {
        if (found.length >= limit) break
        // The events of a chat that has ended are not later than its end.
        if (chat.endedAt !== null && chat.endedAt < since) continue
        if (!chat.id.startsWith(query.runId ?? '')) continue
        const info = infoOf(chat, await eventsOf(backend, chat.id))
        if (info.last >= since && info.last < before && isWanted(info, query)) found.push(info)
      }
      return found
    },
    async read(runId): Promise<KeptRun | undefined> {
      const chat = await backend.store.get(runId)
      if (!chat) return undefined
      const events = await eventsOf(backend, runId)
      const entries = await backend.store.entries(runId)
      return {
        ...{ info: infoOf(chat, events), message: firstMessage(events), events, entries, calls: [], waits: true },
        requestOf: () => undefined,
      }
    },
  }
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

function infoOf(chat: HostedChat, events: readonly XEvent[]): KeptRunInfo {
  const { id, name, version, state, outcome, submittedAt, damage } = chat
  const count = new SummaryCount()
  for (const event of events) count.add(event)
  const summary = joined(null, count.take(submittedAt))
  return {
    ...summary,
    runId: id,
    began: summary.began || submittedAt,
    last: Math.max(summary.last, lastOf(chat)),
    outcome: OUTCOMES[state] ?? null,
    error: outcome?.state === 'failed' ? outcome.error.message : damage,
    cutOff: false,
    problem: HOST_PROBLEM,
    tags: { chat: name, version, state },
    parent: null,
    labels: [],
    bytes: 0,
  }
}
