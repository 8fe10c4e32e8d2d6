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
import {
  checkpointIn,
  damagedChat,
  priorityNumber,
  readClaimedChat,
  readStoredChat,
  readStoredEntry,
} from '@x/kernel/hosting'
import { newToken } from '../platform.ts'
import {
  claimCounterError,
  decidedBy,
  identityOf,
  kindName,
  readJson,
  readKindName,
  readQuestion,
  writeJson,
} from '../stored-text.ts'
import type { RedisClient } from './redis-client.ts'

type ChatQuery = Parameters<ChatStore['list']>[0]
type SubmittedQuery = NonNullable<ChatQuery['submitted']>

/** Keeps each chat in a hash of Redis with lists of its entries and messages, and indexes chats by sorted sets. */
export class RedisStore implements ChatStore {
  readonly #redis: RedisClient
  readonly #onCancelled: (chat: HostedChat) => Promise<void>

  /** `onCancelled` is told of a chat that was cancelled before the caller is. */
  constructor(redis: RedisClient, onCancelled: (chat: HostedChat) => Promise<void>) {
    this.#redis = redis
    this.#onCancelled = onCancelled
  }

  async submit({
    id,
    name,
    version,
    input,
    at,
    durable = true,
    entries = [],
    messages = [],
    tags = [],
    tenant,
    priority,
  }: Parameters<ChatStore['submit']>[0]): Promise<{ chat: HostedChat; isNew: boolean }> {
    const isWhole = entries.length > 0 || messages.length > 0
    const journal = entries.flatMap((entry) => {
      const { kind, place } = entry
      const asked = kind === 'question' || kind === 'decision' ? place : ''
      return [identityOf(entry), writeJson(entry), asked, kind === 'decision' ? 1 : 0, writeJson(decidedBy(entry))]
    })
    const values = [
      ...[id, name, version, writeJson(input), at ?? '', durable ? 1 : 0, tenant ?? '', priorityNumber(priority)],
      tags.length > 0 ? writeJson(tags) : '',
      ...(isWhole ? [entries.length, ...checkpointValues(entries), ...journal, ...messages.map(writeJson)] : []),
    ]
    const [isNew, fields] = (await this.#redis.run('submit', values)) as [number, string[]]
    return { chat: readChat(fields), isNew: isNew === 1 }
  }

  async claim(id: string, lease: number, parent: string = ''): Promise<ClaimedChat | null> {
    const claimed = (await this.#redis.run('claim', id, lease * 1000, parent)) as Claimed | 'counter' | null
    if (!claimed) return null
    if (claimed === 'counter') throw claimCounterError(this.#redis.key('epoch'))
    const [list, entries, messages, takenOver, all, isLeft, now] = claimed
    const fields = readFields(list)
    return readClaimedChat(chatOf(fields), {
      entries,
      messages,
      all,
      length: Number(fields['length']),
      before: Number(fields['entriesBefore'] ?? 0),
      heard: Number(fields['heard']),
      now: Number(now),
      takenOver: takenOver === 1,
      isLeft: isLeft === 1,
    })
  }

  async renew(claims: readonly ChatClaim[], lease: number): Promise<readonly string[]> {
    if (claims.length === 0) return []
    const values = claims.flatMap(({ id, epoch }) => [id, String(epoch)])
    return (await this.#redis.run('renew', lease * 1000, ...values)) as string[]
  }

  async append(
    { id, epoch }: ChatClaim,
    entries: readonly JournalEntry[],
    events: readonly XEvent[] = [],
  ): Promise<{ readonly heard: number } | null> {
    const [sent = ''] = eventsOf(events)
    const values = entries.flatMap((entry) => [
      identityOf(entry),
      writeJson(entry),
      entry.kind === 'question' ? entry.place : '',
    ])
    const given = [id, String(epoch), String(entries[0]?.seq), sent, ...checkpointValues(entries)]
    const heard = (await this.#redis.run('append', ...given, ...values)) as string | null
    return heard === null ? null : { heard: Number(heard) }
  }

  async finish({ id, epoch }: ChatClaim, outcome: ChatOutcome, events: readonly XEvent[] = []): Promise<boolean> {
    const values = [id, String(epoch), outcome.state, writeJson(outcome), ...eventsOf(events)]
    return (await this.#redis.run('finish', ...values)) === 1
  }

  async suspend({ id, epoch }: ChatClaim, heard: number, wakesAt?: number): Promise<HostedChat | null> {
    const time = wakesAt === undefined ? [] : [String(Math.ceil(wakesAt))]
    return readChanged(await this.#redis.run('suspend', id, String(epoch), String(heard), ...time))
  }

  async release({ id, epoch }: ChatClaim): Promise<HostedChat | null> {
    return readChanged(await this.#redis.run('release', id, String(epoch)))
  }

  async putOff(
    { id, epoch }: ChatClaim,
    reason: string,
    retry?: Parameters<ChatStore['putOff']>[2],
  ): Promise<HostedChat | null> {
    const values = retry ? [Math.round(retry.delay * 1000), retry.kind] : []
    return readChanged(await this.#redis.run('putOff', id, String(epoch), reason, ...values))
  }

  async decide(id: string, decision: JournalEntry, by: string | null): Promise<HostedChat | 'known' | 'ended'> {
    const values = [id, decision.place, identityOf(decision), writeJson(decision), writeJson(by), newToken()]
    const decided = (await this.#redis.run('decide', ...values)) as string[] | 'known' | 'ended'
    return typeof decided === 'string' ? decided : readChat(decided)
  }

  async send(id: string, message: unknown, key?: string): Promise<HostedChat | 'ended' | { known: string }> {
    const values = [id, writeJson(message), newToken(), ...(key === undefined ? [] : [key])]
    const sent = (await this.#redis.run('send', ...values)) as string[] | string
    if (typeof sent !== 'string') return readChat(sent)
    return sent === 'ended' ? sent : { known: sent.slice(KNOWN_PREFIX.length) }
  }

  async cancel(id: string, reason: string): Promise<HostedChat | 'ended'> {
    const outcome: ChatOutcome = { state: 'cancelled', reason }
    const cancelled = (await this.#redis.run('cancel', id, writeJson(outcome), newToken())) as string[] | 'ended'
    if (cancelled === 'ended') return cancelled
    const chat = readChat(cancelled)
    await this.#onCancelled(chat)
    return chat
  }

  async resume(id: string, reason: string): Promise<HostedChat | null> {
    return readChanged(await this.#redis.run('resume', id, reason, newToken()))
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#redis.run('delete', id)) === 1
  }

  async expired(seconds: number, limit: number): Promise<readonly HostedChat[]> {
    return ((await this.#redis.run('expired', seconds, limit)) as string[][]).map(readChat)
  }

  async get(id: string): Promise<HostedChat | null> {
    const read = this.#redis.read((client) => client.hgetall(this.#redis.key('chat', id)))
    const fields = await read.catch((error: unknown) => {
      if (!String(error).includes('WRONGTYPE')) throw error
      throw damagedChat(id, 'its key does not hold a hash')
    })
    return Object.keys(fields).length === 0 ? null : chatOf({ ...fields, id })
  }

  async entries(id: string): Promise<readonly JournalEntry[]> {
    const entries = await this.#redis.read((client) => client.lrange(this.#redis.key('entries', id), 0, -1))
    return entries.map((text) => readStoredEntry(id, text))
  }

  async messages(id: string, without = 0): Promise<readonly string[]> {
    return await this.#redis.read((client) => client.lrange(this.#redis.key('messages', id), without, -1))
  }

  async decisions(id: string): Promise<readonly StoredDecision[]> {
    const parts = await this.#redis.read((client) => client.lrange(this.#redis.key('decisions', id), 0, -1))
    const decisions: StoredDecision[] = []
    for (let at = 0; at < parts.length; at += 3) {
      const [json, by, time] = parts.slice(at, at + 3)
      decisions.push({ entry: readStoredEntry(id, json), by: readJson(by) as string | null, at: Number(time) })
    }
    return decisions
  }

  async list(query: ChatQuery): Promise<readonly HostedChat[]> {
    const { state, kind, after, limit, submitted } = query
    if (submitted) return await this.#listSubmitted(query, submitted)
    const from = kind ? ['kind', kindName(kind), ...(state ? [state] : [])] : state ? ['state', state] : ['all']
    const values = [from.join(':'), after === undefined ? '-' : `(${after}`, limit]
    return ((await this.#redis.run('list', ...values)) as string[][]).map(readChat)
  }

  /** Lists chats by their submission, from the index that the query fits: that of a tag, of a tenant, or of all. */
  async #listSubmitted(
    { state, kind, after, limit }: ChatQuery,
    query: SubmittedQuery,
  ): Promise<readonly HostedChat[]> {
    const { order, tag, tenant, since, until } = query
    const index = tag === undefined ? (tenant === undefined ? 'submitted' : `tenant:${tenant}`) : `tag:${tag}`
    const filters = [order, tenant ?? '', state ?? '', kind?.name ?? '', kind?.version ?? '', since ?? '', until ?? '']
    const chats: HostedChat[] = []
    let place: readonly string[] | null = after === undefined ? ['', ''] : [String(query.after ?? 0), after]
    while (place && chats.length < limit) {
      const values: readonly (string | number)[] = [index, ...filters, ...place, limit - chats.length]
      const answer = await this.#redis.run('submitted', ...values)
      const [found, last] = answer as [string[][], string[] | null]
      chats.push(...found.map(readChat))
      place = last
    }
    return chats
  }

  async pending(after: string | null, limit: number): Promise<readonly PendingQuestion[]> {
    const questions = (await this.#redis.run('pending', after ?? '0', limit)) as [string, string][]
    return questions.map(([cursor, question]) => {
      // The last line is the JSON, which has no line break; the identifier before it may have some.
      const end = question.lastIndexOf('\n')
      return readQuestion(question.slice(0, end), question.slice(end + 1), cursor)
    })
  }

  async due(kinds: readonly ChatKind[], limit: number): Promise<readonly HostedChat[]> {
    return ((await this.#redis.run('due', limit, ...kinds.map(kindName))) as string[][]).map(readChat)
  }

  /** Lists chats of some programs whose time came in the last seconds, though nobody has claimed them. */
  async late(kinds: readonly ChatKind[]): Promise<readonly HostedChat[]> {
    const late = await this.#redis.run('late', MAX_LATE_MS, MIN_LATE_MS, kinds.map(kindName))
    return (late as string[][]).map(readChat)
  }

  async counts({ open = false }: { readonly open?: boolean | undefined } = {}): Promise<readonly ChatCount[]> {
    const counts = (await this.#redis.run('counts', ...(open ? OPEN_STATES : CHAT_STATES))) as CountRow[]
    return counts.map(([kind, state, count]) => ({ ...readKindName(kind), state, count }))
  }
}

/** Most time by which a chat of {@link RedisStore.late} is late: all workers ask for them more often, and for older ones seldom. */
const MAX_LATE_MS = 5000
/** Least time by which it is late: a worker with the right clock comes before. */
const MIN_LATE_MS = 500

type CountRow = readonly [kind: string, state: HostedChat['state'], count: number]

const OPEN_STATES: readonly HostedChat['state'][] = ['waiting', 'waiting-to-retry', 'running', 'suspended']
const CHAT_STATES: readonly HostedChat['state'][] = [...OPEN_STATES, 'done', 'failed', 'cancelled']

/** Begins the result of the script `send` if the chat has a message with this key; the message follows. */
const KNOWN_PREFIX = 'known '

/** Returns the values of a script for the last checkpoint among entries: its index, its number and that of messages before it. */
function checkpointValues(entries: readonly JournalEntry[]): readonly (string | number)[] {
  const checkpoint = checkpointIn(entries)
  return checkpoint ? [checkpoint.index, checkpoint.seq, checkpoint.messages] : ['', '', '']
}

/** Returns the last value of a script: the events, if there are any. */
const eventsOf = (events: readonly XEvent[]): string[] => (events.length > 0 ? [writeJson(events)] : [])

/** Result of the script `claim`. */
type Claimed = readonly [
  chat: readonly string[],
  entries: readonly string[],
  messages: readonly string[],
  takenOver: number,
  identities: number,
  isLeft: number,
  now: string,
]

/** Reads the chat that a script changed; null when it changed none. */
const readChanged = (fields: unknown): HostedChat | null => (fields ? readChat(fields as string[]) : null)

const readChat = (fields: readonly string[]): HostedChat => chatOf(readFields(fields))

/** Reads a hash, which scripts return as a list of fields and values. */
function readFields(list: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let at = 0; at < list.length; at += 2) fields[list[at]!] = list[at + 1]!
  return fields
}

const chatOf = ({ due, submitted, ended, ...fields }: Readonly<Record<string, string>>): HostedChat =>
  readStoredChat({ ...fields, at: due, submittedAt: submitted, endedAt: ended } as never)
