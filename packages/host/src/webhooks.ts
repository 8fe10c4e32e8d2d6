import { pendingIn } from '@x/agent'
import type { ChatStore, HostBackend, HostedChat, PendingApproval } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { defineChat } from './define-chat.ts'
import type { DefinedChat } from './defined-chat.ts'
import { platformNow } from './platform.ts'
import type { ChatWatcher } from './run/chat-watcher.ts'
import { parentOf } from './run/parts.ts'
import { submitOnce } from './submission.ts'
import { postNotice, WEBHOOK_PROGRAM, type Webhook } from './webhook.ts'

/** Seconds within which a worker tells the store what it is about to tell the address. */
const SETTLE_TIMEOUT_S = 10
/** An address that does not answer is tried for a day. */
const RETRY = { firstDelay: 5, maxDelay: 3600, for: 86_400 }

/** The input of the chat that tells an address. */
interface Notice {
  /** Name of the webhook. */
  readonly webhook: string
  readonly chat: string
  /** Claim of the chat under which it came to this. */
  readonly epoch: number
  /** Id of the question; null for the end of the chat. */
  readonly question: string | null
}

/**
 * Tells addresses of the ends and questions of chats. Each notice is a chat of its own, submitted before the store is told what
 * it says: no crash loses one, and a worker runs it again until the address has answered.
 */
export class Webhooks {
  readonly #webhooks: Readonly<Record<string, Webhook>>
  readonly #backend: HostBackend
  readonly #watcher: ChatWatcher
  /** Webhooks whose addresses have not answered in time, each with whether a notice is trying it again. */
  readonly #silent = new Map<string, boolean>()
  /** The program of the notices. */
  readonly program: DefinedChat

  constructor(webhooks: Readonly<Record<string, Webhook>>, backend: HostBackend, watcher: ChatWatcher) {
    this.#webhooks = webhooks
    this.#backend = backend
    this.#watcher = watcher
    this.program = defineChat<never>({
      name: WEBHOOK_PROGRAM,
      version: '1',
      concurrency: 20,
      keeps: 'value',
      retry: RETRY,
      run: ({ id, input, run }) => this.#tell(id, input, run.signal),
    })
  }

  /** Submits the notices of the end of a chat, before it ends. */
  async ended(chat: HostedChat): Promise<void> {
    await this.#submit(chat, 'ended', null)
  }

  /** Submits the notices of questions of a chat, before it is suspended. */
  async asked(chat: HostedChat, questions: readonly PendingApproval[]): Promise<void> {
    for (const { id } of questions) await this.#submit(chat, 'question', id)
  }

  async #submit(chat: HostedChat, moment: 'ended' | 'question', question: string | null): Promise<void> {
    const { id, name, epoch, state, turn, tenant, tags, submittedAt } = chat
    if (name === WEBHOOK_PROGRAM || parentOf(id) !== undefined) return
    for (const [webhook, { on, tenant: ofTenant = tenant, tag }] of Object.entries(this.#webhooks)) {
      if (on?.includes(moment) === false || ofTenant !== tenant || (tag !== undefined && !tags.includes(tag))) continue
      // A chat that waits may have ended before, under the same claim, and have been resumed.
      const end = `ended-${epoch}${state === 'waiting' ? `-${turn}` : ''}`
      const place = question === null ? end : `question-${question}`
      const input: Notice = { webhook, chat: id, epoch: question === null ? epoch : 0, question }
      // The time tells the chat from one with its identifier that was deleted before.
      const noticeId = `${id}/webhook-${webhook}-${submittedAt}-${place}`
      await submitOnce(this.#backend, { id: noticeId, ...PROGRAM_KIND, input })
    }
  }

  async #tell(id: string, notice: Notice, signal: AbortSignal | undefined): Promise<string> {
    const webhook = this.#webhooks[notice.webhook]
    if (!webhook) {
      const problem = `cannot tell the webhook \`${notice.webhook}\`: this worker does not have it; give all workers the same \`webhooks\`, and resume the chat`
      throw new XError('invalid-state', problem)
    }
    const body = await this.#bodyOf(notice, webhook, signal)
    if (body === null) return 'no longer true'
    return await this.#post(notice.webhook, { id, body }, signal)
  }

  /** Posts a notice: one at a time to an address that is silent. The others come again later, and hold up no other address. */
  async #post(name: string, told: Told, stop: AbortSignal | undefined): Promise<string> {
    if (this.#silent.get(name))
      throw new XError(
        'connection-failed',
        `the address of the webhook \`${name}\` has not answered other notices in time`,
      )
    if (this.#silent.has(name)) this.#silent.set(name, true)
    try {
      const answer = await postNotice(this.#webhooks[name]!, told, stop)
      this.#silent.delete(name)
      return answer
    } catch (error) {
      if (isXError(error, 'timeout')) this.#silent.set(name, false)
      else this.#silent.delete(name)
      throw error
    }
  }

  /** Returns what is told, once the store knows it; null if it did not come to it, or is over. */
  async #bodyOf(notice: Notice, { content = true }: Webhook, signal: AbortSignal | undefined): Promise<string | null> {
    const limit = AbortSignal.timeout(SETTLE_TIMEOUT_S * 1000)
    const both = signal ? AbortSignal.any([limit, signal]) : limit
    const { store } = this.#backend
    try {
      return await this.#watcher.until(
        notice.chat,
        async () => {
          const chat = await store.get(notice.chat)
          if (!chat) return null
          const told =
            notice.question === null ? endOf(chat, notice, content) : await questionOf(store, chat, notice, content)
          return told && JSON.stringify({ ...told, chat: aboutChat(chat), time: new Date(platformNow()).toISOString() })
        },
        { signal: both },
      )
    } catch (error) {
      if (!limit.aborted || signal?.aborted) throw error
      throw new XError('timeout', `the chat \`${notice.chat}\` is not yet what its notice says`)
    }
  }
}

/** Id and body of a notice. */
type Told = Parameters<typeof postNotice>[1]

const PROGRAM_KIND = { name: WEBHOOK_PROGRAM, version: '1' }

const aboutChat = ({ id, name, version, tenant, tags, state }: HostedChat): object => ({
  id,
  name,
  version,
  tenant,
  tags,
  state,
})

/** Tells the end of a chat; null for a chat that another worker has claimed since, undefined for one that has not ended yet. */
function endOf({ epoch, outcome }: HostedChat, notice: Notice, content: boolean): object | null | undefined {
  if (epoch !== notice.epoch) return null
  return outcome ? { type: 'chat.ended', ...(content && { outcome }) } : undefined
}

/** Tells a question of a chat; null for one that is decided, undefined while the chat runs. */
async function questionOf(
  store: ChatStore,
  chat: HostedChat,
  { chat: id, question }: Notice,
  content: boolean,
): Promise<object | null | undefined> {
  if (chat.outcome) return null
  if (chat.state === 'running') return undefined
  const pending = pendingIn(await store.entries(id)).find((each) => each.id === question)
  return pending ? { type: 'chat.question', question: content ? pending : { id: question } } : null
}
