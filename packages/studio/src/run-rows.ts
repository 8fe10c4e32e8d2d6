import { type KeptRun, runSteps, type RunStep } from '@x/records'
import type { StepRow } from './protocol.ts'

/** Characters of a text that a row shows. */
const MAX_ROW_TEXT = 280

/** A row, and the steps of the run that it stands for: a reply stands for the question to its model too. */
export interface RowOfSteps {
  /** The run whose record has the row: a fork shows the rows of the run that it was forked from. */
  readonly run: KeptRun
  readonly row: StepRow
  readonly steps: readonly RunStep[]
  /** Number of the last event that told of the row, or of one before it that is there no more. */
  readonly lastSeq: number
}

/** Lays the steps of a run out as rows. */
export function rowsOf(run: KeptRun): readonly RowOfSteps[] {
  const rows: RowOfSteps[] = []
  // Conversations may be nested deeper than calls of functions may be.
  const waiting = runSteps(run)
    .map((step) => ({ step, depth: 0, isOpen: false }))
    .toReversed()
  let leftOutSeq = -1
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { step, depth } = next
    const { row, inside } = rowOf(next)
    if (row) rows.push({ ...row, run, lastSeq: Math.max(row.lastSeq, leftOutSeq) })
    leftOutSeq = row ? -1 : Math.max(leftOutSeq, step.lastSeq)
    const isOpen = ['suspended', 'running'].includes(step.outcome)
    for (const each of inside.toReversed()) waiting.push({ step: each, depth: row ? depth + 1 : depth, isOpen })
  }
  return rows
}

/** A step at its depth; `isOpen` says whether the step around it has not ended. */
interface PlacedStep {
  readonly step: RunStep
  readonly depth: number
  readonly isOpen: boolean
}

function rowOf(placed: PlacedStep): {
  readonly row: Omit<RowOfSteps, 'run'> | null
  readonly inside: readonly RunStep[]
} {
  const { step } = placed
  const call = step.kind === 'reply' || step.kind === 'answer' ? onlyCall(step) : null
  const isPassedOver = step.kind === 'reply' && !call && !step.output && step.outcome === 'ok'
  if (isPassedOver) return { row: null, inside: step.steps }
  const shown = call ? [step, call] : [step]
  const inside = [
    ...step.steps.filter((each) => each !== call),
    // An attempt that answered at once is told by its question.
    ...(call ? attemptsOf(call) : []),
  ]
  const row = { row: facts(placed, call), steps: shown, lastSeq: lastSeqOf(step) }
  return { row, inside: step.kind === 'modelCall' ? attemptsOf(step) : inside }
}

/**
 * Returns the number of the last event of a step, and of the questions and attempts inside: its row is another one then, or has
 * others behind it.
 */
function lastSeqOf({ lastSeq, steps }: RunStep): number {
  return steps.filter(isOfModel).reduce((last, each) => Math.max(last, lastSeqOf(each)), lastSeq)
}

const isOfModel = ({ kind }: RunStep): boolean => kind === 'modelCall' || kind === 'modelAttempt'

/** Returns the only question to a model inside a reply; null if there are several or none. */
function onlyCall({ steps }: RunStep): RunStep | null {
  const calls = steps.filter(isOfModel)
  return calls.length === 1 ? calls[0]! : null
}

function attemptsOf({ steps }: RunStep): readonly RunStep[] {
  return steps.length === 1 && steps[0]!.outcome === 'ok' && steps[0]!.kind === 'modelAttempt' ? [] : steps
}

/**
 * Puts the rows that a fork shares with its run before its own: the record of a fork begins at its place. What encloses the place
 * is as the fork has it.
 */
export function withShared(
  shared: readonly RowOfSteps[],
  own: readonly RowOfSteps[],
  place: string | null,
): readonly RowOfSteps[] {
  const cut = place === null ? -1 : shared.findIndex(({ row }) => row.place === place)
  const before = cut === -1 ? shared : shared.slice(0, cut)
  const byId = new Map(own.map((each) => [each.row.id, each]))
  const known = new Set(before.map(({ row }) => row.id))
  return [
    ...before.map((each) => byId.get(each.row.id) ?? { ...each, row: { ...each.row, isShared: true }, lastSeq: 0 }),
    ...own.filter(({ row }) => !known.has(row.id)),
  ]
}

const IS_SAID: ReadonlySet<RunStep['kind']> = new Set(['reply', 'answer', 'modelCall', 'note'])

function facts({ step, depth, isOpen }: PlacedStep, call: RunStep | null): StepRow {
  const { id, kind, agent, time, ms, outcome, error, input, output } = step
  const { name, place, usage, cost, cached } = call ?? step
  const isModel = call !== null || kind === 'modelCall' || kind === 'modelAttempt'
  const isSaid = IS_SAID.has(kind)
  return {
    id,
    depth,
    kind,
    agent,
    place,
    time,
    ms,
    outcome,
    cost,
    cached,
    name: step.name ?? name,
    text: beginning(isSaid ? output : input),
    result: isSaid || kind === 'chat' ? '' : beginning(output),
    error: error === null ? null : beginning(error),
    tokens: usage && [usage.promptTokens, usage.completionTokens],
    model: isModel ? name : null,
    waits: isOpen && kind === 'note' && step.name === 'approval',
    isShared: false,
  }
}

/** Returns the beginning of a text. */
function beginning(text: string): string {
  const start = text
    .slice(0, MAX_ROW_TEXT * 2)
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return start.length > MAX_ROW_TEXT ? `${start.slice(0, MAX_ROW_TEXT - 1)}…` : start
}
