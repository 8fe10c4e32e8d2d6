import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { KeptRunInfo } from '@x/records'
import type { StepRow, StudioInfo } from '../src/protocol.ts'
import { api } from './api.ts'
import { compareHash, costText, countText, durationText, momentText, shortId, shortNumber } from './format.ts'
import { Icon } from './icons.tsx'
import { AgentName, CopyButton, Empty, Fact, OutcomeMark, outcomeOf } from './shared.tsx'
import { StepDetailView } from './step-detail-view.tsx'
import { StepList } from './step-list.tsx'
import { Timeline } from './timeline.tsx'

/** Milliseconds between two looks at a run that is under way. */
const LIVE_MS = 700

/** What the page has of a run. */
interface ShownRun {
  readonly info: KeptRunInfo
  readonly rows: readonly StepRow[]
  readonly seq: number
}

/** One run: its facts, its timeline, its steps, and the step that is chosen. */
export function RunView({
  runId,
  query,
  info: studio,
}: {
  readonly runId: string
  readonly query: URLSearchParams
  readonly info: StudioInfo | null
}): JSX.Element {
  const { shown, forks, error, reload } = useRun(runId)
  const chosen = query.get('step')
  const choose = (id: string | null): void =>
    location.replace(`#/runs/${encodeURIComponent(runId)}${id === null ? '' : `?step=${encodeURIComponent(id)}`}`)
  const agents = useMemo(() => (shown ? agentsIn(shown.rows) : []), [shown])
  if (error && !shown) {
    return (
      <Empty title="This run cannot be shown">
        <p role="alert">{error}</p>
        <p>
          <a href="#/runs">All runs</a>
        </p>
      </Empty>
    )
  }
  if (!shown) return <p class="loading">Reading the run …</p>
  const row = shown.rows.find(({ id }) => id === (chosen ?? firstShown(shown))) ?? null
  return (
    <div class={chosen === null ? 'one' : 'one with-step'}>
      {error && (
        <p class="banner" role="alert">
          {error}
        </p>
      )}
      <RunHead info={shown.info} agents={agents} forks={forks} labels={studio?.labels ?? false} reload={reload} />
      <Timeline rows={shown.rows} agents={agents} chosen={chosen} choose={choose} />
      <div class="steps-and-step">
        <StepList rows={shown.rows} agents={agents} chosen={chosen} open={row?.id ?? null} choose={choose} />
        {row ? (
          <StepDetailView
            key={row.id}
            {...{ runId, row, agents, studio, reload }}
            state={`${row.ms ?? ''}${row.outcome}`}
            close={() => {
              choose(null)
              document.querySelector<HTMLElement>('[role=tree]')?.focus()
            }}
          />
        ) : (
          <aside class="step none">
            <p>Choose a step, to see what was asked and answered. ↑ and ↓ walk through them.</p>
          </aside>
        )}
      </div>
    </div>
  )
}

/** Returns the step that is shown until a person chooses one: the call that waits for a decision, or the last answer. */
function firstShown({ info, rows }: ShownRun): string | null {
  const waits = info.outcome === 'suspended' && rows.findLast((row) => row.waits)
  const answer = rows.findLast(
    ({ kind, depth, text }) => (kind === 'reply' || kind === 'answer') && depth <= 1 && text !== '',
  )
  return (waits || answer)?.id ?? null
}

/** Reads a run, and what is new in it until it has ended. */
function useRun(runId: string): {
  readonly shown: ShownRun | null
  readonly forks: readonly KeptRunInfo[]
  readonly error: string
  readonly reload: () => void
} {
  const [shown, setShown] = useState<ShownRun | null>(null)
  const [forks, setForks] = useState<readonly KeptRunInfo[]>([])
  const [error, setError] = useState('')
  const [turn, setTurn] = useState(0)
  const known = useRef<ShownRun | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async (): Promise<void> => {
      try {
        if (document.visibilityState === 'visible' || !known.current) {
          const before = known.current
          const { info, from, rows, seq } = await api.rows(runId, before?.seq ?? -1, stop.signal)
          if (
            !before ||
            from < before.rows.length ||
            rows.length > 0 ||
            JSON.stringify(info) !== JSON.stringify(before.info)
          ) {
            known.current = { info, seq, rows: [...(before?.rows ?? []).slice(0, from), ...rows] }
            setShown(known.current)
          }
          setError('')
        }
      } catch (failure) {
        if (stop.signal.aborted) return
        setError((failure as Error).message)
      }
      const outcome = known.current ? outcomeOf(known.current.info) : 'running'
      if (!stop.signal.aborted && (outcome === 'running' || outcome === 'suspended'))
        timer = setTimeout(() => void look(), LIVE_MS)
    }
    void look()
    api.forks(runId).then(setForks, () => {})
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [runId, turn])
  return { shown, forks, error, reload: () => setTurn(turn + 1) }
}

/** Returns the agents of a run in the order in which they act. */
function agentsIn(rows: readonly StepRow[]): readonly string[] {
  const agents = new Set<string>()
  for (const { kind, agent, name } of rows) {
    if (agent !== null) agents.add(agent)
    if (kind === 'chat' && name !== null) agents.add(name)
  }
  return [...agents]
}

function RunHead({
  info,
  agents,
  forks,
  labels: canLabel,
  reload,
}: {
  readonly info: KeptRunInfo
  readonly agents: readonly string[]
  readonly forks: readonly KeptRunInfo[]
  readonly labels: boolean
  readonly reload: () => void
}): JSX.Element {
  const { runId, title, began, last, spent, tags, labels, parent, error, problem, tools } = info
  const sum = (key: 'calls' | 'promptTokens' | 'completionTokens'): number =>
    spent.reduce((all, each) => all + each[key], 0)
  const outcome = outcomeOf(info)
  const models = [...new Set(spent.map(({ model }) => model))]
  return (
    <section class="head">
      <div class="title">
        <a class="quiet square" href="#/runs" aria-label="All runs">
          <Icon name="back" />
        </a>
        <h1>{title || 'Run without words'}</h1>
        <OutcomeMark outcome={outcome} />
      </div>
      <p class="under">
        {agents.map((agent) => (
          <AgentName key={agent} agents={agents} agent={agent} />
        ))}
        {Object.entries(tags).map(([name, value]) => (
          <a key={name} class="chip" href={`#/runs?tag=${encodeURIComponent(`${name}=${value}`)}`}>
            {name}={value}
          </a>
        ))}
        {labels.map(({ name, value, place }) => (
          <span key={`${name}@${place}`} class="chip label">
            {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
            {place !== null && ` at ${place}`}
          </span>
        ))}
        {canLabel && <LabelForm runId={runId} reload={reload} />}
        {parent && (
          <a class="chip" href={compareHash([parent.runId, runId])}>
            <Icon name="fork" /> fork of {shortId(parent.runId)} at {parent.place ?? 'its end'}
          </a>
        )}
        {forks.length > 0 && (
          <a class="chip" href={compareHash([runId, ...forks.slice(0, 7).map((fork) => fork.runId)])}>
            <Icon name="compare" /> compare with {countText(forks.length, 'fork')}
          </a>
        )}
      </p>
      {error && <p class="banner bad">{error}</p>}
      <dl class="facts">
        <Fact name="Began" rare>
          {momentText(began)}
        </Fact>
        <Fact name="Took">{durationText(last - began)}</Fact>
        <Fact name="Model calls">{shortNumber(sum('calls'))}</Fact>
        <Fact name="Tool calls">{shortNumber(tools)}</Fact>
        <Fact name="Tokens">
          {shortNumber(sum('promptTokens'))} in · {shortNumber(sum('completionTokens'))} out
        </Fact>
        <Fact name="Cost">{costText(spent)}</Fact>
        <Fact name={models.length === 1 ? 'Model' : 'Models'}>{models.join(', ') || '–'}</Fact>
        <Fact name="Id" rare>
          <code>{shortId(runId)}</code> <CopyButton text={runId} label="" />
        </Fact>
      </dl>
      {problem && <p class="hint">Cannot be repeated: {problem}</p>}
    </section>
  )
}

function LabelForm({ runId, reload }: { readonly runId: string; readonly reload: () => void }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [error, setError] = useState('')
  if (!isOpen) {
    return (
      <button type="button" class="chip" onClick={() => setOpen(true)}>
        <Icon name="tag" /> label
      </button>
    )
  }
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault()
        const at = text.indexOf('=')
        const value = valueOf(text.slice(at + 1).trim())
        void api.label(runId, { name: text.slice(0, at).trim(), value }).then(
          () => {
            setOpen(false)
            setText('')
            setError('')
            reload()
          },
          (failure: Error) => setError(failure.message),
        )
      }}
    >
      <label>
        <span class="hidden">Label</span>
        <input
          ref={(field) => field?.focus()}
          placeholder="score=0.8"
          required
          pattern="[^=]*[^=\s][^=]*=.*"
          title="A name and a value, such as score=0.8"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
        />
      </label>
      <button>Add</button>
      {error && (
        <span class="bad" role="alert">
          {error}
        </span>
      )}
    </form>
  )
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
