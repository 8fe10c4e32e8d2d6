import type { HistoryQuestion } from '@x/interfaces'
import { mostTokens, tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'

type Asked = Pick<HistoryQuestion, 'before' | 'llmConfig' | 'tools'>

/** Tokens of what is sent beside the history: the messages before it and the tools. */
export class Beside {
  readonly #before: Asked['before']
  readonly #llmConfig: Asked['llmConfig']
  readonly #moreTools: Asked['tools']
  readonly #tools: string
  readonly most: number
  #counted: { readonly count: TextCounter; readonly tokens: number } | null = null

  constructor({ before, llmConfig, tools: more = [] }: Asked) {
    this.#before = before
    this.#llmConfig = llmConfig
    const { tools, functions } = (llmConfig?.config ?? {}) as Record<string, unknown>
    this.#moreTools = more
    const all = [tools ?? functions, more.length > 0 ? more : undefined].filter(Boolean)
    this.#tools = all.length > 0 ? JSON.stringify(all) : ''
    this.most = before.reduce((sum, message) => sum + mostTokens(message), this.#tools.length * 3)
  }

  /** Whether it is still what is sent beside. */
  isOf({ before, llmConfig, tools = [] }: Asked): boolean {
    return (
      llmConfig === this.#llmConfig &&
      before.length === this.#before.length &&
      before.every((message, index) => message === this.#before[index]) &&
      tools.length === this.#moreTools!.length &&
      tools.every((tool, index) => tool === this.#moreTools![index])
    )
  }

  /** Counts its tokens. */
  tokens(count: TextCounter): number {
    if (this.#counted?.count !== count) {
      const tokens = this.#before.reduce((sum, message) => sum + tokensOf(message, count), count(this.#tools))
      this.#counted = { count, tokens }
    }
    return this.#counted.tokens
  }
}
