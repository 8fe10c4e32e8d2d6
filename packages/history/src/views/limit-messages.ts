import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { HistoryDraft } from '../draft/history-draft.ts'
import type { View } from './view.ts'
import { requireNumber } from './share.ts'

/** Options of `limitMessages`. */
export interface LimitMessagesOptions {
  /** Most messages that are sent. */
  readonly max: number
  /** Messages that a cut leaves; default half of `max`. With `to` equal to `max`, every further message is a cut. */
  readonly to?: number | undefined
}

const KINDS: OptionKinds<LimitMessagesOptions> = { max: kind.whole(1), to: kind.whole(1) }

/**
 * Keeps the last messages, at most `max`. Calls and their results stay together, so that a cut may leave a message more or
 * less; the newest question, system messages and pinned messages stay.
 */
export function limitMessages(options: number | LimitMessagesOptions): View {
  if (typeof options === 'object') checkOptions(options ?? null, KINDS, 'run `limitMessages`')
  const { max, to = Math.ceil(max / 2) } = typeof options === 'object' ? options : { max: options }
  requireNumber(max, KINDS.max, 'limitMessages')
  return { name: 'limitMessages', order: 1, maxMessages: max, cut: (draft) => keepLast(draft, max, Math.min(to, max)) }
}

function keepLast(draft: HistoryDraft, max: number, to: number): void {
  const { messages } = draft
  const count = (): number => messages.reduce((sum, { source, gone }) => sum + (gone || source < 0 ? 0 : 1), 0)
  let left = count()
  if (left <= max) return
  for (let index = 0; index < messages.length && left > to; index++) {
    if (messages[index]!.gone || messages[index]!.source < 0) continue
    if (draft.leaveOut(index)) left = count()
  }
}
