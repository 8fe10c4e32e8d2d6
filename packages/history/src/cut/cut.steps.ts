import type { HistoryCut, HistoryCutReport, HistoryQuestion, Model } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { TextCounter } from '../count/text-tokens.ts'
import { Draft } from '../draft/draft.ts'
import { leaveOutOldest } from '../draft/leave-out-oldest.ts'
import { shortenLargest } from '../draft/shorten-largest.ts'
import type { ConversationState } from './conversation-state.ts'
import type { CutRecord } from './cut-record.ts'
import type { Settings } from './settings.ts'
import { clearAttachments } from '../views/clear-attachments.ts'
import type { View } from '../views/view.ts'
import { partToSummarize, summarizeOlder, type SummaryOutcome } from './summary.steps.ts'

/** A cut that is due. */
export interface DueCut {
  readonly state: ConversationState
  readonly settings: Settings
  readonly count: TextCounter
  /** Tokens that are sent beside the messages. */
  readonly beside: number
  /** Tokens that a request may have; undefined where nothing is known of it. */
  readonly room: number | undefined
  readonly reason: HistoryCutReport['reason']
}

/** The record of a cut, with what a model of the view used for it. */
export interface KeptCut {
  readonly cut: CutRecord
  readonly usage: HistoryCut['usage']
  readonly report: HistoryCutReport
}

/** Cuts a history until it fits; null when nothing could be cut. */
export function* cutHistory(
  due: DueCut,
  question: HistoryQuestion,
  summaryModel: () => Model,
): Steps<HistoryCut | null, never> {
  const { settings, count } = due
  const draft = draftOf(due)
  const before = draft.tokens
  const room = roomOf(due, before)
  for (const view of clearingOf(due)) view.cut!(draft)
  let outcome: SummaryOutcome = { usage: null, failure: null }
  if (settings.summary && isTooLarge(draft, due, room)) {
    const model = summaryModel()
    const request = { draft, count, settings: settings.summary, question, model, room: Math.min(room, before) }
    outcome = yield* summarizeOlder(request)
  }
  leaveOut(draft, due, room)
  if (due.reason === 'overflow' && draft.tokens > before * BARELY) return null
  const { failure, usage } = outcome
  const warnings =
    failure === null ? [] : [`the older part of a history was left out, because it could not be summed up: ${failure}`]
  if (draft.tokens > room * settings.at && due.state.stuckAt === null) warnings.push(stuckText(due, draft.tokens, room))
  const { report, cut } = takeCut(draft, due, before)
  return { report, record: { cut, usage, report } satisfies KeptCut, usage, warnings }
}

/**
 * The views that clear messages. Providers refuse requests for the number and the bytes of their images too, of which tokens
 * say nothing: since a refusal attachments go before messages do.
 */
const clearingOf = ({ settings: { clearing }, reason, state }: DueCut): readonly View[] =>
  (reason === 'overflow' || state.ceiling !== null) && !clearing.some(({ name }) => name === 'clearAttachments')
    ? [...clearing, clearAttachments()]
    : clearing

/** Says that a history does not fit whatever is cut. */
const stuckText = ({ beside }: DueCut, tokens: number, room: number): string =>
  `a history could not be cut to fit: about ${Math.round(tokens)} tokens are left where ${Math.round(room)} fit, ${Math.round(beside)} of them of the system message and the tools; shorten these, pin less, or use a model with a larger window`

/** Share of a refused request that another one must be smaller than. */
const BELOW = 0.9
const BARELY = 0.95

/** A cut that no model was asked for. */
export interface RehearsedCut {
  readonly report: HistoryCutReport
  /** Positions of the messages that a summary would stand for. */
  readonly summarized: readonly number[]
}

/** Cuts a history as `cutHistory` does, with a note in the place of a summary. */
export function rehearseCut(due: DueCut): RehearsedCut {
  const draft = draftOf(due)
  const before = draft.tokens
  const room = roomOf(due, before)
  const { clearing, summary } = due.settings
  for (const view of clearing) view.cut!(draft)
  if (summary && isTooLarge(draft, due, room)) {
    const older = partToSummarize(draft, Math.min(room, before), summary)
    if (older.length > 0) draft.putSummary(older, { role: 'user', content: '[A summary would stand here.]' })
  }
  leaveOut(draft, due, room)
  const summarized = draft.messages.flatMap((each) => (each.summarized ? [each.source] : []))
  return { report: takeCut(draft, due, before).report, summarized }
}

/** Sends what a draft has left from now on. */
function takeCut(draft: Draft, due: DueCut, before: number): Pick<KeptCut, 'report' | 'cut'> {
  const { state, settings, reason, count, beside } = due
  const room = roomOf(due, before)
  const cut = state.replace(draft.result(), reason === 'overflow' ? before * BELOW : state.ceiling)
  // With the note that stands where messages are missing.
  const report = reportOf(draft, due, { before, after: state.tokens(count, beside) })
  state.stuckAt = draft.tokens > room * settings.at ? draft.tokens : null
  return { report, cut }
}

function draftOf({ state, settings, count, beside, room, reason }: DueCut): Draft {
  const { items, ratio } = state
  // After a refusal the estimate was wrong, or the window is not known: what counts is to become much smaller.
  const limit = reason === 'overflow' ? Math.min(room ?? Infinity, state.tokens(count, beside)) : (room ?? Infinity)
  return new Draft({ items, count, beside, ratio, target: limit * settings.to, pins: settings.pins })
}

/** The limit that a history is cut for. */
const roomOf = ({ room = Infinity, reason }: DueCut, before: number): number =>
  reason === 'overflow' ? Math.min(room, before) : room

/** The size from which on more has to be lost: halfway from what a cut comes down to, to where the next one is due. */
const halfway = ({ settings: { to, at } }: DueCut, room: number): number => (room * (to + at)) / 2

/** Whether clearing was not enough. */
const isTooLarge = (draft: Draft, due: DueCut, room: number): boolean =>
  due.reason === 'messages' || draft.tokens > halfway(due, room)

function leaveOut(draft: Draft, due: DueCut, room: number): void {
  for (const view of due.settings.leaving) view.cut!(draft)
  if (draft.tokens > halfway(due, room)) leaveOutOldest(draft)
  // What stays may be more than the target: it is shortened only as far as it has to be.
  shortenLargest(draft, halfway(due, room), due.count)
}

function reportOf(
  draft: Draft,
  { reason }: DueCut,
  { before, after }: { readonly before: number; readonly after: number },
): HistoryCutReport {
  const { messages } = draft
  const count = (has: (each: (typeof messages)[number]) => boolean): number => messages.filter(has).length
  const isShown = ({ source, gone }: (typeof messages)[number]): boolean => source >= 0 && !gone
  return {
    reason,
    tokensBefore: Math.round(before),
    tokensAfter: Math.round(after),
    leftOut: count(({ source, gone }) => source >= 0 && gone),
    summarized: count(({ source, summarized }) => source >= 0 && summarized),
    cleared: count((each) => isShown(each) && each.item.change === 'cleared' && each.changedNow),
    shortened: count((each) => isShown(each) && each.item.change === 'shortened' && each.changedNow),
  }
}
