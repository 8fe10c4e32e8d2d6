import { randomBytes } from 'node:crypto'
import { rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { XError } from '@x/kernel'
import { listChats, type ChatSession } from '@x/session'
import type { Change, ChatEntry, ChatKind } from './change.ts'
import { Conversation } from './conversation.ts'
import type { Questions } from './questions.ts'

/** What a chat is opened with. */
export interface OpenedChat {
  /** Asks the person. */
  readonly questions: Questions
  readonly folder: string
  readonly kind: ChatKind
}

/** Options of the chats of a server. */
export interface ChatsOptions {
  /** Folder of the chats. */
  readonly folder: string
  readonly open: (chat: OpenedChat) => ChatSession
  /** Hears every change of a chat, and with null those of the list. */
  readonly tell: (id: string | null, change: Change) => void
  /** Kind of chats that are begun without one; default `assistant`. */
  readonly kind?: ChatKind | undefined
}

/** All chats in a folder. One is opened when somebody looks at it, and stays open. */
export class Chats {
  readonly #options: ChatsOptions
  readonly #open = new Map<string, Conversation>()
  readonly #entries: Map<string, ChatEntry>

  constructor(options: ChatsOptions) {
    this.#options = options
    const listed = listChats(options.folder).map(({ name: id, changed, title }): [string, ChatEntry] => {
      return [id, { id, kind: kindOf(id), title: title?.slice(0, 120) ?? null, changed, busy: false, asks: false }]
    })
    this.#entries = new Map(listed)
  }

  /** The chats that something was said in, the one that changed last first. */
  get list(): readonly ChatEntry[] {
    return [...this.#entries.values()].toSorted((a, b) => b.changed - a.changed || (a.id < b.id ? 1 : -1))
  }

  /** The chat of a name; undefined when there is none. */
  get(id: string): Conversation | undefined {
    return this.#open.get(id) ?? (this.#entries.has(id) ? this.#opened(id) : undefined)
  }

  /** Begins a chat of a kind, unless there is one in which nothing was said yet; without a kind, the last chat. */
  begin(kind?: ChatKind): Conversation {
    const [last] = this.list
    if (!kind && last) return this.get(last.id)!
    const wanted = kind ?? this.#options.kind ?? 'assistant'
    const empty = [...this.#open.values()].find((chat) => chat.kind === wanted && !this.#entries.has(chat.id))
    return empty ?? this.#opened(newName(wanted))
  }

  /** Stops every answer that is being written, and lets other processes open the chats. */
  async close(): Promise<void> {
    for (const [id, chat] of this.#open) {
      await chat.close()
      if (!this.#entries.has(id)) removeEmpty(join(this.#options.folder, id))
    }
  }

  #opened(id: string): Conversation {
    const { folder, open, tell } = this.#options
    const kind = kindOf(id)
    const chat: Conversation = new Conversation({
      id,
      kind,
      open: (questions) => open({ questions, folder: join(folder, id), kind }),
      tell: (change) => {
        tell(id, change)
        // A chat that goes on at once tells before it is there.
        if (change.type === 'state') queueMicrotask(() => this.#note(chat))
      },
    })
    this.#open.set(id, chat)
    return chat
  }

  /** Notes in the list how a chat stands. */
  #note({ id, kind, state: { title, busy }, asks }: Conversation): void {
    if (title === null) return
    const known = this.#entries.get(id)
    if (known && known.asks === asks && known.busy === busy && known.title === title) return
    this.#entries.set(id, { id, kind, title, changed: Date.now(), busy, asks })
    this.#options.tell(null, { type: 'chats', chats: this.list })
  }
}

const kindOf = (id: string): ChatKind => (id.endsWith('-group') ? 'group' : 'assistant')

function newName(kind: ChatKind): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '')
  return `${time}-${randomBytes(2).toString('hex')}${kind === 'group' ? '-group' : ''}`
}

/** Removes the folder of a chat in which nothing was said. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'ENOENT') return
    throw new XError('invalid-state', `could not remove the empty folder \`${folder}\`: ${String(code)}`, {
      cause: error,
    })
  }
}
