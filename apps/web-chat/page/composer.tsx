import type { JSX } from 'preact'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Ref } from 'preact'
import type { ChatState } from '../src/change.ts'
import { AttachedFiles, DropTarget, type DraftFile, useAttachments } from './attachments.tsx'
import type { PostToChat } from './items.tsx'
import { Icon } from './parts.ts'

/** What the rest of the page may do with the composer. */
export interface ComposerHandle {
  focus(): void
  /** Sends a text in place of what is being written. */
  say(text: string): void
}

interface ComposerProps {
  /** The chat; empty until it is known. */
  readonly chat: string
  /** State of the chat; null until the server has sent it. */
  readonly state: ChatState | null
  readonly post: PostToChat
  /** Shows a line about what has just gone wrong; an empty one takes it away. */
  readonly report: (line: string) => void
  readonly handle: Ref<ComposerHandle>
}

/** True while the person has to decide on a call before anything else can be said. */
export const waitsForDecision = (state: ChatState | null): boolean =>
  state !== null && state.waiting && !state.busy && state.turn === null

/**
 * The input box. It keeps a draft for each chat, also over a reload. A message that is sent before the state of the chat is
 * known waits for that state.
 */
export function Composer({ chat, state, post, report, handle }: ComposerProps): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const shownChat = useRef('')
  const shownTurn = useRef<string | null>(null)
  /** True if the draft is to be sent as soon as the state of the chat is known. */
  const sends = useRef(false)
  const picker = useRef<HTMLInputElement>(null)
  const [isSending, setSending] = useState(false)
  const turn = state?.turn ?? null
  const attached = useAttachments(chat, report)
  const files = turn === null ? attached.files : []
  const busy = state?.busy ?? false
  const waits = waitsForDecision(state)

  const keep = (): void => {
    sessionStorage.setItem(`draft ${chat}`, box.current!.value)
    fit(box.current!)
  }
  /** Posts a text; clears the box if it had that text, and the chat is still shown. */
  const send = async (path: string, text: string, given: readonly DraftFile[] = []): Promise<boolean> => {
    const sent = given.map(({ name, data }) => ({ name, data }))
    setSending(true)
    const isTaken = await post(path, { text, ...(sent.length > 0 && { files: sent }) })
    setSending(false)
    if (!isTaken) return false
    attached.remove(given)
    if (sessionStorage.getItem(`draft ${chat}`)?.trim() !== text) return true
    sessionStorage.removeItem(`draft ${chat}`)
    if (chat === shownChat.current) box.current!.value = ''
    fit(box.current!)
    return true
  }
  const say = async (text: string, given: readonly DraftFile[] = []): Promise<void> => {
    if (state === null) sends.current = true
    else if (turn !== null) {
      if (await send(`answers/${turn}`, text)) box.current!.focus()
    } else if (!busy && !waits) await send('messages', text, given)
  }
  const submit = (): void => {
    const text = box.current!.value.trim()
    if ((text || files.length > 0) && !isSending) void say(text, files)
  }
  const attach = (given: Iterable<File>): void => {
    if (turn === null) attached.add(given)
    else report('Files go with a message that begins a turn, not into one.')
  }
  useImperativeHandle(handle, () => ({ focus: () => box.current!.focus(), say: (text) => void say(text) }))
  useLayoutEffect(() => {
    // Text that was written before the first chat was known belongs to that chat.
    const written = shownChat.current ? '' : box.current!.value
    if (shownChat.current) sends.current = false
    shownChat.current = chat
    box.current!.value = written || (sessionStorage.getItem(`draft ${chat}`) ?? '')
    keep()
  }, [chat])
  useEffect(() => box.current!.focus(), [])
  useEffect(() => {
    const began = turn !== null && turn !== shownTurn.current
    shownTurn.current = turn
    if (began && document.activeElement === document.body) box.current!.focus()
    if (state === null || !sends.current) return
    sends.current = false
    submit()
  }, [state])

  return (
    <form
      ref={form}
      id="form"
      class={turn === null ? 'composer' : 'composer turn'}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <DropTarget add={attach} />
      <AttachedFiles
        files={files}
        remove={(file) => {
          attached.remove([file])
          box.current!.focus()
        }}
      />
      {turn === null && (
        <>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={({ currentTarget }) => {
              attach([...(currentTarget.files ?? [])])
              // The same file can be chosen again.
              currentTarget.value = ''
            }}
          />
          <button
            type="button"
            class="quiet square"
            aria-label="Attach files"
            title="Attach files"
            onClick={() => picker.current!.click()}
          >
            <Icon name="attach" />
          </button>
        </>
      )}
      <label for="text" class="hidden">
        Message
      </label>
      <textarea
        ref={box}
        id="text"
        rows={1}
        aria-describedby="next"
        placeholder={turn === null ? 'Write a message' : 'Say something, or stay silent'}
        onInput={keep}
        onPaste={(event) => {
          const pasted = event.clipboardData?.files ?? []
          if (pasted.length === 0) return
          event.preventDefault()
          attach(pasted)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          form.current!.requestSubmit()
        }}
      />
      <div class="actions">
        {turn !== null && (
          <button type="button" onClick={() => void send(`answers/${turn}`, '')}>
            Stay silent
          </button>
        )}
        {busy && (
          <button type="button" onClick={() => void post('stop', {})}>
            <Icon name="stop" /> Stop
          </button>
        )}
        {(!busy || turn !== null) && (
          <button class="main" disabled={waits || isSending}>
            <Icon name="send" /> Send
          </button>
        )}
      </div>
    </form>
  )
}

/** Makes the box as high as its text, up to a third of the page. */
function fit(box: HTMLTextAreaElement): void {
  box.style.height = 'auto'
  box.style.height = `${Math.min(box.scrollHeight + 2, innerHeight / 3)}px`
}
