import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ActionToApprove } from '@x/interfaces'
import type { AskedModel, StepDetail, StepRow, StudioInfo } from '../src/protocol.ts'
import { api } from './api.ts'
import { compareHash, dollarsText, durationText, momentText, piecesOf, prettyJson, visibleText } from './format.ts'
import { Icon } from './icons.tsx'
import { Message, Parts, TextDifference, wordsOf } from './messages.tsx'
import { CodeBlock, RichText } from './rich-text.tsx'
import { AgentName, CopyButton, OutcomeMark } from './shared.tsx'
import { headOf } from './step-list.tsx'
import { ThoughtTree } from './thought-tree.tsx'

interface StepProps {
  readonly runId: string
  readonly row: StepRow
  readonly agents: readonly string[]
  readonly studio: StudioInfo | null
  readonly reload: () => void
}

const KIND_WORDS: Readonly<Record<StepRow['kind'], string>> = {
  chat: 'chat',
  reply: 'reply',
  answer: 'answer',
  modelCall: 'model call',
  modelAttempt: 'attempt',
  tool: 'tool',
  code: 'code',
  humanInput: 'question to a person',
  search: 'search',
  searchJob: 'job of a search',
  note: 'note',
}

/** Everything that is known of the chosen step. */
export function StepDetailView({
  state,
  close,
  ...props
}: StepProps & { readonly state: string; readonly close: () => void }): JSX.Element {
  const { runId, row, agents } = props
  const [detail, setDetail] = useState<StepDetail | null>(null)
  const [error, setError] = useState('')
  const [tab, setTab] = useState('')
  useEffect(() => {
    const stop = new AbortController()
    api.step(runId, row.id, stop.signal).then(setDetail, (failure: Error) => {
      if (!stop.signal.aborted) setError(failure.message)
    })
    return () => stop.abort()
  }, [row.id, state])
  const tabs = detail ? tabsOf(row, detail, async () => await api.wholeStep(runId, row.id)) : []
  const shown = tabs.find(({ name }) => name === tab) ?? tabs[0]
  return (
    <aside class="step" aria-label={`Step ${headOf(row)}`}>
      <header>
        <div>
          <h2>
            <span class="chip">{KIND_WORDS[row.kind]}</span>
            {row.agent !== null && row.kind !== 'chat' ? <AgentName agents={agents} agent={row.agent} /> : headOf(row)}
            {row.kind === 'tool' && <b>{row.name}</b>}
          </h2>
          <p class="under">
            {row.kind !== 'note' && <OutcomeMark outcome={row.outcome} />}
            {row.model !== null && <span>{row.model}</span>}
            {row.ms !== null && <span>{durationText(row.ms)}</span>}
            {row.tokens && (
              <span>
                {row.tokens[0].toLocaleString('en')} → {row.tokens[1].toLocaleString('en')} tokens
              </span>
            )}
            {row.cached ? <span>from a cache</span> : row.cost !== null && <span>{dollarsText(row.cost)}</span>}
            {row.place !== null && <span title="Place of the call, as forks and labels take it">[{row.place}]</span>}
            <time title={momentText(row.time)}>{new Date(row.time).toLocaleTimeString('en-GB')}</time>
          </p>
        </div>
        <button type="button" class="quiet square" aria-label="Close the step" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {error && (
        <p class="banner" role="alert">
          {error}
        </p>
      )}
      {(detail?.error ?? row.error) && <p class="banner bad">{detail?.error ?? row.error}</p>}
      {detail && row.waits && row.place !== null && props.studio?.decides && (
        <Decision {...props} place={row.place} isQuestion={actionIn(detail.input)?.type === 'question'} />
      )}
      {shown && (
        <>
          <Tabs names={tabs.map(({ name }) => name)} shown={shown.name} show={setTab} />
          <div class="body" role="tabpanel" id="step-panel" aria-labelledby={`tab-${shown.name}`} tabIndex={0}>
            {shown.body()}
          </div>
        </>
      )}
      {detail && props.studio?.forks && isForked(row) && <Fork {...props} text={forkText(row, detail)} />}
    </aside>
  )
}

function Tabs({
  names,
  shown,
  show,
}: {
  readonly names: readonly string[]
  readonly shown: string
  readonly show: (name: string) => void
}): JSX.Element {
  const list = useRef<HTMLDivElement>(null)
  const onKey = (event: KeyboardEvent): void => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (move === undefined) return
    event.preventDefault()
    const name = names[(names.indexOf(shown) + move + names.length) % names.length]!
    show(name)
    list.current?.querySelector<HTMLElement>(`[id="tab-${name}"]`)?.focus()
  }
  return (
    <div ref={list} class="tabs" role="tablist" aria-label="Parts of the step" onKeyDown={onKey}>
      {names.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === shown}
          aria-controls="step-panel"
          tabIndex={name === shown ? 0 : -1}
          onClick={() => show(name)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

interface Tab {
  readonly name: string
  readonly body: () => JSX.Element
}

function tabsOf(row: StepRow, detail: StepDetail, readWhole: () => Promise<StepDetail>): readonly Tab[] {
  const { asked, answer, reasoning, thoughts, parts } = detail
  const tabs: Tab[] = []
  if (thoughts.length > 0) tabs.push({ name: 'Tree', body: () => <ThoughtTree thoughts={thoughts} /> })
  if (row.model !== null || row.kind === 'answer' || row.kind === 'reply') {
    tabs.push({
      name: 'Answer',
      body: () => (
        <>
          {reasoning !== null && (
            <details class="reasoning">
              <summary>Reasoning</summary>
              <RichText text={reasoning} />
            </details>
          )}
          {answer !== null && typeof answer === 'object' ? (
            <Message message={answer} />
          ) : (
            <RichText text={detail.output || '(no words)'} />
          )}
        </>
      ),
    })
  } else
    tabs.push({
      name: IN_AND_OUT[row.kind] ?? 'Text',
      body: () => <InAndOut row={row} detail={detail} parts={parts} />,
    })
  if (asked) {
    tabs.push({ name: 'Prompt', body: () => <Prompt asked={asked} readWhole={readWhole} /> })
    if (asked.shared > 0 || asked.before.length > 0)
      tabs.push({ name: 'Changes', body: () => <Changes asked={asked} /> })
    if (asked.settings !== null) tabs.push({ name: 'Settings', body: () => <Settings settings={asked.settings} /> })
  }
  tabs.push({ name: 'Events', body: () => <Events detail={detail} /> })
  return tabs
}

const IN_AND_OUT: Readonly<Partial<Record<StepRow['kind'], string>>> = {
  tool: 'Call',
  code: 'Code',
  chat: 'Chat',
  humanInput: 'Question',
  search: 'Search',
}

const IN_WORDS: Readonly<Partial<Record<StepRow['kind'], readonly [string, string]>>> = {
  tool: ['Arguments', 'Result'],
  code: ['Code', 'Output'],
  chat: ['First message', 'How it ended'],
  humanInput: ['Asked', 'Answered'],
  search: ['Question', 'Answer'],
  searchJob: ['Job', 'Failure'],
}

function InAndOut({
  row,
  detail,
  parts,
}: {
  readonly row: StepRow
  readonly detail: StepDetail
  readonly parts: StepDetail['parts']
}): JSX.Element {
  const action = row.kind === 'note' && row.name === 'approval' ? actionIn(detail.input) : null
  if (action?.type === 'question') return <RichText text={action.prompt} />
  if (action) {
    return (
      <>
        {action.type === 'toolCall' && action.note !== undefined && <p class="hint">{visibleText(action.note)}</p>}
        {piecesOf(action).map(({ head, code }, index) => (
          <CodeBlock key={index} code={code} language={head} />
        ))}
      </>
    )
  }
  const [before, after] = IN_WORDS[row.kind] ?? ['Asked', 'Text']
  const isData = row.kind === 'tool' || row.kind === 'code'
  return (
    <>
      {detail.input && (
        <>
          <h3>{before}</h3>
          {isData ? (
            <CodeBlock code={prettyJson(detail.input)} language={row.kind === 'tool' ? 'json' : 'code'} />
          ) : (
            <RichText text={detail.input} />
          )}
        </>
      )}
      {detail.output && (
        <>
          <h3>{after}</h3>
          {isData ? (
            <CodeBlock code={prettyJson(detail.output)} language="output" />
          ) : (
            <RichText text={detail.output} />
          )}
        </>
      )}
      {parts.length > 0 && <Parts parts={parts} />}
      {!detail.input && !detail.output && <p class="hint">Nothing was said.</p>}
    </>
  )
}

/** Reads the action for which an approval was asked; null if it cannot be read. */
function actionIn(json: string): ActionToApprove | null {
  try {
    return JSON.parse(json) as ActionToApprove
  } catch {
    return null
  }
}

function Prompt({
  asked,
  readWhole,
}: {
  readonly asked: AskedModel
  readonly readWhole: () => Promise<StepDetail>
}): JSX.Element {
  const [whole, setWhole] = useState<AskedModel | null>(null)
  const { messages, leftOut, shared } = whole ?? asked
  return (
    <>
      {leftOut > 0 && (
        <button
          type="button"
          class="fold-line"
          onClick={() => void readWhole().then((detail) => setWhole(detail.asked))}
        >
          {leftOut.toLocaleString('en')} messages as in the prompt before. Show them
        </button>
      )}
      {messages.map((message, index) => (
        <Message
          key={leftOut + index}
          message={message}
          mark={shared > 0 && leftOut + index >= shared ? 'new' : undefined}
        />
      ))}
    </>
  )
}

function Changes({ asked }: { readonly asked: AskedModel }): JSX.Element {
  const { messages, leftOut, shared, before } = asked
  const added = messages.slice(shared - leftOut)
  const pairs = Math.max(added.length, before.length)
  return (
    <>
      <p class="hint">
        Beside the prompt before of this agent: {shared} equal, {before.length} gone, {added.length} new.
      </p>
      {Array.from({ length: pairs }, (_, index) => {
        const [old, now] = [before[index], added[index]]
        if (old && now && old.role === now.role) {
          return (
            <article key={index} class={`message ${now.role ?? ''}`}>
              <header>
                <b>{now.role}</b>
                <em>changed</em>
              </header>
              <TextDifference before={wordsOf(old)} after={wordsOf(now)} />
            </article>
          )
        }
        return (
          <div key={index}>
            {old && <Message message={old} mark="gone" />}
            {now && <Message message={now} mark="new" />}
          </div>
        )
      })}
    </>
  )
}

interface KnownSettings {
  readonly model?: string
  readonly tools?: readonly {
    readonly function?: { readonly name?: string; readonly description?: string; readonly parameters?: unknown }
  }[]
}

function Settings({ settings }: { readonly settings: unknown }): JSX.Element {
  const all = Array.isArray(settings) ? (settings as readonly KnownSettings[]) : [settings as KnownSettings]
  return (
    <>
      {all.map(({ tools = [], ...others }, index) => (
        <section key={index}>
          {all.length > 1 && <h3>Config {index}</h3>}
          <CodeBlock code={prettyJson(others)} language="parameters" />
          {tools.map(({ function: tool }, at) => (
            <details key={at} class="tool-schema">
              <summary>
                <Icon name="tool" /> <b>{tool?.name ?? 'tool'}</b> <span>{tool?.description}</span>
              </summary>
              <CodeBlock code={prettyJson(tool?.parameters ?? {})} language="schema" />
            </details>
          ))}
        </section>
      ))}
    </>
  )
}

function Events({ detail }: { readonly detail: StepDetail }): JSX.Element {
  return (
    <>
      {detail.events.length === 0 && <p class="hint">No event tells of it alone.</p>}
      {detail.events.map((event) => (
        <CodeBlock key={event.seq} code={prettyJson(event)} language={`${event.seq} ${event.type}`} />
      ))}
    </>
  )
}

const FORKED: ReadonlySet<StepRow['kind']> = new Set(['reply', 'answer', 'modelCall', 'tool', 'humanInput'])

/** True for a call, and for the chat with which a run begins: that has the first message. */
const isForked = ({ kind, place, depth }: StepRow): boolean =>
  place === null ? kind === 'chat' && depth === 0 : FORKED.has(kind)

const FORKED_WORDS: Readonly<Partial<Record<StepRow['kind'], string>>> = {
  chat: 'First message',
  tool: 'Result of the tool',
  humanInput: 'Answer of the person',
}

const forkText = (row: StepRow, { input, output, answer }: StepDetail): string =>
  row.kind === 'chat'
    ? input
    : row.kind === 'tool' || row.kind === 'humanInput'
      ? output
      : typeof answer === 'string'
        ? answer
        : (answer?.content as string | null) || output

function Fork({ runId, text, row }: StepProps & { readonly text: string }): JSX.Element {
  const { place } = row
  const [isOpen, setOpen] = useState(false)
  const [answer, setAnswer] = useState(text)
  const [samples, setSamples] = useState(1)
  const [state, setState] = useState<'idle' | 'runs' | { readonly error: string }>('idle')
  if (!isOpen) {
    return (
      <footer>
        <button type="button" class="main" onClick={() => setOpen(true)}>
          <Icon name="fork" /> {place === null ? 'Begin again' : 'Go on from here'}
        </button>
        <CopyButton text={text} />
      </footer>
    )
  }
  const start = (given: string | undefined): void => {
    setState('runs')
    const change = given === undefined ? {} : place === null ? { message: given } : { answer: given }
    api.fork(runId, { place, samples, ...change }).then(
      ({ runs, errors }) => {
        if (errors.length === runs.length) setState({ error: errors[0]! })
        else location.hash = compareHash([runId, ...runs])
      },
      (error: Error) => setState({ error: error.message }),
    )
  }
  return (
    <footer>
      <form
        class="fork"
        onSubmit={(event) => {
          event.preventDefault()
          start(answer)
        }}
      >
        <h3>{place === null ? 'Begin again' : `Go on from [${place}]`}</h3>
        <p class="hint">
          What stands before this place comes from the record. What comes behind it is asked and paid anew.
        </p>
        <label>
          <span>{FORKED_WORDS[row.kind] ?? 'Answer of the model'}</span>
          <textarea rows={5} value={answer} onInput={(event) => setAnswer(event.currentTarget.value)} />
        </label>
        <label class="short">
          <span>Futures</span>
          <input
            type="number"
            min={1}
            max={20}
            value={samples}
            onInput={(event) => setSamples(Number(event.currentTarget.value) || 1)}
          />
        </label>
        {typeof state === 'object' && (
          <p class="banner bad" role="alert">
            {state.error}
          </p>
        )}
        <p class="actions">
          <button class="main" disabled={state === 'runs' || answer === text}>
            Go on with this text
          </button>
          <button type="button" disabled={state === 'runs'} onClick={() => start(undefined)}>
            {state === 'runs' ? 'Running …' : 'Ask again'}
          </button>
          <button type="button" class="quiet" onClick={() => setOpen(false)}>
            Cancel
          </button>
        </p>
      </form>
    </footer>
  )
}

function Decision({
  runId,
  place,
  isQuestion,
  reload,
}: StepProps & { readonly place: string; readonly isQuestion: boolean }): JSX.Element {
  const [text, setText] = useState('')
  const [said, setSaid] = useState('')
  const decide = (allow: boolean): void => {
    const words = allow && isQuestion ? { answer: text } : isQuestion ? {} : { reason: text }
    api.decide(runId, { pending: place, allow, ...words }).then(
      () => {
        setSaid(allow ? (isQuestion ? 'Answered.' : 'Approved.') : 'Denied.')
        reload()
      },
      (error: Error) => setSaid(error.message),
    )
  }
  return (
    <form
      class="decision"
      onSubmit={(event) => {
        event.preventDefault()
        if (isQuestion) decide(true)
      }}
    >
      <p>{isQuestion ? 'This question waits for an answer.' : 'This call waits for a decision.'}</p>
      <label>
        <span>{isQuestion ? 'Answer' : 'Reason, if you deny it'}</span>
        <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <p class="actions">
        <button type="button" class="main" onClick={() => decide(true)}>
          {isQuestion ? 'Answer' : 'Approve'}
        </button>
        <button type="button" onClick={() => decide(false)}>
          Deny
        </button>
        <span role="status">{said}</span>
      </p>
    </form>
  )
}
