import type { HostedChat } from '@x/interfaces'
import { readChats } from './chat-reader.ts'
import type { Change, ChatEntry, ChatKind, ChatPage } from './change.ts'
import { titleOf, type ChatHost, type TurnInput } from './chat-host.ts'
import { chatOf, kindOf, turnId, type ChatIds } from './chat-ids.ts'
import { Conversation } from './conversation.ts'
import { forkTurns } from './fork-turns.ts'
import type { KeptFile } from './kept-files.ts'

/** Time for which changes of chats are collected before they are read. */
const COLLECT_DELAY_MS = 50

/** Interval at which chats in use are polled, because a notification of the database may be lost. */
const POLL_INTERVAL_MS = 1000

/** Most chats of the list, beside those that are open, and of a page of older ones. */
export const MAX_LISTED_CHATS = 30

/** States of turns that have not ended. */
const OPEN_STATES = ['waiting', 'waiting-to-retry', 'running', 'suspended'] as const

/** Options of the chats of a server. */
export interface ChatsOptions {
  readonly host: ChatHost
  readonly ids: ChatIds
  /** Called with every change of a chat, and with null and every change of the list. */
  readonly tell: (id: string | null, change: Change) => void
  /** Kind of new chats, unless a page names one; default `assistant`. */
  readonly kind?: ChatKind | undefined
}

/** A conversation in use, until it is disposed of. */
export interface UsedConversation extends Disposable {
  readonly chat: Conversation
}

/** An entry of the list, and its last known turn. */
interface Listed {
  entry: ChatEntry
  turn: number
  /** True if the title is that of the chat's own words, and not of a turn that it has from another one. */
  isTitled: boolean
}

/** All chats of a host. A chat is read as long as somebody uses it. */
export class Chats {
  readonly #options: ChatsOptions
  readonly #used = new Map<string, { readonly chat: Conversation; users: number }>()
  readonly #listed = new Map<string, Listed>()
  /** The chat after which chats were not read. */
  #older: string | null = null
  /** The chat of pages that come while there are no chats. */
  #first: string | undefined
  readonly #changed = new Set<string>()
  #anyChanged = false
  readonly #unwatch: () => void
  readonly #pollTimer: NodeJS.Timeout
  #collectTimer: NodeJS.Timeout | undefined

  constructor(options: ChatsOptions) {
    this.#options = options
    this.#unwatch = options.host.at.watch((turn) => this.#note(turn === null ? null : [chatOf(turn)]))
    this.#pollTimer = setInterval(() => this.#note(this.#used.keys()), POLL_INTERVAL_MS).unref()
  }

  /** Reads the newest chats, and those that are open; returns true if something has changed. */
  async open(): Promise<boolean> {
    const { host, at } = this.#options.host
    const { turns, older } = await readChats(at.store, null, MAX_LISTED_CHATS)
    const before = this.#older
    this.#older = older
    let isNew = before !== older
    for (const turn of turns) isNew = noteTurn(this.#listed, turn) || isNew
    const open = new Set<string>()
    for (const state of OPEN_STATES) for await (const { id } of host.list({ state })) open.add(chatOf(id))
    for (const id of open) isNew = (await this.#readTurns(id)) || isNew
    this.#dropUnlisted()
    return isNew
  }

  /** The most recently changed chats, and all that are open. */
  get list(): ChatPage {
    const entries = sortEntries([...this.#listed.values()].map(({ entry }) => entry))
    return {
      chats: entries.filter(({ busy, asks }, index) => index < MAX_LISTED_CHATS || busy || asks),
      older: this.#older,
    }
  }

  /** Returns the chats before one. */
  async older(than: string): Promise<ChatPage> {
    const { turns, older } = await readChats(this.#options.host.at.store, than, MAX_LISTED_CHATS)
    const listed = new Map<string, Listed>()
    for (const turn of turns) noteTurn(listed, turn)
    return { chats: sortEntries([...listed.values()].map(({ entry }) => entry)), older }
  }

  /** Returns a chat, read up to now; undefined when it does not exist. */
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

  /** Returns the identifier of a new chat of a kind; without a kind that of the last chat, or else the same one for all pages. */
  begin(kind?: ChatKind): string {
    const [last] = this.list.chats
    if (!kind && last) return last.id
    if (kind) return this.#options.ids.create(kind)
    return (this.#first ??= this.#options.ids.create(this.#options.kind ?? 'assistant'))
  }

  /**
   * Begins a chat that has the turns of another one before a turn, and goes on with that turn: with another text of the person, or
   * as it was. Returns its identifier; the other chat stays.
   */
  async fork(id: string, turn: number, text: string | undefined): Promise<string> {
    const to = this.#options.ids.create(kindOf(id)!)
    await forkTurns(this.#options.host, { from: id, to, turn, text })
    this.#note([to])
    return to
  }

  /** Returns a file that the person has given in a chat; undefined if there is none. */
  async file(id: string, file: string): Promise<KeptFile | undefined> {
    return await this.#options.host.files.read(id, file)
  }

  /** Stops reading. */
  async close(): Promise<void> {
    this.#unwatch()
    clearInterval(this.#pollTimer)
    clearTimeout(this.#collectTimer)
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
    this.#collectTimer ??= setTimeout(() => void this.#readChanged(), COLLECT_DELAY_MS).unref()
  }

  async #readChanged(): Promise<void> {
    const [changed, any] = [[...this.#changed], this.#anyChanged]
    this.#changed.clear()
    this.#anyChanged = false
    for (const id of changed) this.#used.get(id)?.chat.changed()
    try {
      const isNew = await Promise.all([any && this.open(), ...changed.map((id) => this.#readTurns(id))])
      this.#dropUnlisted()
      if (isNew.includes(true)) this.#options.tell(null, { type: 'chats', ...this.list })
    } catch (error) {
      this.#anyChanged = true
      process.emitWarning(`the list of chats could not be read: ${String(error)}`)
    }
    this.#collectTimer = undefined
    if (this.#changed.size > 0 || this.#anyChanged) this.#note([])
  }

  async #readTurns(id: string): Promise<boolean> {
    const { host } = this.#options.host
    let isNew = false
    for (let turn = this.#listed.get(id)?.turn ?? 0; ; turn++) {
      const next = await host.get(turnId(id, turn))
      if (!next) return isNew
      isNew = noteTurn(this.#listed, next) || isNew
    }
  }

  /** Drops the chats that are no longer listed. */
  #dropUnlisted(): void {
    const listed = new Set(this.list.chats.map(({ id }) => id))
    for (const id of this.#listed.keys()) if (!listed.has(id)) this.#listed.delete(id)
  }
}

/** Updates the entry of a chat by the state of a turn; returns true if the entry changed. */
function noteTurn(listed: Map<string, Listed>, { id, input, state, submittedAt, endedAt }: HostedChat): boolean {
  const chat = chatOf(id)
  const kind = kindOf(chat)
  if (!kind) return false
  const known = listed.get(chat)
  const { turn, origin } = input as TurnInput
  if (known && known.turn > turn) return false
  const entry: ChatEntry = {
    id: chat,
    kind,
    title: known?.isTitled ? known.entry.title : titleOf(input as TurnInput),
    changed: endedAt ?? submittedAt,
    busy: state === 'waiting' || state === 'waiting-to-retry' || state === 'running',
    asks: state === 'suspended',
  }
  listed.set(chat, { entry, turn, isTitled: known?.isTitled || origin === undefined })
  return JSON.stringify(known?.entry) !== JSON.stringify(entry)
}

/** Sorts the most recently changed chats first; then open ones, then the newest. */
const sortEntries = (entries: readonly ChatEntry[]): ChatEntry[] =>
  entries.toSorted((a, b) => b.changed - a.changed || openness(b) - openness(a) || (a.id < b.id ? -1 : 1))

const openness = ({ busy, asks }: ChatEntry): number => Number(busy || asks)
