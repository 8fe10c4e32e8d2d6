import type { ChatMessage } from '@x/interfaces'
import type { SummarySettings, TokenLimit, View } from '../views/view.ts'

/** The combined settings of several views. */
export interface Settings {
  /** Views that clear messages; they come first in a cut. */
  readonly clearing: readonly View[]
  /** Views that leave messages out; they come last in a cut. */
  readonly leaving: readonly View[]
  readonly summary: SummarySettings | null
  readonly limit: TokenLimit
  /** Share of the limit at which a cut is due. */
  readonly at: number
  /** Share of the limit that a cut reduces the request to. */
  readonly to: number
  readonly maxMessages: number
  readonly pins: (message: ChatMessage, index: number) => boolean
}

/** Share of the window at which a cut is due where no `total` is given: estimates may be too low. */
const WINDOW_SHARE = 0.9

/** Combines the settings of views; the smallest of several limits applies. */
export function settingsOf(views: readonly View[]): Settings {
  const limit: { total?: number; perMessage?: number; to?: number } = {}
  for (const { limit: viewLimit = {} } of views) {
    for (const key of ['total', 'perMessage', 'to'] as const) {
      const value = viewLimit[key]
      if (value !== undefined) limit[key] = Math.min(limit[key] ?? Infinity, value)
    }
  }
  const at = Math.min(limit.total === undefined ? WINDOW_SHARE : 1, ...views.map((view) => view.at ?? 1))
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
