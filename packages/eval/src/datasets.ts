import { XError } from '@x/kernel'
import { contentText } from '@x/kernel/tool-content'
import type { EvalTask, LabelledAnswer } from './task.ts'

/** A run of records, as `records.read` of `@x/records` gives it. */
interface RecordedRun {
  readonly info: {
    readonly runId: string
    readonly labels: readonly { readonly name: string; readonly value: unknown; readonly place: string | null }[]
  }
  /** The first message of the run. */
  readonly message: unknown
}

/**
 * Reads tasks from JSON lines: one object a line with `input`, and as it likes `id`, `kind`, `expected` and `answerSchema`. A task
 * without an `id` has that of its line, such as `line 3`.
 */
export function readTasks(text: string): readonly EvalTask[] {
  return readLines(text).map(([line, row]) => {
    // Data sets number their rows, and write null for what a row has not.
    const { input, expected, answerSchema } = row
    const id = typeof row['id'] === 'number' ? String(row['id']) : (row['id'] ?? `line ${line}`)
    const kind = row['kind'] ?? ''
    if (typeof input !== 'string') throw badLine(line, 'it has no `input`, the text of the question')
    if (typeof id !== 'string') throw badLine(line, 'its `id` is not a text')
    if (typeof kind !== 'string') throw badLine(line, 'its `kind` is not a text')
    if (!isObject(answerSchema ?? {})) throw badLine(line, 'its `answerSchema` is not an object')
    return {
      ...{ id, input },
      ...(kind !== '' && { kind }),
      ...(expected !== undefined && { expected }),
      ...(isObject(answerSchema) && { answerSchema }),
    }
  })
}

/** Reads answers that people have judged from JSON lines, for `judge`: `input`, `answer`, `label` (true if right), `expected`. */
export function readLabelled(text: string): readonly LabelledAnswer[] {
  return readLines(text).map(([line, { input, answer, expected, label }]) => {
    if (typeof input !== 'string' || typeof answer !== 'string' || typeof label !== 'boolean')
      throw badLine(line, 'it needs `input` and `answer`, both texts, and `label`: true or false')
    return { input, answer, label, ...(expected !== undefined && { expected }) }
  })
}

/**
 * Makes tasks of recorded runs: the first message of each is the question, and its label `expected`, if it has one, the right answer.
 * Runs that begin with no text are left out.
 */
export function tasksFromRuns(runs: Iterable<RecordedRun>): readonly EvalTask[] {
  return [...runs].flatMap(({ info, message }) => {
    const content = typeof message === 'object' && message !== null && 'content' in message ? message.content : message
    const input = contentText(content)
    const expected = info.labels.find(({ name, place }) => name === 'expected' && place === null)
    return input === '' ? [] : [{ id: info.runId, input, ...(expected && { expected: expected.value }) }]
  })
}

type Row = Readonly<Record<string, unknown>>

function readLines(text: string): readonly (readonly [line: number, row: Row])[] {
  return text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [[index + 1, rowOf(line, index + 1)] as const]))
}

function rowOf(text: string, line: number): Row {
  let row: unknown
  try {
    row = JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
  } catch {
    throw badLine(line, 'it is not JSON')
  }
  if (isObject(row)) return row
  throw badLine(line, 'it is not an object')
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

const badLine = (line: number, problem: string): XError =>
  new XError('invalid-argument', `cannot read line ${line} of the data set: ${problem}`, { details: { line } })
