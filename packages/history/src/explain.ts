import type { ChatMessage, HistoryCutReport, LlmConfig, ModelLimits } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { tokensOf } from './count/message-tokens.ts'
import { estimateText } from './count/text-tokens.ts'
import type { Change } from './draft/item.ts'
import { standaloneQuestion, unrollToolResponses } from './standalone-question.ts'
import { ViewHistory } from './view-history.ts'
import type { FittedHistory } from './views/view.ts'

/** Options of `explain`. */
export interface ExplainOptions {
  /** The models that would be asked; their window and tools count. */
  readonly llmConfig?: LlmConfig | undefined
  /** Limits of the model, if no `llmConfig` is given. */
  readonly limits?: ModelLimits | undefined
  /** The system message; default: none. */
  readonly systemMessage?: string | undefined
}

const EXPLAIN_KINDS: OptionKinds<ExplainOptions> = {
  llmConfig: kind.having('a value of `llmConfig({ providers, configList })` of `@x/model`', 'createModel'),
  limits: kind.object,
  systemMessage: kind.text,
}

/** The fate of one message; every tool result is a message of its own. */
interface ExplainedMessage {
  /** Position in the history; every tool result counts. */
  readonly index: number
  readonly role: ChatMessage['role']
  /** Estimated tokens of the message as it is stored. */
  readonly tokens: number
  readonly fate: 'sent' | 'cleared' | 'shortened' | 'summarized' | 'left out'
}

/** The messages of a history that a model would see, and why. */
export interface Explanation {
  /** The messages that would be sent; a note stands where a model would write a summary. */
  readonly messages: readonly ChatMessage[]
  /** The fate of each message. */
  readonly rows: readonly ExplainedMessage[]
  /** Tokens of a request with the whole history, the system message and the tools. */
  readonly tokensBefore: number
  /** Tokens of the request that would be sent. */
  readonly tokensAfter: number
  /**
   * The cuts so far, oldest first; none while the history fits. `at` is the number of messages at the cut:
   * `explain(history.slice(0, at), view)` shows the messages that were sent after the cut.
   */
  readonly cuts: readonly (HistoryCutReport & { readonly at: number })[]
}

/**
 * Shows which messages of a history a view would send to a model, and which it would leave out, clear or shorten. The
 * history is cut as if an agent had asked its model before each of its messages (`role: 'assistant'`). No model is asked and
 * tokens are estimated, so that later cuts may come a little earlier or later than in the chat.
 */
export function explain(
  history: readonly ChatMessage[],
  view: FittedHistory,
  options: ExplainOptions = {},
): Explanation {
  checkOptions(options, EXPLAIN_KINDS, 'run `explain`')
  if (!Array.isArray(history) || !(view instanceof ViewHistory)) {
    throw new XError(
      'invalid-argument',
      'cannot run `explain`: give a list of messages and what `fit` returns, as in `explain(agent.chatMessages.get(other), fit())`',
    )
  }
  const { llmConfig, limits, systemMessage } = options
  const messages = unrollToolResponses(history as readonly ChatMessage[])
  const before: ChatMessage[] = systemMessage ? [{ role: 'system', content: systemMessage }] : []
  const question = standaloneQuestion({ messages, before, llmConfig, limits })
  const { items, cuts, unmanaged, tokens: tokensAfter } = view.rehearse(question, estimateText)
  const sentItems = new Map(items.map((item) => [item.source, item]))
  const summarized = new Set(cuts.flatMap((cut) => cut.summarized))
  const rows = messages.map((message, index): ExplainedMessage => {
    const change = sentItems.get(index)?.change
    const isSent = change !== undefined
    const fate = isSent ? fateOf(change) : summarized.has(index) ? 'summarized' : 'left out'
    return { index, role: message.role, tokens: tokensOf(message, estimateText), fate }
  })
  return {
    messages: items.map(({ message }) => message),
    rows,
    tokensBefore: Math.round(rows.reduce((sum, { tokens }) => sum + tokens, unmanaged)),
    tokensAfter: Math.round(tokensAfter),
    cuts: cuts.map(({ at, report }) => ({ at: storedPosition(history, at), ...report })),
  }
}

/** Returns the fate of a message that is sent. */
const fateOf = (change: Change | null): ExplainedMessage['fate'] =>
  change === 'cleared' || change === 'shortened' ? change : 'sent'

/** Converts a position that counts every tool result into a position in the stored history. */
function storedPosition(history: readonly ChatMessage[], position: number): number {
  let seen = 0
  const next = history.findIndex((message) => {
    const isReached = seen >= position
    seen += unrollToolResponses([message]).length
    return isReached
  })
  return next < 0 ? history.length : next
}
