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
  HostedChatState,
  JournalEntry,
  PendingQuestion,
  StoredDecision,
  XEvent,
} from '@x/interfaces'
import { kindName, readKindName } from '../kind-name.ts'
import { newToken } from '../platform.ts'
import { identityOf, readJson, writeJson } from '../stored-json.ts'
import type { RedisClient } from './redis-client.ts'

/** Keeps chats in Redis: a hash, lists of entries and messages, and sorted sets to find them by. */
export class RedisStore implements ChatStore {
  readonly #redis: RedisClient

  constructor(redis: RedisClient) {
    this.#redis = redis
  }

  async submit({ id, name, version, input, at }: ChatSubmission): Promise<{ chat: HostedChat; isNew: boolean }> {
    const [isNew, fields] = (await this.#redis.run('submit', id, name, version, writeJson(input), at ?? '')) as [
      number,
      string[],
    ]
    return { chat: readChat(fields), isNew: isNew === 1 }
  }

  async claim(id: string, lease: number): Promise<ClaimedChat | null> {
    const claimed = (await this.#redis.run('claim', id, lease * 1000)) as [string[], string[], string[], number] | null
    if (!claimed) return null
    const [fields, entries, messages, takenOver] = claimed
    const heard = Number(readFields(fields)['heard'])
    return {
      ...readChat(fields),
      entries: entries.map(readEntry),
      messages: messages.map(readJson),
      heard,
      takenOver: takenOver === 1,
    }
  }

  async renew(claims: readonly ChatClaim[], lease: number): Promise<readonly string[]> {
    if (claims.length === 0) return []
    const values = claims.flatMap(({ id, epoch }) => [id, String(epoch)])
    return (await this.#redis.run('renew', lease * 1000, ...values)) as string[]
  }

  async append({ id, epoch }: ChatClaim, entry: JournalEntry, events: readonly XEvent[] = []): Promise<boolean> {
    const place = entry.kind === 'question' ? entry.place : ''
    const values = [id, String(epoch), String(entry.seq), identityOf(entry), writeJson(entry), place]
    return (await this.#redis.run('append', ...values, ...eventsOf(events))) === 1
  }

  async finish({ id, epoch }: ChatClaim, outcome: ChatOutcome, events: readonly XEvent[] = []): Promise<boolean> {
    const values = [id, String(epoch), outcome.state, writeJson(outcome), ...eventsOf(events)]
    return (await this.#redis.run('finish', ...values)) === 1
  }

  async suspend({ id, epoch }: ChatClaim, heard: number): Promise<HostedChat | null> {
    return readFound(await this.#redis.run('suspend', id, String(epoch), String(heard)))
  }

  async release({ id, epoch }: ChatClaim): Promise<HostedChat | null> {
    return readFound(await this.#redis.run('release', id, String(epoch)))
  }

  async decide(id: string, decision: JournalEntry, by: string | null): Promise<HostedChat | 'known' | 'ended'> {
    const values = [id, decision.place, identityOf(decision), writeJson(decision), writeJson(by), newToken()]
    const decided = (await this.#redis.run('decide', ...values)) as string[] | 'known' | 'ended'
    return typeof decided === 'string' ? decided : readChat(decided)
  }

  async send(id: string, message: unknown): Promise<HostedChat | 'ended'> {
    const sent = (await this.#redis.run('send', id, writeJson(message), newToken())) as string[] | 'ended'
    return sent === 'ended' ? sent : readChat(sent)
  }

  async cancel(id: string, reason: string): Promise<HostedChat | 'ended'> {
    const outcome: ChatOutcome = { state: 'cancelled', reason }
    const cancelled = (await this.#redis.run('cancel', id, writeJson(outcome), newToken())) as string[] | 'ended'
    return cancelled === 'ended' ? cancelled : readChat(cancelled)
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#redis.run('delete', id)) === 1
  }

  async expired(seconds: number, limit: number): Promise<readonly HostedChat[]> {
    return ((await this.#redis.run('expired', seconds, limit)) as string[][]).map(readChat)
  }

  async get(id: string): Promise<HostedChat | null> {
    const fields = await this.#redis.use((client) => client.hgetall(this.#redis.key('chat', id)))
    return fields['id'] === undefined ? null : chatOf(fields)
  }

  async entries(id: string): Promise<readonly JournalEntry[]> {
    const entries = await this.#redis.use((client) => client.lrange(this.#redis.key('entries', id), 0, -1))
    return entries.map(readEntry)
  }

  async decisions(id: string): Promise<readonly StoredDecision[]> {
    const parts = await this.#redis.use((client) => client.lrange(this.#redis.key('decisions', id), 0, -1))
    const decisions: StoredDecision[] = []
    for (let at = 0; at < parts.length; at += 3) {
      const [json, by, time] = parts.slice(at, at + 3)
      decisions.push({ entry: readEntry(json!), by: readJson(by) as string | null, at: Number(time) })
    }
    return decisions
  }

  async list({ state, kind, after, limit }: ChatQuery): Promise<readonly HostedChat[]> {
    const from = kind ? ['kind', kindName(kind), ...(state ? [state] : [])] : state ? ['state', state] : ['all']
    const values = [from.join(':'), after === undefined ? '-' : `(${after}`, limit]
    return ((await this.#redis.run('list', ...values)) as string[][]).map(readChat)
  }

  async pending(after: string | null, limit: number): Promise<readonly PendingQuestion[]> {
    const found = (await this.#redis.run('pending', after ?? '0', limit)) as [string, string][]
    return found.map(([cursor, question]) => {
      // JSON has no line break, and an identifier may have one.
      const end = question.lastIndexOf('\n')
      return { chat: question.slice(0, end), entry: readEntry(question.slice(end + 1)), cursor }
    })
  }

  async due(kinds: readonly ChatKind[], limit: number): Promise<readonly HostedChat[]> {
    return ((await this.#redis.run('due', limit, ...kinds.map(kindName))) as string[][]).map(readChat)
  }

  async counts({ open = false }: { readonly open?: boolean | undefined } = {}): Promise<readonly ChatCount[]> {
    const found = (await this.#redis.run('counts', ...(open ? OPEN : STATES))) as [string, HostedChatState, number][]
    return found.map(([kind, state, count]) => ({ ...readKindName(kind), state, count }))
  }
}

const OPEN: readonly HostedChatState[] = ['waiting', 'running', 'suspended']
const STATES: readonly HostedChatState[] = [...OPEN, 'done', 'failed', 'cancelled']

/** Events as the last value of a script, where there are any. */
const eventsOf = (events: readonly XEvent[]): string[] => (events.length > 0 ? [writeJson(events)] : [])

const readEntry = (json: string): JournalEntry => readJson(json) as JournalEntry

const readFound = (fields: unknown): HostedChat | null => (fields ? readChat(fields as string[]) : null)

const readChat = (fields: readonly string[]): HostedChat => chatOf(readFields(fields))

/** Reads a hash, which scripts give as a list of fields and values. */
function readFields(list: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let at = 0; at < list.length; at += 2) fields[list[at]!] = list[at + 1]!
  return fields
}

const chatOf = (fields: Readonly<Record<string, string>>): HostedChat => ({
  id: fields['id']!,
  name: fields['name']!,
  version: fields['version']!,
  input: readJson(fields['input']),
  at: Number(fields['due']),
  state: fields['state'] as HostedChatState,
  epoch: Number(fields['epoch']),
  turn: Number(fields['turn']),
  submittedAt: Number(fields['submitted']),
  endedAt: fields['ended'] === undefined ? null : Number(fields['ended']),
  outcome: fields['outcome'] === undefined ? null : (readJson(fields['outcome']) as ChatOutcome),
})
