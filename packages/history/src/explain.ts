import type { ChatMessage, HistoryCutReport, LlmConfig, ModelLimits } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { tokensOf } from './count/message-tokens.ts'
import { estimateText } from './count/text-tokens.ts'
import { draftCut } from './cut/cut.steps.ts'
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

/** What becomes of one message; tool results are messages of their own. */
export interface ExplainedMessage {
  /** Position in the history, with tool results counted one by one. */
  readonly index: number
  readonly role: ChatMessage['role']
  /** Tokens of the message as it is stored, estimated. */
  readonly tokens: number
  readonly fate: 'sent' | 'cleared' | 'shortened' | 'summarized' | 'left out'
}

/** What a model would be sent of a history. */
export interface Explanation {
  /** The messages that would be sent; a note stands where a model would write a summary. */
  readonly messages: readonly ChatMessage[]
  readonly rows: readonly ExplainedMessage[]
  /** Tokens of the request, with the system message and tools, before and after. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Why the history would be cut; null when it fits. */
  readonly reason: HistoryCutReport['reason'] | null
}

/**
 * Tells which messages of a history a view would send to a model that is asked for the first time: what is left out,
 * cleared or shortened. No model is asked, and tokens are estimated.
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
  const { state, due } = view.dueCut(questionOutside({ messages, before, llmConfig, limits }), estimateText)
  const tokens = messages.map((message) => tokensOf(message, estimateText))
  const draft = due && draftCut(due)
  const items = draft ? draft.result() : state.items
  const shown = new Map(items.map((item) => [item.source, item]))
  const summarized = new Set(draft?.messages.flatMap((each) => (each.summarized ? [each.source] : [])))
  const rows = messages.map(({ role }, index): ExplainedMessage => {
    const item = shown.get(index)
    const fate = item
      ? item.change === 'cleared' || item.change === 'shortened'
        ? item.change
        : 'sent'
      : summarized.has(index)
        ? 'summarized'
        : 'left out'
    return { index, role, tokens: tokens[index]!, fate }
  })
  const tokensBefore = tokens.reduce(
    (sum, each) => sum + each,
    before.reduce((sum, each) => sum + tokensOf(each, estimateText), 0),
  )
  return {
    messages: items.map(({ message }) => message),
    rows,
    tokensBefore,
    tokensAfter: Math.round(draft ? draft.tokens : tokensBefore),
    reason: due?.reason ?? null,
  }
}
