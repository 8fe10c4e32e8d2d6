import type { ConfigEntry, HistoryQuestion } from '@x/interfaces'
import { maxTokensOf, tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'
import type { TokenLimit } from '../views/view.ts'

type ModelQuestion = Pick<HistoryQuestion, 'model' | 'llmConfig'>

/** Share of the window that an answer is assumed to need if nothing says so, and the most that is reserved for one. */
const DEFAULT_ANSWER_SHARE = 0.25
const MAX_ANSWER_SHARE = 0.5

/**
 * Returns the tokens that a request may have: the window less room for an answer, or a lower limit. Undefined if neither
 * the window nor a limit is known.
 */
export function tokenHeadroom({ model, llmConfig }: ModelQuestion, { total }: TokenLimit): number | undefined {
  const config = llmConfig?.config
  const { contextWindow, maxOutput } = model.limitsOf?.({ model: config?.model }) ?? {}
  const free =
    contextWindow === undefined
      ? undefined
      : contextWindow -
        Math.min(
          maxAnswerTokens(config) ?? maxOutput ?? contextWindow * DEFAULT_ANSWER_SHARE,
          contextWindow * MAX_ANSWER_SHARE,
        )
  if (total === undefined) return free
  if (total <= 1) return free === undefined ? undefined : free * total
  return free === undefined ? total : Math.min(total, free)
}

/** Returns the most tokens of an answer that a config allows. */
function maxAnswerTokens(config: Config | undefined): number | undefined {
  const limits = [config, ...(config?.configList ?? [])].flatMap((entry) => {
    const { max_tokens: older, max_completion_tokens: newer } = (entry ?? {}) as Record<string, unknown>
    const limit = newer ?? older
    return typeof limit === 'number' && limit > 0 ? [limit] : []
  })
  return limits.length > 0 ? Math.max(...limits) : undefined
}

type Config = Readonly<ConfigEntry> & { readonly configList?: readonly ConfigEntry[] | undefined }

/** Returns the name of the first model of a config list. */
export const firstModelName = ({ llmConfig }: Pick<ModelQuestion, 'llmConfig'>): string | null => {
  const { model, configList } = llmConfig?.config ?? {}
  return model ?? configList?.[0]?.model ?? null
}

type UnmanagedParts = Pick<HistoryQuestion, 'before' | 'llmConfig' | 'tools'>

/** The tokens of a request that no view can cut: the messages before the history, and the tools. */
export class UnmanagedTokens {
  readonly #before: UnmanagedParts['before']
  readonly #llmConfig: UnmanagedParts['llmConfig']
  readonly #moreTools: NonNullable<UnmanagedParts['tools']>
  readonly #toolsText: string
  /** The most tokens that these parts can have. */
  readonly max: number
  #counted: { readonly count: TextCounter; readonly tokens: number } | null = null

  constructor({ before, llmConfig, tools: moreTools = [] }: UnmanagedParts) {
    this.#before = before
    this.#llmConfig = llmConfig
    const { tools, functions } = (llmConfig?.config ?? {}) as Record<string, unknown>
    this.#moreTools = moreTools
    const lists = [tools ?? functions, moreTools.length > 0 ? moreTools : undefined].filter(Boolean)
    this.#toolsText = lists.length > 0 ? JSON.stringify(lists) : ''
    this.max = before.reduce((sum, message) => sum + maxTokensOf(message), this.#toolsText.length * 3)
  }

  /** True if a question has the same messages before its history and the same tools. */
  belongsTo({ before, llmConfig, tools = [] }: UnmanagedParts): boolean {
    return (
      llmConfig === this.#llmConfig &&
      before.length === this.#before.length &&
      before.every((message, index) => message === this.#before[index]) &&
      tools.length === this.#moreTools.length &&
      tools.every((tool, index) => tool === this.#moreTools[index])
    )
  }

  /** Counts the tokens. */
  tokens(count: TextCounter): number {
    if (this.#counted?.count !== count) {
      const tokens = this.#before.reduce((sum, message) => sum + tokensOf(message, count), count(this.#toolsText))
      this.#counted = { count, tokens }
    }
    return this.#counted.tokens
  }
}
