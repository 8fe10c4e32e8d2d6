import { type JSX, render } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ChatKind, ChatPage, ChatState } from '../src/change.ts'
import { ChatList } from './chat-list.tsx'
import { isLive, listIn, UNKNOWN_CHAT, withChanges } from './chat-lines.ts'
import { Composer, type ComposerHandle } from './composer.tsx'
import { Connection, type Refusal } from './connection.ts'
import { Conversation } from './conversation.tsx'
import type { ForkChat, PostToChat } from './items.tsx'
import { Refused } from './refused.tsx'
import { LoadFile } from './shown-files.tsx'
import { leftText, nextText, spentText, titleOf } from './words.ts'
import { Icon, ThemeButton } from './parts.ts'

const chatInAddress = (): string => /^\/chats\/([\w-]+)$/u.exec(location.pathname)?.[1] ?? ''

function Page(): JSX.Element {
  const [status, setStatus] = useState('')
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [chat, setChat] = useState(chatInAddress)
  const [shown, setShown] = useState(UNKNOWN_CHAT)
  const [list, setList] = useState<ChatPage | null>(null)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const composer = useRef<ComposerHandle>(null)
  const menu = useRef<HTMLButtonElement>(null)
  const connection = useMemo(() => new Connection({ say: setStatus, refuse: setRefusal }), [])
  const post = useCallback<PostToChat>(
    async (path, body) => await connection.post(`/chats/${chat}/${path}`, body),
    [chat],
  )
  const load = useCallback(async (path: string) => await connection.load(path), [])
  const fork = useCallback<ForkChat>(
    (turn, text) => {
      void connection.post<{ readonly id: string }>(`/chats/${chat}/forks`, { turn, text }).then((begun) => {
        if (begun) open(begun.id)
      })
    },
    [chat],
  )
  const open = (id: string): void => {
    if (id !== chatInAddress()) history.pushState(null, '', connection.addressOf(id))
    setChat(id)
    setMenuOpen(false)
  }
  const begin = async (kind?: ChatKind): Promise<void> => {
    const begun = await connection.post<{ readonly id: string }>('/chats', { ...(kind && { kind }) })
    if (begun) open(begun.id)
    composer.current?.focus()
  }

  useEffect(() => {
    const onPopState = (): void => setChat(chatInAddress())
    // Another address of this chat has another token.
    const onHashChange = (): void => location.reload()
    addEventListener('popstate', onPopState)
    addEventListener('hashchange', onHashChange)
    if (!chat) {
      void connection.post<{ readonly id: string }>('/chats', {}).then((begun) => {
        if (!begun) return
        history.replaceState(null, '', connection.addressOf(begun.id))
        setChat(begun.id)
      })
    }
  }, [])
  useLayoutEffect(() => {
    setShown(UNKNOWN_CHAT)
    setRefusal(null)
    if (!chat) return
    return connection.watch(chat, (changes) => {
      setShown((before) => withChanges(before, changes))
      const told = listIn(changes)
      if (told) setList(told)
    })
  }, [chat])
  useEffect(() => {
    if (!isMenuOpen) return
    document.querySelector<HTMLElement>('#chats button')?.focus()
    const close = (event: Event): void => {
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return
        menu.current?.focus()
      } else if ((event.target as Element).closest('#chats, #menu')) return
      setMenuOpen(false)
    }
    document.addEventListener('click', close)
    document.addEventListener('keydown', close)
    return () => {
      document.removeEventListener('click', close)
      document.removeEventListener('keydown', close)
    }
  }, [isMenuOpen])
  const { items, state } = shown
  const title = state ? titleOf(state) : 'New chat'
  useEffect(() => {
    document.title = `${state && (state.turn !== null || state.waiting) ? '● ' : ''}${title} – Chat`
  }, [state])

  return (
    <>
      {refusal === null && (
        <a class="skip" href="#text" onClick={(event) => (event.preventDefault(), composer.current?.focus())}>
          Skip to the message
        </a>
      )}
      <header class="top">
        <button
          ref={menu}
          id="menu"
          type="button"
          class="quiet square"
          aria-controls="chats"
          aria-expanded={isMenuOpen}
          aria-label="Chats"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" />
        </button>
        <img class="logo" src="/icon.svg" alt="" />
        <div class="about">
          <h1 id="title">{title}</h1>
          <p id="members">{state?.kind === 'group' ? `You, ${state.members.join(', ')}` : ''}</p>
        </div>
        <Usage state={state} />
        <ThemeButton />
      </header>
      <ChatList connection={connection} current={chat} page={list} open={open} begin={(kind) => void begin(kind)} />
      {refusal === null ? (
        <>
          <main>
            <LoadFile.Provider value={load}>
              <Conversation
                key={chat}
                items={items}
                state={state}
                post={post}
                fork={fork}
                say={(text) => composer.current?.say(text)}
              />
            </LoadFile.Provider>
          </main>
          <footer>
            <p id="next" aria-live="polite">
              {nextText(state, isLive(items))}
            </p>
            <p id="status" role="status">
              {status}
            </p>
            <Composer chat={chat} state={state} post={post} report={setStatus} handle={composer} />
          </footer>
        </>
      ) : (
        <main>
          <Refused why={refusal} begin={() => void begin('assistant')} />
        </main>
      )}
    </>
  )
}

/** Models, tokens and cost of the chat so far, and what is left of the budgets. */
function Usage({ state }: { readonly state: ChatState | null }): JSX.Element {
  const left = state ? leftText(state.left) : ''
  return (
    <p id="usage">
      {state &&
        [
          ...(state.usage.models.length > 0 ? [state.usage.models.join(', '), spentText(state.usage)] : []),
          ...(left ? [left] : []),
        ].join(' · ')}
    </p>
  )
}

render(<Page />, document.querySelector('#page')!)
