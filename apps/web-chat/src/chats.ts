import type { HostedChat } from '@x/interfaces'
import type { Change, ChatEntry, ChatKind } from './change.ts'
import type { ChatHost, TurnInput } from './chat-host.ts'
import { chatOf, kindOf, turnId, type ChatIds } from './chat-ids.ts'
import { Conversation } from './conversation.ts'

/** Milliseconds for which changes of chats are collected before they are looked at. */
const JOIN = 50

/** Milliseconds after which a chat is looked at whether or not a change was told: a message of the database may be lost. */
const LOOK = 1000

/** Options of the chats of a server. */
export interface ChatsOptions {
  readonly host: ChatHost
  readonly ids: ChatIds
  /** Hears every change of a chat, and with null those of the list. */
  readonly tell: (id: string | null, change: Change) => void
  /** Kind of chats that are begun without one; default `assistant`. */
  readonly kind?: ChatKind | undefined
}

/** A conversation in use; disposing of it lets it go. */
export interface UsedConversation extends Disposable {
  readonly chat: Conversation
}

/** An entry of the list, and its last turn as far as it is known. */
interface Listed {
  entry: ChatEntry
  turn: number
}

/** All chats of a host. One is read as long as somebody uses it. */
export class Chats {
  readonly #options: ChatsOptions
  readonly #used = new Map<string, { readonly chat: Conversation; users: number }>()
  readonly #listed = new Map<string, Listed>()
  /** The chats that were begun last. */
  readonly #begun = new Map<ChatKind, string>()
  readonly #changed = new Set<string>()
  #anyChanged = false
  readonly #unwatch: () => void
  readonly #clock: NodeJS.Timeout
  #collecting: NodeJS.Timeout | undefined

  constructor(options: ChatsOptions) {
    this.#options = options
    this.#unwatch = options.host.at.watch((turn) => this.#note(turn === null ? null : [chatOf(turn)]))
    this.#clock = setInterval(() => this.#note(this.#used.keys()), LOOK).unref()
  }

  /** Reads the list of the chats that are there; tells whether it is another. */
  async open(): Promise<boolean> {
    let isNew = false
    for await (const turn of this.#options.host.host.list()) isNew = this.#list(turn) || isNew
    return isNew
  }

  /** The chats that something was said in, the one that changed last first. */
  get list(): readonly ChatEntry[] {
    const entries = [...this.#listed.values()].map(({ entry }) => entry)
    return entries.toSorted((a, b) => b.changed - a.changed || (a.id < b.id ? 1 : -1))
  }

  /** The chat of an identifier, read up to now; undefined when there is none. */
  async use(id: string): Promise<UsedConversation | undefined> {
    if (!this.#used.has(id) && !(await this.#exists(id))) return undefined
    const { host, tell } = this.#options
    const known = this.#used.get(id)
    const used = known ?? { chat: new Conversation({ id, host, tell: (change) => tell(id, change) }), users: 0 }
    this.#used.set(id, used)
    used.users++
    let isUsed = true
    const release = (): void => {
      if (!isUsed) return
      isUsed = false
      if (--used.users > 0) return
      this.#used.delete(id)
      void used.chat.close()
    }
    await used.chat.ready
    return { chat: used.chat, [Symbol.dispose]: release }
  }

  /** The identifier of a chat of a kind in which nothing was said yet; without a kind, that of the last chat. */
  begin(kind?: ChatKind): string {
    const [last] = this.list
    if (!kind && last) return last.id
    const wanted = kind ?? this.#options.kind ?? 'assistant'
    const begun = this.#begun.get(wanted)
    if (begun && !this.#listed.has(begun)) return begun
    const id = this.#options.ids.create(wanted)
    this.#begun.set(wanted, id)
    return id
  }

  /** Ends the reading. */
  async close(): Promise<void> {
    this.#unwatch()
    clearInterval(this.#clock)
    clearTimeout(this.#collecting)
    await Promise.all([...this.#used.values()].map(({ chat }) => chat.close()))
  }

  async #exists(id: string): Promise<boolean> {
    if (kindOf(id) === undefined) return false
    return this.#options.ids.isOwn(id) || (await this.#options.host.host.get(turnId(id, 0))) !== null
  }

  /** Notes that chats may have changed; null: any. */
  #note(chats: Iterable<string> | null): void {
    this.#anyChanged ||= chats === null
    for (const chat of chats ?? this.#used.keys()) this.#changed.add(chat)
    this.#collecting ??= setTimeout(() => void this.#look(), JOIN).unref()
  }

  async #look(): Promise<void> {
    const [changed, any] = [[...this.#changed], this.#anyChanged]
    this.#changed.clear()
    this.#anyChanged = false
    for (const id of changed) this.#used.get(id)?.chat.changed()
    try {
      const isNew = await Promise.all([any && this.open(), ...changed.map((id) => this.#lookAt(id))])
      if (isNew.includes(true)) this.#options.tell(null, { type: 'chats', chats: this.list })
    } catch (error) {
      this.#anyChanged = true
      process.emitWarning(`the list of chats could not be read: ${String(error)}`)
    }
    this.#collecting = undefined
    if (this.#changed.size > 0 || this.#anyChanged) this.#note([])
  }

  async #lookAt(id: string): Promise<boolean> {
    const { host } = this.#options.host
    let isNew = false
    for (let turn = this.#listed.get(id)?.turn ?? 0; ; turn++) {
      const found = await host.get(turnId(id, turn))
      if (!found) return isNew
      isNew = this.#list(found) || isNew
    }
  }

  /** Notes in the list how a turn stands; tells whether that is new. */
  #list({ id, input, state, submittedAt, endedAt }: HostedChat): boolean {
    const chat = chatOf(id)
    const kind = kindOf(chat)
    if (!kind) return false
    const known = this.#listed.get(chat)
    const { text, turn } = input as TurnInput
    if (known && known.turn > turn) return false
    const entry: ChatEntry = {
      id: chat,
      kind,
      title: known?.entry.title ?? text.slice(0, 120),
      changed: endedAt ?? submittedAt,
      busy: state === 'waiting' || state === 'running',
      asks: state === 'suspended',
    }
    this.#listed.set(chat, { entry, turn })
    return JSON.stringify(known?.entry) !== JSON.stringify(entry)
  }
}
