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
 * without an `id` has that of its line, such as `line 3`. An `expected` whole number that JavaScript would round is a text.
 */
export function readTasks(text: string): readonly EvalTask[] {
  return readLines(text).map(([line, row, written]) => {
    // Data sets number their rows, and write null for what a row has not.
    const { input, answerSchema } = row
    const given = written['id'] ?? row['id']
    const id = typeof given === 'number' ? String(given) : (given ?? `line ${line}`)
    // Answers to a schema are rounded as it is.
    const expected = (isObject(answerSchema) ? undefined : written['expected']) ?? row['expected']
    const kind = row['kind'] ?? ''
    if (typeof input !== 'string') throw badLine(line, 'it has no `input`, the text of the question')
    if (typeof id !== 'string') throw badLine(line, 'its `id` is not a text')
    if (typeof kind !== 'string') throw badLine(line, 'its `kind` is not a text')
    if (!isObject(answerSchema ?? {})) throw badLine(line, 'its `answerSchema` is not an object')
    return {
      id,
      input,
      ...(kind !== '' && { kind }),
      ...(expected !== undefined && { expected }),
      ...(isObject(answerSchema) && { answerSchema }),
    }
  })
}

/** Reads answers that people have judged from JSON lines, for `judge`: `input`, `answer`, `label` (true if right), `expected`. */
export function readLabelled(text: string): readonly LabelledAnswer[] {
  return readLines(text).map(([line, { input, answer, label, ...row }, written]) => {
    const expected = written['expected'] ?? row['expected']
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

/** A line of a data set, and the numbers of its row that JavaScript would round, as they are written. */
type Line = readonly [line: number, row: Row, written: Readonly<Record<string, string>>]

function readLines(text: string): readonly Line[] {
  return text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, index + 1)]))
}

/** The text that a value of JSON was read from. */
interface Written {
  readonly source?: string
}

function readLine(text: string, line: number): Line {
  const rounded: (readonly [holder: unknown, key: string, source: string])[] = []
  function read(this: unknown, key: string, value: unknown, { source = '' }: Written = {}): unknown {
    if (typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/u.test(source))
      rounded.push([this, key, source])
    return key === '__proto__' ? undefined : value
  }
  let row: unknown
  try {
    row = JSON.parse(text, read)
  } catch {
    throw badLine(line, 'it is not JSON')
  }
  if (!isObject(row)) throw badLine(line, 'it is not an object')
  const own = rounded.filter(([holder]) => holder === row)
  return [line, row, Object.fromEntries(own.map(([, key, source]) => [key, source]))]
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

const badLine = (line: number, problem: string): XError =>
  new XError('invalid-argument', `cannot read line ${line} of the data set: ${problem}`, { details: { line } })
