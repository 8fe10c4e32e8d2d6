import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { StudioInfo } from '../src/protocol.ts'
import { api } from './api.ts'
import { type ChatItem, shownItems, withLine } from './chat-items.ts'
import { prettyJson } from './format.ts'
import { Icon } from './icons.tsx'
import { CodeBlock, RichText } from './rich-text.tsx'
import { AgentName, Empty } from './shared.tsx'

/** Pixels from the end within which the talk stays at its end. */
const END_DISTANCE = 80

/** The chats with agents by their names, so that a person comes back to one from a run. */
export type KeptChats = Map<
  string,
  { readonly id: string; readonly items: readonly ChatItem[]; readonly runId: string | null }
>

/** A chat with an agent of the program; each turn is recorded as a run. */
export function ChatView({
  info,
  agent,
  kept,
}: {
  readonly info: StudioInfo
  readonly agent: string
  readonly kept: KeptChats
}): JSX.Element {
  const before = kept.get(agent)
  const [items, setItems] = useState<readonly ChatItem[]>(before?.items ?? [])
  const [runId, setRunId] = useState(before?.runId ?? null)
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  // `randomUUID` is there over TLS and on this machine alone.
  const chat = useRef(before?.id ?? crypto.getRandomValues(new Uint32Array(4)).join('-'))
  const stop = useRef<AbortController | null>(null)
  const talk = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (talk.current && isAtEnd.current) talk.current.scrollTop = talk.current.scrollHeight
    kept.set(agent, { id: chat.current, items, runId })
  }, [items, runId])
  useEffect(() => () => stop.current?.abort(), [])
  if (!info.agents.includes(agent)) {
    return (
      <Empty title="There is no agent to chat with">
        <p>
          Start the studio with <code>--program file.js</code>, a module that exports <code>agents</code>.
        </p>
      </Empty>
    )
  }
  const send = async (): Promise<void> => {
    const said = text.trim()
    if (said === '' || isBusy) return
    setText('')
    setBusy(true)
    isAtEnd.current = true
    setItems((before) => [...before, { kind: 'person', text: said }])
    stop.current = new AbortController()
    try {
      for await (const line of api.chat(agent, { chat: chat.current, text: said }, stop.current.signal)) {
        if (line.type === 'end') setRunId(line.runId)
        setItems((before) => withLine(before, line))
      }
    } catch (error) {
      const words = stop.current.signal.aborted ? 'Stopped.' : (error as Error).message
      setItems((before) => [...before, { kind: 'error', text: words }])
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="chat">
      <header>
        <h1>Chat</h1>
        <nav class="segments" aria-label="Agents">
          {info.agents.map((name) => (
            <a
              key={name}
              href={`#/chat/${encodeURIComponent(name)}`}
              aria-current={name === agent ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        {runId !== null && <a href={`#/runs/${encodeURIComponent(runId)}`}>Look at the last turn</a>}
      </header>
      <div
        ref={talk}
        class="talk"
        role="log"
        aria-live="polite"
        aria-label="Conversation"
        aria-busy={isBusy}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_DISTANCE
        }}
      >
        {items.length === 0 && (
          <Empty title={`Talk with ${agent}`}>
            <p>Each turn is recorded as a run, to be looked at and forked.</p>
          </Empty>
        )}
        {shownItems(items).map((item, index) => (
          <ItemView key={index} item={item} agents={info.agents} />
        ))}
      </div>
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <label>
          <span class="hidden">Message</span>
          <textarea
            rows={2}
            placeholder={`Message to ${agent}`}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
              event.preventDefault()
              void send()
            }}
          />
        </label>
        {isBusy ? (
          <button type="button" onClick={() => stop.current?.abort()}>
            <Icon name="stop" /> Stop
          </button>
        ) : (
          <button class="main" disabled={text.trim() === ''}>
            <Icon name="send" /> Send
          </button>
        )}
      </form>
    </div>
  )
}

function ItemView({ item, agents }: { readonly item: ChatItem; readonly agents: readonly string[] }): JSX.Element {
  switch (item.kind) {
    case 'person':
      return (
        <article class="said person">
          <RichText text={item.text} />
        </article>
      )
    case 'agent':
      return (
        <article class="said">
          <header>
            <AgentName agents={agents} agent={item.agent} /> <small>{item.model}</small>
          </header>
          <RichText text={item.text} />
        </article>
      )
    case 'tool':
      return (
        <details class="said tool">
          <summary>
            <Icon name="tool" /> <b>{item.name}</b> {item.output === null ? 'called' : 'done'}
          </summary>
          <CodeBlock code={prettyJson(item.input)} language="arguments" />
          {item.output !== null && <CodeBlock code={prettyJson(item.output)} language="result" />}
        </details>
      )
    case 'error':
      return <p class="banner bad">{item.text}</p>
  }
}
