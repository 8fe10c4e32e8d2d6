import type { Budget, Journal, JournalEntry, JournalKind, MaybePromise, RunTracer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { escapedEntry, forkedEntries, MemoryJournal } from '@x/kernel/run'
import type { KeptRun } from './kept-run.ts'
import { newId } from './platform.ts'
import type { Records } from './records.ts'

/** Options that a program passes on to the operation that goes on from the fork. */
export interface ForkedOptions {
  readonly journal: Journal
  /** The budget of all samples; absent without one. */
  readonly budget?: Budget
  readonly tracer?: RunTracer
}

/**
 * A program that goes on from a place of a recorded run, such as with another prompt, model or tool. A model with a cache
 * answers equal questions of all samples alike: give it `sample` as its `cacheSeed`.
 */
export type ForkedProgram<T> = (options: ForkedOptions, sample: number) => MaybePromise<T>

/** Options of {@link forkRun}. */
export interface ForkOptions {
  /** Records the forks, which name the run as their parent; default: they are not recorded. */
  readonly records?: Records | undefined
  /** How often the run goes on; default 1. */
  readonly samples?: number | undefined
  /** Limits what all samples together may spend; default: no limit. */
  readonly budget?: Budget | undefined
  /**
   * The answer at the place, in the place of the recorded one: the reply of a model, the text of a tool or a person, the
   * decision on an approval. Default: what stands there is asked again.
   */
  readonly answer?: unknown
  /** Tags of the recorded forks. */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

const FORK_KINDS: OptionKinds<ForkOptions> = {
  records: kind.having('what `openRecords` returned', 'tagged'),
  samples: kind.whole(1),
  budget: kind.having('a budget, such as `createBudget({ … })`', 'reserve'),
  answer: kind.any,
  tags: kind.any,
}

/** One future of a run: the value of the program, or its error. */
export type ForkedRun<T> = { readonly runId: string } & (
  | { readonly value: T; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: unknown }
)

/**
 * Goes on from a place of a recorded run, with whatever the program is now: what stands before the place is answered from the
 * record, what stands at it or behind it is asked and paid anew. Each sample has an id and keys of its own. A place is that of
 * a call, such as `1.3`; null goes on behind the end of the record.
 */
export async function forkRun<T>(
  run: KeptRun,
  place: string | null,
  program: ForkedProgram<T>,
  options: ForkOptions = {},
): Promise<readonly ForkedRun<T>[]> {
  checkOptions((options as object | undefined) ?? null, FORK_KINDS, 'run `forkRun`')
  const { records, samples = 1, budget, tags } = options
  const { problem } = run.info
  if (problem !== null) throw new XError('invalid-state', `the run cannot be forked: ${problem}`)
  const given = givenAnswer(run, place, options)
  const goOn = async (sample: number): Promise<ForkedRun<T>> => {
    const runId = newId()
    const entries = [...forkedEntries(run.entries, place, { runId, version: null }), ...given]
    const tracer = records?.forking({ parent: { runId: run.info.runId, place }, entries }, tags)
    const journal = new MemoryJournal(entries.map(escapedEntry), run.waits)
    const own = { journal, ...(budget && { budget }), ...(tracer && { tracer }) }
    try {
      return { runId, value: await program(own, sample) }
    } catch (error) {
      return { runId, error }
    }
  }
  return await Promise.all(Array.from({ length: samples }, async (_, sample) => await goOn(sample)))
}

/** Returns the entry of the answer that a fork is given at its place, and refuses a place that is none. */
function givenAnswer(run: KeptRun, place: string | null, options: ForkOptions): readonly JournalEntry[] {
  if (!('answer' in options) || options.answer === undefined) {
    // A call that failed has no answer.
    const isKnown = place === null || [...run.entries, ...run.calls].some((each) => each.place === place)
    if (isKnown) return []
    throw noPlace(run, place)
  }
  const known = place === null ? undefined : run.entries.find((entry) => entry.place === place && entry.kind in ANSWERS)
  if (!known) throw noPlace(run, place)
  const { kind: source, name } = known
  const value = ANSWERS[source as keyof typeof ANSWERS](options.answer)
  return [{ place: place!, kind: source, ...(name !== undefined && { name }), value }]
}

const noPlace = (run: KeptRun, place: string | null): XError => {
  const places = [...new Set(run.calls.map((call) => call.place))]
  return new XError(
    'invalid-argument',
    `cannot fork the run: no call has the place \`${String(place)}\`, but ${places.slice(0, 20).join(', ')} have answers`,
    { details: { place, places } },
  )
}

/** The forms of given answers in a journal, by the kinds of calls whose answers may be given. */
const ANSWERS = {
  model: (reply: unknown) => ({ reply, usage: { actual: null, total: null } }),
  tool: (result: unknown) =>
    typeof result === 'string'
      ? { success: true, text: result }
      : { success: true, text: JSON.stringify(result ?? null), json: true },
  human: (text: unknown) => text,
  decision: (decision: unknown) => decision,
  reply: (reply: unknown) => [true, reply],
} as const satisfies Partial<Record<JournalKind, (answer: unknown) => unknown>>
