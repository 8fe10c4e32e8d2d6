import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { StepRow } from '../src/protocol.ts'
import { colourOf } from './colours.ts'
import { dollarsText, durationText, plainText, shortNumber } from './format.ts'
import { Icon, type IconName } from './icons.tsx'
import { OutcomeMark } from './shared.tsx'

const ROW_HEIGHT = 44
/** Rows beyond those in view that are drawn. */
const SPARE_ROWS = 12

const ICONS: Readonly<Record<StepRow['kind'], IconName>> = {
  chat: 'chat',
  reply: 'model',
  modelCall: 'model',
  modelAttempt: 'model',
  answer: 'model',
  tool: 'tool',
  code: 'code',
  humanInput: 'person',
  search: 'search',
  searchJob: 'search',
  note: 'note',
}

/** The steps of a run as a tree. Only the rows in view are in the page, so that runs may have very many. */
export function StepList({
  rows,
  agents,
  chosen,
  open,
  choose,
}: {
  readonly rows: readonly StepRow[]
  readonly agents: readonly string[]
  readonly chosen: string | null
  /** The step that is shown beside the list until one is chosen; null if none is. */
  readonly open: string | null
  readonly choose: (id: string) => void
}): JSX.Element {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const [words, setWords] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const shown = useMemo(() => shownRows(rows, folded, words), [rows, folded, words])
  const at = shown.findIndex(({ row }) => row.id === chosen)
  useEffect(() => {
    const box = list.current
    if (!box) return undefined
    const measure = (): void => setView({ top: box.scrollTop, height: box.clientHeight })
    const sizes = new ResizeObserver(measure)
    sizes.observe(box)
    measure()
    return () => sizes.disconnect()
  }, [])
  useEffect(() => {
    const box = list.current
    if (!box || at === -1) return
    const [top, bottom] = [at * ROW_HEIGHT, (at + 1) * ROW_HEIGHT]
    if (top < box.scrollTop) box.scrollTop = top - ROW_HEIGHT
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight + ROW_HEIGHT
  }, [chosen, words])
  const fold = (id: string): void => {
    const next = new Set(folded)
    if (!next.delete(id)) next.add(id)
    setFolded(next)
  }
  const onKey = (event: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -shown.length, End: shown.length }[
      event.key
    ]
    const current = shown[at]
    if (move !== undefined) {
      const from = at === -1 && move < 0 ? shown.length : at
      const next = shown[Math.min(shown.length - 1, Math.max(0, from + move))]
      if (next) choose(next.row.id)
    } else if (event.key === 'ArrowLeft' && current) {
      if (current.isParent && !folded.has(current.row.id)) fold(current.row.id)
      else {
        const parent = shown.slice(0, at).findLast(({ row }) => row.depth < current.row.depth)
        if (parent) choose(parent.row.id)
      }
    } else if (event.key === 'ArrowRight' && current && folded.has(current.row.id)) fold(current.row.id)
    else return
    event.preventDefault()
  }
  const first = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - SPARE_ROWS)
  const last = Math.min(shown.length, Math.ceil((view.top + view.height) / ROW_HEIGHT) + SPARE_ROWS)
  return (
    <section class="steps" aria-label="Steps">
      <header>
        <h2>
          Steps <small>{rows.length.toLocaleString('en')}</small>
        </h2>
        <label class="find">
          <span class="hidden">Find steps</span>
          <Icon name="find" />
          <input
            type="search"
            placeholder="Find"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
      </header>
      <div
        ref={list}
        class="rows"
        role="tree"
        aria-label="Steps of the run"
        tabIndex={0}
        aria-activedescendant={at >= first && at < last ? `row-${at}` : undefined}
        onKeyDown={onKey}
        onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
      >
        {shown.length === 0 && <p class="hint">No step has these words.</p>}
        <div role="presentation" class="all" style={{ height: `${shown.length * ROW_HEIGHT}px` }}>
          {shown.slice(first, last).map(({ row, isParent }, index) => (
            <Row
              key={row.id}
              {...{ row, isParent, agents }}
              index={first + index}
              count={shown.length}
              isChosen={row.id === chosen}
              isOpen={row.id === open}
              isFolded={folded.has(row.id)}
              choose={() => choose(row.id)}
              fold={() => fold(row.id)}
            />
          ))}
        </div>
      </div>
    </section>
  )
}

interface ShownRow {
  readonly row: StepRow
  readonly isParent: boolean
}

function shownRows(rows: readonly StepRow[], folded: ReadonlySet<string>, words: string): readonly ShownRow[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean)
  const shown: ShownRow[] = []
  let hiddenBelow = Infinity
  for (const [index, row] of rows.entries()) {
    if (row.depth > hiddenBelow) continue
    hiddenBelow = folded.has(row.id) && wanted.length === 0 ? row.depth : Infinity
    const text =
      wanted.length === 0
        ? ''
        : `${row.agent} ${row.name} ${row.kind} ${row.place} ${row.text} ${row.result} ${row.error}`.toLowerCase()
    if (wanted.every((word) => text.includes(word)))
      shown.push({ row, isParent: (rows[index + 1]?.depth ?? 0) > row.depth })
  }
  return shown
}

function Row({
  row,
  index,
  count,
  isParent,
  isChosen,
  isOpen,
  isFolded,
  agents,
  choose,
  fold,
}: ShownRow & {
  readonly index: number
  readonly count: number
  readonly isChosen: boolean
  readonly isOpen: boolean
  readonly isFolded: boolean
  readonly agents: readonly string[]
  readonly choose: () => void
  readonly fold: () => void
}): JSX.Element {
  const { kind, agent, depth, error, outcome, ms, tokens, cost, cached } = row
  const shown = (text: string): string => (kind === 'tool' || kind === 'code' ? text : plainText(text))
  return (
    <div
      id={`row-${index}`}
      class={isOpen ? 'row open' : 'row'}
      data-kind={kind}
      data-shared={row.isShared || undefined}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-selected={isChosen}
      aria-expanded={isParent ? !isFolded : undefined}
      data-colour={colourOf(agents, agent) ?? 'none'}
      style={{ top: `${index * ROW_HEIGHT}px`, '--depth': String(Math.min(depth, 12)) }}
      onClick={choose}
    >
      <span
        class={isParent ? 'fold' : 'fold none'}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation()
          if (isParent) fold()
        }}
      >
        {isParent && <Icon name="down" />}
      </span>
      <span class="kind">
        <Icon name={kind === 'reply' && row.model === null ? 'chat' : ICONS[kind]} />
      </span>
      <span class="words">
        <b>{headOf(row)}</b> <span class="text">{shown(row.text)}</span>
        {row.result && <span class="result"> → {shown(row.result)}</span>}
        {error && <span class="bad"> {error}</span>}
      </span>
      <span class="figures">
        {outcome !== 'ok' && <OutcomeMark outcome={outcome} short />}
        {tokens && (
          <span title={`${tokens[0]} tokens in, ${tokens[1]} out`}>{shortNumber(tokens[0] + tokens[1])} tok</span>
        )}
        {cached ? <span>cached</span> : cost !== null && cost > 0 && <span>{dollarsText(cost)}</span>}
        {ms !== null && <span class="ms">{durationText(ms)}</span>}
      </span>
    </div>
  )
}

/** Returns the bold words of a row: who, or what. */
export function headOf({ kind, agent, name }: StepRow): string {
  switch (kind) {
    case 'chat':
      return `${agent ?? ''} → ${name ?? ''}`
    case 'reply':
    case 'answer':
      return agent ?? ''
    case 'tool':
    case 'note':
      return name ?? kind
    case 'modelCall':
      return agent ?? name ?? 'model'
    case 'modelAttempt':
      return name ?? 'model'
    case 'searchJob':
      return name ?? 'job'
    case 'humanInput':
      return 'person'
    default:
      return kind
  }
}
