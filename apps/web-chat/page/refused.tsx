import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { Refusal } from './connection.ts'
import { Empty } from './parts.ts'

/** Says why nothing is shown, and what helps. */
export function Refused({ why, begin }: { readonly why: Refusal; readonly begin: () => void }): JSX.Element {
  if (why === 'token') return <Token />
  if (why === 'missing') {
    return (
      <Empty title="There is no such chat">
        <p>It was deleted, or the address is not whole.</p>
        <button type="button" class="main" onClick={begin}>
          Begin a new chat
        </button>
      </Empty>
    )
  }
  return (
    <Empty title="The server has no room for this page">
      <p>Too many pages watch chats: close one of them, then try again.</p>
      <button type="button" class="main" onClick={() => location.reload()}>
        Try again
      </button>
    </Empty>
  )
}

/** Asks for the address that the server has printed, and takes its token. */
function Token(): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  return (
    <Empty title="This address is no longer let in">
      <p>The server was started anew, and each start has its own token. Paste the address that it has printed.</p>
      <form
        class="token"
        onSubmit={(event) => {
          event.preventDefault()
          const token = field.current!.value.trim().replace(/^.*#/u, '')
          // The page reads the token at its start.
          if (`#${token}` === location.hash) location.reload()
          else location.hash = token
        }}
      >
        <label for="token" class="hidden">
          Address or token
        </label>
        <input ref={field} id="token" type="text" required autocomplete="off" placeholder="http://127.0.0.1:…/#…" />
        <button class="main">Open</button>
      </form>
    </Empty>
  )
}
