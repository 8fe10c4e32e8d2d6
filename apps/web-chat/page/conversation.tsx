import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ChatState } from '../src/change.ts'
import type { Item } from '../src/item.ts'
import { Again, type ForkChat, ItemLine, type PostToChat } from './items.tsx'
import { SUGGESTIONS } from './words.ts'

/** Pixels from the end within which the list stays at its end. */
const END_DISTANCE = 80

interface ConversationProps {
  readonly items: readonly Item[]
  readonly state: ChatState | null
  readonly post: PostToChat
  readonly fork: ForkChat
  readonly say: (text: string) => void
}

const NOBODY: readonly string[] = []

/** The lines of a chat, or what may be said first. It stays at its end if it was there. */
export function Conversation({ items, state, post, fork, say }: ConversationProps): JSX.Element {
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  // The names stay the same while the rest of the state changes, and so do the lines.
  const members = useRef(NOBODY)
  if (members.current.join() !== (state?.members ?? NOBODY).join()) members.current = state?.members ?? NOBODY
  const again = state && !state.busy && !state.waiting && state.turn === null ? turnOf(items) : undefined
  const hadFocus = log.current?.contains(document.activeElement)
  useLayoutEffect(() => {
    // The form in which a person was may be gone: its question was answered, here or in another page.
    if (hadFocus && document.activeElement === document.body) document.querySelector<HTMLElement>('#text')!.focus()
    if (isAtEnd.current) log.current!.scrollTop = log.current!.scrollHeight
  }, [items])
  return (
    <>
      {state && items.length === 0 && (
        <div class="begin">
          <h2>{state.kind === 'group' ? 'A group of five, and you are one of them' : 'What shall we do?'}</h2>
          <p>
            {state.kind === 'group'
              ? 'Say what you need; the others talk, and ask you when it is your turn.'
              : 'Ask something, or begin with one of these.'}
          </p>
          <ul class="suggestions">
            {SUGGESTIONS[state.kind].map((text) => (
              <li key={text}>
                <button type="button" onClick={() => say(text)}>
                  {text}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div
        ref={log}
        id="items"
        role="log"
        aria-live="polite"
        aria-label="Conversation"
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_DISTANCE
        }}
      >
        {items.map((item, index) => (
          <ItemLine
            key={index}
            item={item}
            members={members.current}
            post={post}
            fork={fork}
            again={index === items.length - 1 ? again : undefined}
          />
        ))}
        {again !== undefined && items.at(-1)?.kind !== 'assistant' && (
          <p class="under">
            <Again again={again} fork={fork} />
          </p>
        )}
      </div>
    </>
  )
}

/** Number of the last turn; undefined before the first one. */
function turnOf(items: readonly Item[]): number | undefined {
  for (const item of items.toReversed()) if (item.kind === 'user' && item.turn !== undefined) return item.turn
  return undefined
}
