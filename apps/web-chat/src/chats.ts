import type { HostedChat } from '@x/interfaces'
import { readChats } from './chat-reader.ts'
import type { Change, ChatEntry, ChatKind, ChatPage } from './change.ts'
import type { ChatHost, TurnInput } from './chat-host.ts'
import { chatOf, kindOf, turnId, type ChatIds } from './chat-ids.ts'
import { Conversation } from './conversation.ts'

/** Milliseconds for which changes of chats are collected before they are looked at. */
const JOIN = 50

/** Milliseconds after which a chat is looked at whether or not a change was told: a message of the database may be lost. */
const LOOK = 1000

/** Most chats of the list, beside those that are open, and of a page of older ones. */
export const LISTED = 30

/** How chats stand that have not ended. */
const OPEN = ['waiting', 'running', 'suspended'] as const

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
  /** The chat behind which those are that were not read. */
  #older: string | null = null
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

  /** Reads the chats that were begun last, and those that are open; tells whether something has changed. */
  async open(): Promise<boolean> {
    const { host, at } = this.#options.host
    const { turns, older } = await readChats(at.store, null, LISTED)
    const before = this.#older
    this.#older = older
    let isNew = before !== older
    for (const turn of turns) isNew = this.#list(turn) || isNew
    const open = new Set<string>()
    for (const state of OPEN) for await (const { id } of host.list({ state })) open.add(chatOf(id))
    for (const id of open) isNew = (await this.#lookAt(id)) || isNew
    this.#forget()
    return isNew
  }

  /** The chats that changed last, and all that are open. */
  get list(): ChatPage {
    const entries = inOrder([...this.#listed.values()].map(({ entry }) => entry))
    return { chats: entries.filter(({ busy, asks }, index) => index < LISTED || busy || asks), older: this.#older }
  }

  /** Chats that were begun before one. */
  async older(than: string): Promise<ChatPage> {
    const { turns, older } = await readChats(this.#options.host.at.store, than, LISTED)
    const found = new Map<string, Listed>()
    for (const turn of turns) noteTurn(found, turn)
    return { chats: inOrder([...found.values()].map(({ entry }) => entry)), older }
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
    const [last] = this.list.chats
    if (!kind && last) return last.id
    const wanted = kind ?? this.#options.kind ?? 'assistant'
    const begun = this.#begun.get(wanted)
    if (begun) return begun
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
      this.#forget()
      if (isNew.includes(true)) this.#options.tell(null, { type: 'chats', ...this.list })
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
  #list(turn: HostedChat): boolean {
    const isNew = noteTurn(this.#listed, turn)
    for (const [kind, begun] of this.#begun) if (this.#listed.has(begun)) this.#begun.delete(kind)
    return isNew
  }

  /** Forgets the chats that are no longer listed. */
  #forget(): void {
    const listed = new Set(this.list.chats.map(({ id }) => id))
    for (const id of this.#listed.keys()) if (!listed.has(id)) this.#listed.delete(id)
  }
}

/** Notes how the turn of a chat stands; tells whether that is new. */
function noteTurn(listed: Map<string, Listed>, { id, input, state, submittedAt, endedAt }: HostedChat): boolean {
  const chat = chatOf(id)
  const kind = kindOf(chat)
  if (!kind) return false
  const known = listed.get(chat)
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
  listed.set(chat, { entry, turn })
  return JSON.stringify(known?.entry) !== JSON.stringify(entry)
}

/** The one that changed last comes first; of equals one that is open, and then the one that was begun last. */
const inOrder = (entries: readonly ChatEntry[]): ChatEntry[] =>
  entries.toSorted((a, b) => b.changed - a.changed || openness(b) - openness(a) || (a.id < b.id ? -1 : 1))

const openness = ({ busy, asks }: ChatEntry): number => Number(busy || asks)
