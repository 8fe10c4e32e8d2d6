import { type JSX, render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { StudioInfo } from '../src/protocol.ts'
import { api } from './api.ts'
import { ChatView, type KeptChats } from './chat-view.tsx'
import { CompareView } from './compare-view.tsx'
import { Icon } from './icons.tsx'
import { RunView } from './run-view.tsx'
import { RunsView } from './runs-view.tsx'
import { Empty } from './shared.tsx'
import { ThemeButton } from './theme.tsx'

/** Where the page is: its hash, as `#/runs/<id>?step=<id>`. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/u, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) }
}

/** Decodes a part of an address, which stays as it is if it was cut off. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const ROOMS: ReadonlySet<string> = new Set(['runs', 'compare', 'chat'])

function Page(): JSX.Element {
  const [route, setRoute] = useState(() => routeOf(location.hash))
  const [info, setInfo] = useState<StudioInfo | null>(null)
  const [error, setError] = useState('')
  const chats = useRef<KeptChats>(new Map())
  useEffect(() => {
    const onHash = (): void => setRoute(routeOf(location.hash))
    addEventListener('hashchange', onHash)
    api.info().then(
      (found) => {
        setInfo(found)
        document.title = found.title
      },
      (failure: Error) => setError(failure.message),
    )
    return () => removeEventListener('hashchange', onHash)
  }, [])
  const [room = 'runs', id] = route.path
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <TopBar info={info} room={id === undefined ? room : ''} />
      <main id="main" tabIndex={-1}>
        {error && (
          <p class="banner" role="alert">
            {error}
          </p>
        )}
        {room === 'runs' && id !== undefined && <RunView key={id} runId={id} query={route.query} info={info} />}
        {room === 'runs' && id === undefined && <RunsView query={route.query} />}
        {room === 'compare' && <CompareView key={location.hash} runIds={route.path.slice(1)} />}
        {!ROOMS.has(room) && (
          <Empty title="There is no such page">
            <a href="#/runs">All runs</a>
          </Empty>
        )}
        {room === 'chat' && info && (
          <ChatView key={id} info={info} agent={id ?? info.agents[0] ?? ''} kept={chats.current} />
        )}
      </main>
    </>
  )
}

function focusMain(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}

function TopBar({ info, room }: { readonly info: StudioInfo | null; readonly room: string }): JSX.Element {
  return (
    <header class="top">
      <a class="brand" href="#/runs">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="9" />
          <path d="M8 11h10M8 16h16M14 21h10" />
        </svg>
        <b>studio</b>
        {info && info.title !== 'studio' && <span class="file">{info.title}</span>}
      </a>
      <nav aria-label="Pages">
        <a href="#/runs" aria-current={room === 'runs' ? 'page' : undefined}>
          Runs
        </a>
        {info && info.agents.length > 0 && (
          <a href="#/chat" aria-current={room === 'chat' ? 'page' : undefined}>
            <Icon name="chat" /> Chat
          </a>
        )}
      </nav>
      <ThemeButton />
    </header>
  )
}

render(<Page />, document.querySelector('#page')!)
