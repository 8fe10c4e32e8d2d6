import type { ChatMessage, HistoryQuestion } from '@x/interfaces'
import { estimateText } from '../src/count/text-tokens.ts'
import { tokensOf } from '../src/count/message-tokens.ts'
import { standaloneQuestion } from '../src/standalone-question.ts'
import type { Need } from './needs.ts'

/** The tokens of all requests of a conversation. */
export interface Cost {
  /** Tokens that the provider does not have in its cache. */
  readonly fresh: number
  /** Tokens of the prefix that a request shares with the one before it. */
  readonly cached: number
  /** Tokens that models read to write summaries. */
  readonly summaries: number
  readonly cuts: number
}

const sizeOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + tokensOf(message, estimateText), 0)

/** A provider's cache of prompts. */
class PromptCache {
  #last: readonly string[] = []
  fresh = 0
  cached = 0

  send(messages: readonly ChatMessage[]): void {
    const parts = messages.map((message) => JSON.stringify(message))
    let shared = 0
    while (shared < this.#last.length && parts[shared] === this.#last[shared]) shared++
    this.cached += sizeOf(messages.slice(0, shared))
    this.fresh += sizeOf(messages.slice(shared))
    this.#last = parts
  }
}

/** Returns the cost of a need if everything is sent. */
export function costWithoutHistory({ turns }: Need): Cost {
  const cache = new PromptCache()
  const messages: ChatMessage[] = []
  for (const turn of turns) {
    messages.push(...turn)
    cache.send(messages)
  }
  return { fresh: cache.fresh, cached: cache.cached, summaries: 0, cuts: 0 }
}

/** Returns the cost of a need with its history. */
export async function costOfHistory({ turns, history, summaries }: Need): Promise<Cost> {
  const cache = new PromptCache()
  const view = history()
  const messages: ChatMessage[] = []
  const question: HistoryQuestion = standaloneQuestion({ messages })
  let cuts = 0
  for (const turn of turns) {
    messages.push(...turn)
    const { messages: sent, cut } = await view.choose(question)
    if (cut) cuts++
    cache.send(sent)
  }
  const read = summaries?.calls.reduce((sum, call) => sum + sizeOf(call.messages), 0) ?? 0
  return { fresh: cache.fresh, cached: cache.cached, summaries: read, cuts }
}
