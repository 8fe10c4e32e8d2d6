import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ChatEntry, ChatKind, ChatPage } from '../src/change.ts'
import type { Connection } from './connection.ts'

interface ChatListProps {
  readonly connection: Connection
  /** The chat that is shown. */
  readonly current: string
  /** What the server has told last; null before. */
  readonly page: ChatPage | null
  readonly open: (id: string) => void
  readonly begin: (kind: ChatKind) => void
}

/** The list of chats: the most recently changed ones, and older ones on request. */
export function ChatList({ connection, current, page, open, begin }: ChatListProps): JSX.Element {
  const [known, setKnown] = useState<ReadonlyMap<string, ChatEntry>>(new Map())
  /** The chat after which older ones are read; undefined until the person requests some. */
  const [older, setOlder] = useState<string | null | undefined>(undefined)
  useEffect(() => {
    if (page) setKnown((before) => new Map([...before, ...page.chats.map((chat) => [chat.id, chat] as const)]))
  }, [page])
  const after = older === undefined ? (page?.older ?? null) : older
  const showOlder = async (): Promise<void> => {
    const found = await connection.post<ChatPage>('/older-chats', { after })
    if (!found) return
    // Chats that are known already are newer.
    setKnown((before) => new Map([...found.chats.map((chat) => [chat.id, chat] as const), ...before]))
    setOlder(found.older)
  }
  const chats = [...known.values()].sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1))
  return (
    <nav id="chats" aria-label="Chats">
      <div class="new">
        <button type="button" onClick={() => begin('assistant')}>
          New chat
        </button>
        <button type="button" onClick={() => begin('group')}>
          New group
        </button>
      </div>
      <ul id="list">
        {chats.map((chat) => (
          <li key={chat.id}>
            <ChatLink chat={chat} href={connection.addressOf(chat.id)} isCurrent={chat.id === current} open={open} />
          </li>
        ))}
      </ul>
      {after !== null && (
        <button type="button" class="quiet" onClick={() => void showOlder()}>
          Older chats
        </button>
      )}
    </nav>
  )
}

interface ChatLinkProps {
  readonly chat: ChatEntry
  readonly href: string
  readonly isCurrent: boolean
  readonly open: (id: string) => void
}

function ChatLink({ chat, href, isCurrent, open }: ChatLinkProps): JSX.Element {
  const { id, kind, title, changed, busy, asks } = chat
  const when = new Date(changed).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' })
  return (
    <a
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        open(id)
      }}
    >
      <span class="name">{title ?? 'New chat'}</span>
      <small class={asks ? 'asks' : ''}>
        {kind === 'group' ? 'Group · ' : ''}
        {asks ? 'asks you' : busy ? 'is being answered' : when}
      </small>
    </a>
  )
}
