import type { Journal, JournalKind, MaybePromise, RunTracer } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { checkOptions, type OptionKinds } from '@x/kernel/options'
import { RUN_PLACE } from '@x/kernel/run'
import { describeDifference, pathsOf, type RunDifference } from './difference.ts'
import { readFixture } from './fixture.ts'
import { requireRun, type KeptRun } from './kept-run.ts'
import { platformNow } from './platform.ts'
import type { RunTexts } from './normalize.ts'
import { ReplayJournal, type ReplayRules } from './replay-journal.ts'

/** Options that a program passes on to the operation that runs again. */
export interface RepeatOptions {
  readonly journal: Journal
  readonly tracer: RunTracer
}

/** A program of a recorded run: it starts the operation of the run again, with the options of the replay. */
export type RepeatedProgram = (options: RepeatOptions, run: KeptRun) => MaybePromise<unknown>

/** Options of {@link replay}. */
export interface ReplayOptions {
  /**
   * Parts that may differ, such as `model.settings.*.temperature` or `chatEnd.summary`: paths of differences, where `*` stands
   * for one part. Default: none.
   */
  readonly ignore?: readonly string[] | undefined
  /**
   * Kinds of calls that are really made, such as `tool` and `reply`, whose answers are then compared. Default: none, everything
   * outside of the program is answered from the record.
   */
  readonly make?: readonly JournalKind[] | undefined
}

/** All kinds of calls: one that is misspelt would be answered from the record without a word. */
const CALL_KINDS: Readonly<Record<JournalKind, true>> = {
  model: true,
  tool: true,
  human: true,
  code: true,
  reply: true,
  hook: true,
  vetting: true,
  message: true,
  summary: true,
  carryover: true,
  begin: true,
  question: true,
  decision: true,
  timer: true,
  part: true,
  wait: true,
  checkpoint: true,
  speaker: true,
  handoff: true,
  search: true,
  job: true,
}

/** Returns the kind of an option that takes a list of some texts. */
const listOf = (
  expected: string,
  takes: (text: string) => boolean,
): OptionKinds<{ readonly all: readonly string[] }>['all'] => ({
  expected,
  takes: (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string' && takes(each)),
})

const REPLAY_KINDS: OptionKinds<ReplayOptions> = {
  ignore: listOf("a list of paths, such as ['model.settings.*.temperature']", (path) => path !== ''),
  make: listOf(
    'a list of kinds of calls, as tool, reply, hook, vetting, message, summary, carryover, speaker or handoff',
    (name) => Object.hasOwn(CALL_KINDS, name),
  ),
}

/** How the run of a program today compares with a recorded one. */
export type ReplayReport =
  /** `text` says how far it was compared, if the record ends before the run did. */
  | { readonly outcome: 'same'; readonly text?: string }
  | { readonly outcome: 'differs'; readonly difference: RunDifference; readonly text: string }
  /** The record does not suffice, or the program did not run. */
  | { readonly outcome: 'cannot'; readonly text: string }

/**
 * Runs a program again offline: each call outside is answered from the record, and what it asks is compared with what it asked
 * then: prompts, parameters, tools, arguments, code, and the messages and ends of all chats. The first difference ends the run.
 * Random identifiers and the time of the run may differ. Where identifiers differ, the program runs once more: one that it
 * has again is no random one.
 */
export async function replay(
  run: KeptRun,
  program: RepeatedProgram,
  options: ReplayOptions = {},
): Promise<ReplayReport> {
  checkOptions((options as object | undefined) ?? null, REPLAY_KINDS, 'run `replay`')
  const { ignore = [], make = [] } = options
  requireRun(run, 'run `replay`')
  const { problem } = run.info
  if (problem !== null) return { outcome: 'cannot', text: `the run cannot be repeated: ${problem}` }
  const rules: ReplayRules = { mayDiffer: pathsOf(ignore), made: new Set(make), now: platformNow }
  const first = await replayOnce(run, program, rules)
  if (first.report.outcome !== 'same' || first.texts.counterparts.size === 0) return first.report
  // An identifier that the program has again is a constant of it, and was changed. Nothing is made twice.
  const again = { ...rules, made: new Set<JournalKind>(), constants: first.texts.counterparts }
  const second = await replayOnce(run, program, again)
  return second.texts.hasFoundConstant ? second.report : first.report
}

async function replayOnce(
  run: KeptRun,
  program: RepeatedProgram,
  rules: ReplayRules,
): Promise<{ readonly report: ReplayReport; readonly texts: RunTexts }> {
  const journal = new ReplayJournal(run, rules)
  const { texts } = journal
  let failure: unknown
  try {
    await program({ journal, tracer: journal }, run)
  } catch (error) {
    failure = error
  }
  if (!journal.hasBegun) {
    const text =
      failure === undefined
        ? 'pass its options on to the operation that it starts, and wait for its result'
        : messageOf(failure)
    return { report: { outcome: 'cannot', text: `the program has not begun the run: ${text}` }, texts }
  }
  if (!journal.difference && isXError(failure) && failure.details?.['unrepeatable'] === true)
    return { report: { outcome: 'cannot', text: failure.message }, texts }
  journal.endComparison(failure)
  const { difference } = journal
  if (!difference && failure !== undefined && run.info.outcome === 'ok' && !mayFail(run, failure))
    return { report: { outcome: 'cannot', text: `the program failed, and not its run: ${messageOf(failure)}` }, texts }
  if (!difference)
    return { report: { outcome: 'same', ...(run.info.outcome === null && { text: untilEnd(run) }) }, texts }
  const failed =
    failure === undefined || isXError(failure, 'run-differs') ? '' : `\n  the program failed: ${messageOf(failure)}`
  return { report: { outcome: 'differs', difference, text: describeDifference(difference) + failed }, texts }
}

/**
 * Expects that a program runs as a recorded run did; for tests. The run is a {@link KeptRun} or the path of a fixture. Fails
 * with `run-differs` at the first difference, with both sides and its place, and with `invalid-state` if the run cannot be
 * repeated.
 */
export async function expectReplay(
  run: KeptRun | string,
  program: RepeatedProgram,
  options?: ReplayOptions,
): Promise<void> {
  const kept = typeof run === 'string' ? readFixture(run) : run
  const report = await replay(kept, program, options)
  if (report.outcome === 'same') return
  if (report.outcome === 'cannot') throw new XError('invalid-state', report.text)
  throw new XError('run-differs', report.text, { details: { ...report.difference } })
}

/** True for the error of a program that waits, or has a version, as those of hosts: the record does not say how it ended. */
const mayFail = ({ entries }: KeptRun, error: unknown): boolean =>
  isXError(error, 'suspended') ||
  entries.some(({ place, value }) => place === RUN_PLACE && (value as { version?: unknown }).version !== undefined)

const untilEnd = ({ info, calls }: KeptRun): string =>
  `compared only up to where the record ends, behind ${calls.length} calls: ${info.cutOff ? 'the process ended before the run' : 'the run had not ended'}`

const messageOf = (error: unknown): string =>
  isXError(error) || error instanceof Error ? error.message : String(error)
