import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { KeptRunInfo } from '@x/records'
import { MAX_COMPARED, type RunList, type RunTotals } from '../src/protocol.ts'
import { api, type ListFilter } from './api.ts'
import {
  compareHash,
  clockText,
  costText,
  countText,
  dayText,
  dollarsText,
  durationText,
  momentText,
  shortNumber,
} from './format.ts'
import { Icon } from './icons.tsx'
import { AgentName, Empty, OutcomeMark, outcomeOf } from './shared.tsx'

/** Runs that are added to the list at once. */
const PAGE_LENGTH = 100
/** Milliseconds between two looks for new runs. */
const REFRESH_MS = 3000

const OUTCOMES = [
  ['', 'All'],
  ['ok', 'Done'],
  ['error', 'Failed'],
  ['suspended', 'Waiting'],
  ['aborted', 'Stopped'],
] as const

/** The list of runs: search, filters, what they cost together, and the runs by day. */
export function RunsView({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const filter: ListFilter = {
    words: query.get('words') ?? '',
    outcome: query.get('outcome') ?? '',
    agent: query.get('agent') ?? '',
    tag: query.get('tag') ?? '',
    limit: Number(query.get('limit') ?? PAGE_LENGTH),
  }
  const [list, setList] = useState<RunList | null>(null)
  const [error, setError] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const asked = JSON.stringify(filter)
  useEffect(() => {
    const stop = new AbortController()
    const load = (): void =>
      void api.runs(filter, stop.signal).then(
        (found) => {
          setList(found)
          setError('')
        },
        (failure: Error) => {
          if (!stop.signal.aborted) setError(failure.message)
        },
      )
    load()
    const timer = setInterval(() => document.visibilityState === 'visible' && load(), REFRESH_MS)
    return () => {
      stop.abort()
      clearInterval(timer)
    }
  }, [asked])
  const change = (changes: Partial<ListFilter>): void => setFilter({ ...filter, limit: PAGE_LENGTH, ...changes })
  return (
    <div class="runs">
      <h1 class="hidden">Runs</h1>
      {error && (
        <p class="banner" role="alert">
          {error}
        </p>
      )}
      {list && <Totals totals={list.totals} />}
      <Filters filter={filter} list={list} change={change} />
      {list && list.runs.length === 0 && <NoRuns filter={filter} />}
      {list && list.runs.length > 0 && <RunTable runs={list.runs} chosen={chosen} choose={setChosen} />}
      {list && list.totals.runs > list.runs.length && (
        <button type="button" class="more" onClick={() => setFilter({ ...filter, limit: filter.limit * 2 })}>
          Show more of {countText(list.totals.runs, 'run')}
        </button>
      )}
      {chosen.length > 1 && (
        <p class="tray">
          <span>
            {countText(chosen.length, 'run')} chosen
            {chosen.length > MAX_COMPARED && `, the first ${MAX_COMPARED} compared`}
          </span>
          <a class="button main" href={compareHash(chosen.slice(0, MAX_COMPARED))}>
            <Icon name="compare" /> Compare
          </a>
          <button type="button" onClick={() => setChosen([])}>
            Clear
          </button>
        </p>
      )}
    </div>
  )
}

function setFilter(filter: ListFilter): void {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter))
    if (value !== '' && !(name === 'limit' && value === PAGE_LENGTH)) query.set(name, String(value))
  const text = query.toString()
  location.replace(text ? `#/runs?${text}` : '#/runs')
}

function Filters({
  filter,
  list,
  change,
}: {
  readonly filter: ListFilter
  readonly list: RunList | null
  readonly change: (changes: Partial<ListFilter>) => void
}): JSX.Element {
  const [words, setWords] = useState(filter.words)
  const searched = useRef(filter.words)
  useEffect(() => {
    if (words === filter.words) return undefined
    const timer = setTimeout(() => change({ words: (searched.current = words) }), 200)
    return () => clearTimeout(timer)
  }, [words])
  // A link has led to another search.
  useEffect(() => {
    if (filter.words !== searched.current) setWords((searched.current = filter.words))
  }, [filter.words])
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="find">
        <span class="hidden">Search</span>
        <Icon name="find" />
        <input
          type="search"
          placeholder="Search titles, agents, tags, errors, ids"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </label>
      <fieldset class="segments">
        <legend class="hidden">Outcome</legend>
        {OUTCOMES.map(([value, word]) => (
          <label key={value}>
            <input
              type="radio"
              name="outcome"
              checked={filter.outcome === value}
              onChange={() => change({ outcome: value })}
            />
            <span>{word}</span>
          </label>
        ))}
      </fieldset>
      <Choice
        name="Agent"
        all="All agents"
        values={list?.agents ?? []}
        value={filter.agent}
        change={(agent) => change({ agent })}
      />
      <Choice
        name="Tag"
        all="All tags"
        values={list?.tags ?? []}
        value={filter.tag}
        change={(tag) => change({ tag })}
      />
    </form>
  )
}

function Choice(props: {
  readonly name: string
  readonly all: string
  readonly values: readonly string[]
  readonly value: string
  readonly change: (value: string) => void
}): JSX.Element | null {
  const { name, all, values, value, change } = props
  if (values.length === 0) return null
  const shown = value === '' || values.includes(value) ? values : [value, ...values]
  return (
    <label>
      <span class="hidden">{name}</span>
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">{all}</option>
        {shown.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}

function Totals({ totals }: { readonly totals: RunTotals }): JSX.Element {
  const { runs, failed, calls, promptTokens, completionTokens, cost, unpriced, days } = totals
  return (
    <section class="totals" aria-label="All of these runs">
      <Total
        name="Runs"
        value={shortNumber(runs)}
        more={failed > 0 ? `${shortNumber(failed)} failed` : 'none failed'}
      />
      <Total name="Model calls" value={shortNumber(calls)} more={`${(calls / Math.max(1, runs)).toFixed(1)} a run`} />
      <Total
        name="Tokens"
        value={shortNumber(promptTokens + completionTokens)}
        more={`${shortNumber(promptTokens)} in · ${shortNumber(completionTokens)} out`}
      />
      <Total
        name="Cost"
        value={costText([totals])}
        more={
          unpriced > 0
            ? `${countText(unpriced, 'call')} without a price`
            : `${dollarsText(cost / Math.max(1, runs))} a run`
        }
      />
      <Days days={days} />
    </section>
  )
}

function Total({
  name,
  value,
  more,
}: {
  readonly name: string
  readonly value: string
  readonly more: string
}): JSX.Element {
  return (
    <div class="total">
      <span>{name}</span>
      <b>{value}</b>
      <small>{more}</small>
    </div>
  )
}

function Days({ days }: { readonly days: RunTotals['days'] }): JSX.Element {
  if (days.length === 0) {
    return (
      <div class="total days">
        <span>Cost by day</span>
        <small>no day</small>
      </div>
    )
  }
  const isPaid = days.some(({ cost }) => cost > 0)
  const most = Math.max(...days.map(({ cost, runs }) => (isPaid ? cost : runs)))
  const width = 100 / Math.max(days.length, 14)
  const said = days.map(
    ({ day, runs, cost }) => `${day}: ${countText(runs, 'run')}${isPaid ? `, ${dollarsText(cost)}` : ''}`,
  )
  return (
    <div class="total days">
      <span>{isPaid ? 'Cost by day' : 'Runs by day'}</span>
      <svg viewBox="0 0 100 34" preserveAspectRatio="none" role="img" aria-label={said.slice(-7).join('; ')}>
        {days.map(({ day, cost, runs }, index) => {
          const height = Math.max(1.5, (30 * (isPaid ? cost : runs)) / most)
          return (
            <rect
              key={day}
              x={100 - (days.length - index) * width}
              y={34 - height}
              width={width * 0.72}
              height={height}
              rx="0.8"
            >
              <title>{said[index]}</title>
            </rect>
          )
        })}
      </svg>
      <small>{days.length === 1 ? days[0]!.day : `${days[0]!.day} to ${days.at(-1)!.day}`}</small>
    </div>
  )
}

function NoRuns({ filter }: { readonly filter: ListFilter }): JSX.Element {
  const isFiltered = filter.words || filter.outcome || filter.agent || filter.tag
  if (isFiltered) {
    return (
      <Empty title="No run fits">
        <p>
          <a href="#/runs">Show all runs</a>
        </p>
      </Empty>
    )
  }
  return (
    <Empty title="Nothing is recorded yet">
      <p>
        Give a run the tracer <code>openRecords('runs.db')</code>, or chat with <code>x chat</code>: it appears here
        while it runs.
      </p>
    </Empty>
  )
}

function RunTable({
  runs,
  chosen,
  choose,
}: {
  readonly runs: readonly KeptRunInfo[]
  readonly chosen: readonly string[]
  readonly choose: (chosen: readonly string[]) => void
}): JSX.Element {
  const now = Date.now()
  const days = [...Map.groupBy(runs, ({ last }) => dayText(last, now))]
  return (
    <div class="list">
      {days.map(([day, ofDay]) => (
        <section key={day}>
          <h2>
            {day} <small>{countText(ofDay.length, 'run')}</small>
          </h2>
          <ul>
            {ofDay.map((info) => (
              <RunRow
                key={info.runId}
                info={info}
                isChosen={chosen.includes(info.runId)}
                choose={(isChosen) =>
                  choose(isChosen ? [...chosen, info.runId] : chosen.filter((id) => id !== info.runId))
                }
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function RunRow({
  info,
  isChosen,
  choose,
}: {
  readonly info: KeptRunInfo
  readonly isChosen: boolean
  readonly choose: (isChosen: boolean) => void
}): JSX.Element {
  const { runId, title, agents, tags, labels, spent, began, last, parent, error } = info
  const tokens = spent.reduce((sum, each) => sum + each.promptTokens + each.completionTokens, 0)
  return (
    <li class="run">
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={`Choose ${title || runId} to compare`}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      <OutcomeMark outcome={outcomeOf(info)} short />
      <a href={`#/runs/${encodeURIComponent(runId)}`}>
        <span class="title">{title || <em>without words</em>}</span>
        <span class="under">
          {agents.slice(0, 5).map((agent) => (
            <AgentName key={agent} agents={agents} agent={agent} />
          ))}
          {agents.length > 5 && <span>+{agents.length - 5}</span>}
          {parent && (
            <span class="chip">
              <Icon name="fork" /> fork
            </span>
          )}
          {Object.entries(tags)
            .slice(0, 3)
            .map(([name, value]) => (
              <span key={name} class="chip">
                {name}={value}
              </span>
            ))}
          {labels.slice(0, 3).map(({ name, value, place }) => (
            <span key={`${name}@${place}`} class="chip label">
              {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
            </span>
          ))}
          {error && <span class="bad">{error}</span>}
        </span>
      </a>
      <span class="number" title="Duration">
        {durationText(last - began)}
      </span>
      <span class="number" title="Tokens">
        {shortNumber(tokens)} <small>tok</small>
      </span>
      <span class="number" title="Cost">
        {costText(spent)}
      </span>
      <time dateTime={new Date(last).toISOString()} title={momentText(last)}>
        {clockText(last)}
      </time>
    </li>
  )
}
