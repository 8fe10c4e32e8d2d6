import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { HistoryDraft } from '../draft/history-draft.ts'
import { requireNumber, SHARE_KIND, TOKENS_KIND } from './option-kinds.ts'
import type { TokenLimit, View } from './view.ts'

const TOKEN_LIMIT_KINDS: OptionKinds<TokenLimit> = { total: TOKENS_KIND, perMessage: TOKENS_KIND, to: SHARE_KIND }

const TOTAL_WORDS = { 'max maxTokens limit tokens maxInputTokens': 'write `total`' }

/**
 * Limits the tokens of a request, and those of each message. A number up to 1 is a share of the window less room for an
 * answer. When the limit is exceeded, the oldest messages are left out.
 */
export function limitTokens(limit: number | TokenLimit = {}): View {
  if (typeof limit === 'object') checkOptions(limit, TOKEN_LIMIT_KINDS, 'run `limitTokens`', TOTAL_WORDS)
  else requireNumber(limit, TOKENS_KIND, 'limitTokens')
  return { name: 'limitTokens', limit: typeof limit === 'number' ? { total: limit } : limit }
}

/** Options of `limitMessages`. */
export interface LimitMessagesOptions {
  /** Most messages that are sent. */
  readonly max: number
  /** Messages that remain after a cut; default half of `max`. With `to` equal to `max`, every further message is a cut. */
  readonly to?: number | undefined
}

const MESSAGE_LIMIT_KINDS: OptionKinds<LimitMessagesOptions> = { max: kind.whole(1), to: kind.whole(1) }

const MAX_WORDS = { 'total maxMessages limit messages last lastMessages': 'write `max`' }

/**
 * Keeps the last messages, at most `max`. Calls and their results stay together, so that a cut may leave a message more or
 * less; the newest question, system messages and pinned messages stay.
 */
export function limitMessages(options: number | LimitMessagesOptions): View {
  if (typeof options === 'object') checkOptions(options ?? null, MESSAGE_LIMIT_KINDS, 'run `limitMessages`', MAX_WORDS)
  const { max, to = Math.ceil(max / 2) } = typeof options === 'object' ? options : { max: options }
  requireNumber(max, MESSAGE_LIMIT_KINDS.max, 'limitMessages')
  const least = Math.min(to, max)
  return {
    name: 'limitMessages',
    order: 1,
    settings: { to: least },
    maxMessages: max,
    cut: (draft) => keepLast(draft, max, least),
  }
}

function keepLast(draft: HistoryDraft, max: number, to: number): void {
  const { messages } = draft
  const countSent = (): number => messages.reduce((sum, { source, gone }) => sum + (gone || source < 0 ? 0 : 1), 0)
  let sent = countSent()
  if (sent <= max) return
  for (let index = 0; index < messages.length && sent > to; index++) {
    if (messages[index]!.gone || messages[index]!.source < 0) continue
    if (draft.leaveOut(index)) sent = countSent()
  }
}
