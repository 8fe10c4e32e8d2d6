import type { ChosenHistory, HistoryCut, HistoryCutReport, HistoryQuestion, Model } from '@x/interfaces'
import { isThenable, type Steps, XError } from '@x/kernel'
import { estimateText, type TextCounter } from '../count/text-tokens.ts'
import { loadCounter, type EncodingName } from '../count/tokenizer.steps.ts'
import { Draft } from '../draft/draft.ts'
import { shortenLargest } from '../draft/shorten.ts'
import type { ConversationState } from './conversation-state.ts'
import type { CutRecord } from './cut-record.ts'
import type { Settings } from './settings.ts'
import { partToSummarize, summarizeOlder, type SummaryOutcome } from './summary.steps.ts'
import type { UnmanagedTokens } from './token-headroom.ts'
import { clearAttachments } from '../views/clear.ts'
import type { View } from '../views/view.ts'

/** The parts of a choice that may need a tokenizer or a summary. */
export interface PendingChoice {
  readonly state: ConversationState
  readonly unmanaged: UnmanagedTokens
  readonly encoding: EncodingName | null
  /** Loaded counters by their encodings. */
  readonly counters: Map<string, TextCounter>
  /** Returns the cut that is due by a count; null if none is. */
  readonly findDueCut: (count: TextCounter) => DueCut | null
  readonly summaryModel: () => Model
}

/** Chooses the messages of a question: counts the texts, and cuts the history if a cut is due. */
export function* chooseWithCut(
  question: HistoryQuestion,
  { state, unmanaged, encoding, counters, findDueCut, summaryModel }: PendingChoice,
): Steps<ChosenHistory, never> {
  let count = encoding === null ? estimateText : counters.get(encoding)
  if (!count) {
    count = yield* loadCounter(encoding!, question.run)
    counters.set(encoding!, count)
  }
  state.calibrate(count, unmanaged.tokens(count))
  const due = findDueCut(count)
  return { cut: due && (yield* cutHistory(due, question, summaryModel)), messages: state.sent }
}

/** A cut that is due. */
export interface DueCut {
  readonly state: ConversationState
  readonly settings: Settings
  readonly count: TextCounter
  /** Tokens of the request that no view can cut. */
  readonly unmanaged: number
  /** Tokens that a request may have; undefined if no limit is known. */
  readonly headroom: number | undefined
  readonly reason: HistoryCutReport['reason']
}

/** The record of a cut, with the usage of the model that wrote its summary. */
export interface KeptCut {
  readonly cut: CutRecord
  readonly usage: HistoryCut['usage']
  readonly report: HistoryCutReport
}

/** Cuts a history until it fits; returns null if nothing could be cut. */
function* cutHistory(
  due: DueCut,
  question: HistoryQuestion,
  summaryModel: () => Model,
): Steps<HistoryCut | null, never> {
  const { settings, count } = due
  const draft = draftOf(due)
  const before = draft.tokens
  const headroom = headroomOf(due, before)
  for (const view of clearingViews(due)) applyView(view, draft)
  let outcome: SummaryOutcome = { usage: null, failure: null }
  if (settings.summary && isTooLarge(draft, due, headroom)) {
    const model = summaryModel()
    const request = { draft, count, settings: settings.summary, question, model, headroom: Math.min(headroom, before) }
    outcome = yield* summarizeOlder(request)
  }
  leaveOut(draft, due, headroom)
  if (due.reason === 'overflow' && draft.tokens > before * MIN_REDUCTION_SHARE) return null
  const { failure, usage } = outcome
  const warnings =
    failure === null ? [] : [`the older part of a history was left out because it could not be summarized: ${failure}`]
  if (draft.tokens > headroom * settings.at && due.state.stuckAt === null) {
    warnings.push(stuckWarning(due, draft.tokens, headroom))
  }
  const { report, cut } = applyCut(draft, due, before)
  return { report, record: { cut, usage, report } satisfies KeptCut, usage, warnings }
}

/** Lets a view change the draft of a cut. What a promise of it changed would come too late, and nobody would hear that it failed. */
function applyView(view: View, draft: Draft): void {
  const given: unknown = view.cut!(draft)
  if (!isThenable(given)) return
  given.then(undefined, () => {})
  throw new XError(
    'invalid-result',
    `\`cut\` of the view \`${view.name}\` returned a promise: change the draft at once`,
  )
}

/**
 * Returns the views that clear messages. Providers also refuse requests for the number and the bytes of their images, which
 * token counts do not show: after a refusal, attachments are cleared before messages are left out.
 */
const clearingViews = ({ settings: { clearing }, reason, state }: DueCut): readonly View[] =>
  (reason === 'overflow' || state.ceiling !== null) && !clearing.some(({ name }) => name === 'clearAttachments')
    ? [...clearing, clearAttachments()]
    : clearing

/** Words the warning that a history does not fit whatever is cut. */
const stuckWarning = ({ unmanaged }: DueCut, tokens: number, headroom: number): string =>
  `a history could not be cut to fit: about ${Math.round(tokens)} tokens are left where ${Math.round(headroom)} fit, of which the system message and the tools have ${Math.round(unmanaged)}; shorten these, pin less, or use a model with a larger window`

/** Share of a refused request that is the limit from then on. */
const REFUSED_LIMIT_SHARE = 0.9

/** Share of a refused request above which its cut is not worth another request. */
const MIN_REDUCTION_SHARE = 0.95

/** The outcome of a cut without a model. */
export interface RehearsedCut {
  readonly report: HistoryCutReport
  /** Positions of the messages that a summary would replace. */
  readonly summarized: readonly number[]
}

/** Cuts a history without a model: a note stands in place of a summary. */
export function rehearseCut(due: DueCut): RehearsedCut {
  const draft = draftOf(due)
  const before = draft.tokens
  const headroom = headroomOf(due, before)
  const { clearing, summary } = due.settings
  for (const view of clearing) applyView(view, draft)
  if (summary && isTooLarge(draft, due, headroom)) {
    const older = partToSummarize(draft, Math.min(headroom, before), summary)
    if (older.length > 0) draft.putSummary(older, { role: 'user', content: '[A summary would stand here.]' })
  }
  leaveOut(draft, due, headroom)
  const summarized = draft.messages.flatMap((entry) => (entry.summarized ? [entry.source] : []))
  return { report: applyCut(draft, due, before).report, summarized }
}

/** Makes the messages of a draft those that are sent from now on. */
function applyCut(draft: Draft, due: DueCut, before: number): Pick<KeptCut, 'report' | 'cut'> {
  const { state, settings, reason, count, unmanaged } = due
  const headroom = headroomOf(due, before)
  const cut = state.replace(draft.result(), reason === 'overflow' ? before * REFUSED_LIMIT_SHARE : state.ceiling)
  // The count includes the note in place of missing messages.
  const report = reportOf(draft, due, { before, after: state.tokens(count, unmanaged) })
  state.stuckAt = draft.tokens > headroom * settings.at ? draft.tokens : null
  return { report, cut }
}

function draftOf({ state, settings, count, unmanaged, headroom = Infinity, reason }: DueCut): Draft {
  const { items, ratio } = state
  // After a refusal the estimate or the window is known to be wrong: the request has to become much smaller.
  const limit = reason === 'overflow' ? Math.min(headroom, state.tokens(count, unmanaged)) : headroom
  return new Draft({ items, count, unmanaged, ratio, target: limit * settings.to, pins: settings.pins })
}

/** Returns the limit that a history is cut for. */
const headroomOf = ({ headroom = Infinity, reason }: DueCut, before: number): number =>
  reason === 'overflow' ? Math.min(headroom, before) : headroom

/** Returns the size above which a cut goes on: halfway between its target and the size at which the next one is due. */
const halfway = ({ settings: { to, at } }: DueCut, headroom: number): number => (headroom * (to + at)) / 2

/** True if clearing was not enough. */
const isTooLarge = (draft: Draft, due: DueCut, headroom: number): boolean =>
  due.reason === 'messages' || draft.tokens > halfway(due, headroom)

function leaveOut(draft: Draft, due: DueCut, headroom: number): void {
  for (const view of due.settings.leaving) applyView(view, draft)
  if (draft.tokens > halfway(due, headroom)) leaveOutOldest(draft)
  // The messages that stay may exceed the target: they are shortened only as far as they have to be.
  shortenLargest(draft, halfway(due, headroom), due.count)
}

/** Leaves out the oldest messages until the target is reached, except those that stay. */
function leaveOutOldest(draft: Draft): void {
  for (const { from } of draft.units) {
    if (draft.tokens <= draft.target) return
    if (!draft.messages[from]!.gone) draft.leaveOut(from)
  }
}

function reportOf(
  draft: Draft,
  { reason }: DueCut,
  { before, after }: { readonly before: number; readonly after: number },
): HistoryCutReport {
  const { messages } = draft
  const count = (matches: (entry: (typeof messages)[number]) => boolean): number => messages.filter(matches).length
  const isSent = ({ source, gone }: (typeof messages)[number]): boolean => source >= 0 && !gone
  return {
    reason,
    tokensBefore: Math.round(before),
    tokensAfter: Math.round(after),
    leftOut: count(({ source, gone }) => source >= 0 && gone),
    summarized: count(({ source, summarized }) => source >= 0 && summarized),
    cleared: count((entry) => isSent(entry) && entry.item.change === 'cleared' && entry.changedNow),
    shortened: count((entry) => isSent(entry) && entry.item.change === 'shortened' && entry.changedNow),
  }
}
