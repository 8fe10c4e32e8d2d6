import type { ChatMessage, HistoryCutReport, LlmConfig, ModelLimits } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { tokensOf } from './count/message-tokens.ts'
import { estimateText } from './count/text-tokens.ts'
import type { Change } from './draft/item.ts'
import type { FittedHistory } from './fitted-history.ts'
import { questionOutside } from './outside.ts'
import { unrolled } from './unrolled.ts'
import { ViewHistory } from './view-history.ts'

/** Options of `explain`. */
export interface ExplainOptions {
  /** Models that would be asked: their window and tools. */
  readonly llmConfig?: LlmConfig | undefined
  /** Limits of the model, where no `llmConfig` is given. */
  readonly limits?: ModelLimits | undefined
  /** What the model is told first; default: nothing. */
  readonly systemMessage?: string | undefined
}

const KINDS: OptionKinds<ExplainOptions> = {
  llmConfig: kind.having('a value of `llmConfig({ providers, configList })` of `@x/model`', 'createModel'),
  limits: kind.object,
  systemMessage: kind.text,
}

/** The fate of one message; tool results are messages of their own. */
export interface ExplainedMessage {
  /** Position in the history, with tool results counted one by one. */
  readonly index: number
  readonly role: ChatMessage['role']
  /** Tokens of the message as it is stored, estimated. */
  readonly tokens: number
  readonly fate: 'sent' | 'cleared' | 'shortened' | 'summarized' | 'left out'
}

/** The messages that a model would be sent of a history. */
export interface Explanation {
  /** The messages that would be sent; a note stands where a model would write a summary. */
  readonly messages: readonly ChatMessage[]
  readonly rows: readonly ExplainedMessage[]
  /** Tokens of the whole history as a request, with the system message and tools, and of the request that would be sent. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  /**
   * The cuts so far, oldest first; none while the history fits. `at` is the number of messages at the cut:
   * `explain(history.slice(0, at), view)` shows what was sent after it.
   */
  readonly cuts: readonly (HistoryCutReport & { readonly at: number })[]
}

/**
 * Tells which messages of a history a view would send to a model: what is left out, cleared or shortened. The history is
 * cut as it would have been by an agent that asked its model before each of its messages (`role: 'assistant'`). No model is
 * asked, and tokens are estimated, so that later cuts may fall a little earlier or later.
 */
export function explain(
  history: readonly ChatMessage[],
  view: FittedHistory,
  options: ExplainOptions = {},
): Explanation {
  checkOptions(options, KINDS, 'run `explain`')
  if (!Array.isArray(history) || !(view instanceof ViewHistory)) {
    throw new XError(
      'invalid-argument',
      'cannot run `explain`: give a list of messages and what `fit` returns, as in `explain(agent.chatMessages.get(other), fit())`',
    )
  }
  const { llmConfig, limits, systemMessage } = options
  const messages = unrolled(history as readonly ChatMessage[])
  const before: ChatMessage[] = systemMessage ? [{ role: 'system', content: systemMessage }] : []
  const question = questionOutside({ messages, before, llmConfig, limits })
  const { items, cuts, beside, tokens: tokensAfter } = view.rehearse(question, estimateText)
  const shown = new Map(items.map((item) => [item.source, item]))
  const summarized = new Set(cuts.flatMap((cut) => cut.summarized))
  const rows = messages.map((message, index): ExplainedMessage => {
    const change = shown.get(index)?.change
    const isSent = change !== undefined
    const fate = isSent ? fateOf(change) : summarized.has(index) ? 'summarized' : 'left out'
    return { index, role: message.role, tokens: tokensOf(message, estimateText), fate }
  })
  return {
    messages: items.map(({ message }) => message),
    rows,
    tokensBefore: Math.round(rows.reduce((sum, { tokens }) => sum + tokens, beside)),
    tokensAfter: Math.round(tokensAfter),
    cuts: cuts.map(({ at, report }) => ({ at: storedBefore(history, at), ...report })),
  }
}

/** What became of a message that is sent. */
const fateOf = (change: Change | null): ExplainedMessage['fate'] =>
  change === 'cleared' || change === 'shortened' ? change : 'sent'

/** How many messages of a history come before a position at which tool results count one by one. */
function storedBefore(history: readonly ChatMessage[], position: number): number {
  let seen = 0
  const next = history.findIndex((message) => {
    const isBehind = seen >= position
    seen += unrolled([message]).length
    return isBehind
  })
  return next < 0 ? history.length : next
}
