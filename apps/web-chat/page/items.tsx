import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Item, QuestionItem, SpokenItem, ToolItem } from '../src/item.ts'
import { ApprovalForm } from './approval-form.tsx'
import { AgentName, CodeBlock, CopyButton, Icon, OutcomeMark, RichText, prettyJson } from './parts.ts'
import { Files } from './shown-files.tsx'

/** Posts to the chat; returns the answer, or null when it was refused. */
export type PostToChat = (path: string, body: object) => Promise<object | null>

/** Begins a chat with the turns before one of this chat, and does that turn anew: with another text, or again. */
export type ForkChat = (turn: number, text?: string) => void

interface ItemProps<I> {
  readonly item: I
  /** Names of the agents, in the order of their colours. */
  readonly members: readonly string[]
  readonly post: PostToChat
  readonly fork: ForkChat
}

/** A line of the chat. It is drawn again when its item is another one. */
export function ItemLine({
  item,
  members,
  post,
  fork,
  again,
}: ItemProps<Item> & { readonly again: number | undefined }): JSX.Element {
  return useMemo(() => {
    switch (item.kind) {
      case 'user':
        return <PersonLine item={item} fork={fork} />
      case 'assistant':
        return <AgentLine item={item} members={members} fork={fork} again={again} />
      case 'tool':
        return <ToolLine item={item} members={members} post={post} />
      case 'question':
        return <QuestionLine item={item} post={post} />
      case 'note':
        return <article class={item.failed ? 'note failed' : 'note'}>{item.text}</article>
    }
  }, [item, members, post, fork, again])
}

function PersonLine({ item, fork }: Pick<ItemProps<SpokenItem>, 'item' | 'fork'>): JSX.Element {
  const { text, silent, turn, files } = item
  const [isEdited, setEdited] = useState(false)
  const edit = useRef<HTMLButtonElement>(null)
  const wasEdited = useRef(false)
  useLayoutEffect(() => {
    if (wasEdited.current && !isEdited) edit.current?.focus()
    wasEdited.current = isEdited
  }, [isEdited])
  return (
    <article class={isEdited ? 'user edited' : 'user'}>
      <p class="head hidden">You</p>
      {isEdited && turn !== undefined ? (
        <Edit
          text={text}
          hasFiles={files !== undefined}
          send={(next) => fork(turn, next)}
          close={() => setEdited(false)}
        />
      ) : (
        (silent || text !== '') && <div class="bubble">{silent ? <i>stayed silent</i> : <Said text={text} />}</div>
      )}
      <Files files={files} />
      {!isEdited && turn !== undefined && (
        <div class="under">
          {text !== '' && <CopyButton text={text} />}
          <button ref={edit} type="button" class="quiet small" onClick={() => setEdited(true)}>
            <Icon name="fork" /> Edit
          </button>
        </div>
      )}
    </article>
  )
}

interface EditProps {
  readonly text: string
  readonly hasFiles: boolean
  readonly send: (text: string) => void
  readonly close: () => void
}

/** Changes what a person has said, which begins another chat. */
function Edit({ text, hasFiles, send, close }: EditProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current!.focus(), [])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const next = field.current!.value.trim()
        if (next) send(next)
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close()
      }}
    >
      <textarea ref={field} aria-label="Other words" rows={3} defaultValue={text} />
      <p class="hint">A new chat goes on from here{hasFiles && ', with the same files'}; this one stays as it is.</p>
      <div class="actions">
        <button class="main">Ask anew</button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** The turn that can be tried again behind a line; undefined if none. */
interface AgainProps {
  readonly again: number | undefined
  readonly fork: ForkChat
}

/** A button that does a turn again, in a chat of its own. */
export function Again({ again, fork }: AgainProps): JSX.Element | null {
  if (again === undefined) return null
  return (
    <button type="button" class="quiet small" onClick={() => fork(again)}>
      <Icon name="again" /> Try again
    </button>
  )
}

function AgentLine({
  item,
  members,
  ...turn
}: Pick<ItemProps<SpokenItem>, 'item' | 'members'> & AgainProps): JSX.Element {
  const { name, model, text, reasoning, files, live } = item
  return (
    // Screen readers read an answer when it is complete.
    <article class="assistant" aria-busy={live}>
      <p class="head">
        <AgentName agents={members} agent={name} /> {model !== undefined && <small class="model">{model}</small>}
      </p>
      {reasoning !== undefined && (
        <details class="reasoning">
          <summary>{live && text === '' ? 'Thinks …' : 'Reasoning'}</summary>
          <RichText text={reasoning} />
        </details>
      )}
      <Said text={text} />
      <Files files={files} />
      {!live && text !== '' && (
        <div class="under">
          <CopyButton text={text} />
          <Again {...turn} />
        </div>
      )}
    </article>
  )
}

const Said = ({ text }: { readonly text: string }): JSX.Element => (
  <div class="said">
    <RichText text={text} />
  </div>
)

function ToolLine({ item, members, post }: Omit<ItemProps<ToolItem>, 'fork'>): JSX.Element {
  const { by, name, state, approval, talk = [], result, files } = item
  if (approval !== undefined) {
    return (
      <article class="tool asking">
        <ApprovalForm
          key={approval}
          item={item}
          approval={approval}
          members={members}
          decide={(decision) => void post(`approvals/${approval}`, decision)}
        />
      </article>
    )
  }
  return (
    <article class="tool">
      <details open={state !== 'done'}>
        <summary>
          <Icon name={name === 'run_code' ? 'code' : 'tool'} /> <b>{name}</b> <AgentName agents={members} agent={by} />{' '}
          {state === 'called' ? (
            <small>called</small>
          ) : (
            <OutcomeMark outcome={state === 'running' ? 'running' : 'ok'} />
          )}
        </summary>
        <Given json={item.arguments} />
        {talk.map(({ name: speaker, text }, index) => (
          <div key={index} class="talk">
            <b>{speaker}</b>
            <Said text={text} />
          </div>
        ))}
        {result !== undefined && result !== '' && <CodeBlock code={prettyJson(result)} language="result" />}
      </details>
      <Files files={files} />
    </article>
  )
}

/** Shows the arguments of a call; a program among them as code. */
function Given({ json }: { readonly json: string }): JSX.Element {
  const given = useMemo(() => programIn(json), [json])
  if (given) return <CodeBlock code={given.code} language={given.language} />
  return <CodeBlock code={prettyJson(json)} language="arguments" />
}

function programIn(json: string): { readonly code: string; readonly language: string } | null {
  try {
    const { code, language, ...rest } = JSON.parse(json) as Readonly<Record<string, unknown>>
    if (typeof code !== 'string' || Object.keys(rest).length > 0) return null
    return { code, language: typeof language === 'string' ? language : 'code' }
  } catch {
    return null
  }
}

function QuestionLine({
  item: { id, text, answer },
  post,
}: Pick<ItemProps<QuestionItem>, 'item' | 'post'>): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  if (answer !== undefined) {
    return (
      <article class="question">
        {text} <b>{answer ?? '(withdrawn)'}</b>
      </article>
    )
  }
  return (
    <article class="question asking">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void post(`answers/${id}`, { text: field.current!.value })
        }}
      >
        <label for={`question-${id}`}>{text}</label>
        <div class="actions">
          <input ref={field} id={`question-${id}`} type="text" required />
          <button class="main">Answer</button>
        </div>
      </form>
    </article>
  )
}
