import type { Budget, Journal, JournalEntry, JournalKind, MaybePromise, RunTracer } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { contentOfResult, contentText } from '@x/kernel/tool-content'
import { escapedEntry, forkedEntries, RUN_PLACE } from '@x/kernel/run'
import { ForkJournal } from './fork-journal.ts'
import { isFreshBeginning, isRequest, type KeptRun, requireRun } from './kept-run.ts'
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
   * The answer at the place, in the place of the recorded one: the reply of a model or a reply function, the result of a tool,
   * the text of a person, the decision on an approval. Default: what stands there is asked again.
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
 * a call, such as `1.3`; null goes on behind the end of the record. A program that starts nothing with its options has an error
 * in place of its value.
 */
export async function forkRun<T>(
  run: KeptRun,
  place: string | null,
  program: ForkedProgram<T>,
  options: ForkOptions = {},
): Promise<readonly ForkedRun<T>[]> {
  checkOptions((options as object | undefined) ?? null, FORK_KINDS, 'run `forkRun`')
  const { records, samples = 1, budget, tags } = options
  requireRun(run, 'run `forkRun`')
  const { problem } = run.info
  if (problem !== null) throw new XError('invalid-state', `the run cannot be forked: ${problem}`)
  const given = givenAnswer(run, place, options)
  const goOn = async (sample: number): Promise<ForkedRun<T>> => {
    const runId = newId()
    const before = forkedEntries(run.entries, place, { runId, version: null })
    const entries = [...withoutBeginnings(before), ...given]
    const tracer = records?.forking({ parent: { runId: run.info.runId, place }, entries }, tags)
    const journal = new ForkJournal(entries.map(escapedEntry), run)
    const own = { journal, ...(budget && { budget }), ...(tracer && { tracer }) }
    try {
      const value = await program(own, sample)
      if (!journal.hasBegun) throw notBegun()
      return { runId, value }
    } catch (error) {
      return { runId, error }
    }
  }
  return await Promise.all(Array.from({ length: samples }, async (_, sample) => await goOn(sample)))
}

const notBegun = (): XError =>
  new XError(
    'invalid-argument',
    'the program has not gone on with the run: pass the options of `forkRun` on to the operation that it starts, and wait for its result; what it asked was asked anew, and nothing was answered from the record',
  )

/**
 * Leaves out how chats began that the program can begin by itself: its messages and options may be others, as its prompts.
 * Chats that had ended before those beginnings have ended in the fork too.
 */
function withoutBeginnings(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const [beginnings, left] = [entries.filter(isFreshBeginning), entries.filter((entry) => !isFreshBeginning(entry))]
  const ended = beginnings.flatMap((entry) => entry.ended ?? [])
  if (ended.length === 0) return left
  return left.map((entry) =>
    entry.place === RUN_PLACE ? { ...entry, ended: [...(entry.ended ?? []), ...ended] } : entry,
  )
}

/** Returns the entry of the answer that a fork is given at its place, and refuses a place that is none. */
function givenAnswer(run: KeptRun, place: string | null, { answer }: ForkOptions): readonly JournalEntry[] {
  // A call that failed has no answer, and parts stand in no order.
  const there = [...run.entries, ...run.calls].filter((each) => each.place === place && each.kind !== 'part')
  if (place !== null && there.length === 0) throw noPlace(run, place, 'no call has the place')
  if (answer === undefined) return []
  const call = there.find(({ kind: source }) => source in ANSWERS)
  // Vectors, counts and batches have the kind of a tool, and another form.
  if (!call || run.calls.some((each) => each.place === place && isRequest(each)))
    throw noPlace(run, place, 'no answer can be given at the place')
  const source = call.kind as keyof typeof ANSWERS
  const message = messageAt(call)
  const { expected, takes, toEntry } = message ? formOfMessage(message) : ANSWERS[source]
  if (!takes(answer) || !isJson(answer)) {
    throw new XError(
      'invalid-argument',
      `cannot fork the run: \`answer\` at \`${place}\` is not ${expected}, which a call of kind \`${source}\` has`,
      { details: { place, kind: source } },
    )
  }
  // As it would be read again: without fields that are undefined.
  const value = JSON.parse(JSON.stringify(toEntry(answer))) as unknown
  return [{ place: place!, kind: source, ...(call.name !== null && { name: call.name }), value }]
}

const noPlace = (run: KeptRun, place: string | null, problem: string): XError => {
  const places = [...new Set(run.calls.flatMap((call) => (call.kind === 'part' ? [] : [call.place])))]
  const more = places.length > MAX_PLACES_SHOWN ? ', …' : ''
  return new XError(
    'invalid-argument',
    `cannot fork the run: ${problem} \`${String(place)}\`; its calls are at ${places.slice(0, MAX_PLACES_SHOWN).join(', ')}${more}`,
    { details: { place, places } },
  )
}

/** Most places in an error. */
const MAX_PLACES_SHOWN = 20

/** The form of given answers of a kind, as a program gives them and as a journal has them. */
interface AnswerForm {
  readonly expected: string
  readonly takes: (answer: unknown) => boolean
  readonly toEntry: (answer: unknown) => unknown
}

/** The value of a message that was sent to a hosted chat, with its number among those of the chat. */
interface SentMessage {
  readonly number: number
  readonly message: unknown
}

/** Returns a message that a hosted chat has received; null for any other call, also for one that has waited in vain. */
const messageAt = (call: JournalEntry | KeptRun['calls'][number]): SentMessage | null =>
  call.kind === 'human' && 'value' in call && isObject(call.value) && 'message' in (call.value as object)
    ? (call.value as SentMessage)
    : null

const formOfMessage = (sent: SentMessage): AnswerForm => ({
  expected: 'JSON',
  takes: isJson,
  toEntry: (message) => ({ ...sent, message }),
})

const isText = (answer: unknown): boolean => typeof answer === 'string'
const isObject = (answer: unknown): boolean => typeof answer === 'object' && answer !== null && !Array.isArray(answer)
function isJson(answer: unknown): boolean {
  try {
    return JSON.stringify(answer) !== undefined
  } catch {
    return false
  }
}

/** Returns the result of a tool as a journal has it: a text, parts such as images, or other JSON. */
function toolEntry(result: unknown): object {
  const content = contentOfResult(result)
  if (Array.isArray(content)) return { success: true, text: contentText(content), parts: content }
  const value = content ?? result
  return typeof value === 'string'
    ? { success: true, text: value }
    : { success: true, text: JSON.stringify(value), json: true }
}

/** The forms of given answers in a journal, by the kinds of calls whose answers may be given. */
const ANSWERS = {
  model: {
    expected: 'a text or a message',
    takes: (reply) => isText(reply) || isObject(reply),
    toEntry: (reply) => ({ reply, usage: { actual: null, total: null } }),
  },
  tool: {
    expected: 'a text or other JSON',
    takes: isJson,
    toEntry: toolEntry,
  },
  human: { expected: 'a text', takes: isText, toEntry: (text) => text },
  decision: {
    expected: 'a decision, such as { allow: true }',
    takes: (decision) => isObject(decision) && typeof (decision as { allow?: unknown }).allow === 'boolean',
    toEntry: (decision) => decision,
  },
  reply: {
    expected: 'a text or a message, or null',
    takes: (reply) => reply === null || isText(reply) || isObject(reply),
    toEntry: (reply) => [true, reply],
  },
} as const satisfies Partial<Record<JournalKind, AnswerForm>>
