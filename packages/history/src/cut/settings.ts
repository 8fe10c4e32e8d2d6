import type { ChatMessage } from '@x/interfaces'
import type { SummarySettings, TokenLimit, View } from '../views/view.ts'

/** The settings of several views together. */
export interface Settings {
  /** Views that clear messages, tried first. */
  readonly clearing: readonly View[]
  /** Views that leave messages out, tried last. */
  readonly leaving: readonly View[]
  readonly summary: SummarySettings | null
  readonly limit: TokenLimit
  /** Share of the limit from which on a cut is due. */
  readonly at: number
  /** Share of the limit that a cut comes down to. */
  readonly to: number
  readonly maxMessages: number
  readonly pins: (message: ChatMessage, index: number) => boolean
}

/** A limit that was not given is the window's, and estimates may be wrong: a cut is due before it is reached. */
const BEFORE_THE_WINDOW = 0.9

/** Puts views together; of several limits the smallest counts. */
export function settingsOf(views: readonly View[]): Settings {
  const limit: { total?: number; perMessage?: number; to?: number } = {}
  for (const { limit: its = {} } of views) {
    for (const key of ['total', 'perMessage', 'to'] as const) {
      const value = its[key]
      if (value !== undefined) limit[key] = Math.min(limit[key] ?? Infinity, value)
    }
  }
  const at = Math.min(limit.total === undefined ? BEFORE_THE_WINDOW : 1, ...views.map((view) => view.at ?? 1))
  const inOrder = views.toSorted(({ order: a = 1 }, { order: b = 1 }) => a - b)
  const pins = views.flatMap((view) => view.pins ?? [])
  return {
    clearing: inOrder.filter(({ order = 1, cut }) => cut && order < 0),
    leaving: inOrder.filter(({ order = 1, cut }) => cut && order >= 0),
    summary: views.find(({ summary }) => summary)?.summary ?? null,
    limit,
    at,
    to: Math.min(limit.to ?? 0.5, at),
    maxMessages: Math.min(...views.map(({ maxMessages = Infinity }) => maxMessages), Infinity),
    pins: (message, index) => pins.some((isPinned) => isPinned(message, index)),
  }
}
