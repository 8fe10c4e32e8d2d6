import type { ChatMessage, HistoryQuestion } from '@x/interfaces'
import { estimateText } from '../src/count/text-tokens.ts'
import { tokensOf } from '../src/count/message-tokens.ts'
import { questionOutside } from '../src/outside.ts'
import type { Need } from './needs.ts'

/** Tokens that a conversation sends in all its requests. */
export interface Cost {
  /** Tokens that the provider reads anew. */
  readonly fresh: number
  /** Tokens that the provider has in its cache, since the request begins as the one before it. */
  readonly cached: number
  /** Tokens that are read for summaries. */
  readonly summaries: number
  readonly cuts: number
}

const sizeOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + tokensOf(message, estimateText), 0)

/** A cache of prompts, as a provider has one. */
class PromptCache {
  #last: readonly string[] = []
  fresh = 0
  cached = 0

  send(messages: readonly ChatMessage[]): void {
    const parts = messages.map((message) => JSON.stringify(message))
    let same = 0
    while (same < this.#last.length && parts[same] === this.#last[same]) same++
    this.cached += sizeOf(messages.slice(0, same))
    this.fresh += sizeOf(messages.slice(same))
    this.#last = parts
  }
}

/** What a need costs when everything is sent. */
export function costOfNothing({ turns }: Need): Cost {
  const cache = new PromptCache()
  const messages: ChatMessage[] = []
  for (const turn of turns) {
    messages.push(...turn)
    cache.send(messages)
  }
  return { fresh: cache.fresh, cached: cache.cached, summaries: 0, cuts: 0 }
}

/** What a need costs with its history. */
export async function costOfHistory({ turns, history, summaries }: Need): Promise<Cost> {
  const cache = new PromptCache()
  const view = history()
  const messages: ChatMessage[] = []
  const question: HistoryQuestion = questionOutside({ messages })
  let cuts = 0
  for (const turn of turns) {
    messages.push(...turn)
    const { messages: sent, cut } = await view.choose(question)
    if (cut) cuts++
    cache.send(sent)
  }
  const read = summaries?.calls.reduce((sum, { messages: asked }) => sum + sizeOf(asked), 0) ?? 0
  return { fresh: cache.fresh, cached: cache.cached, summaries: read, cuts }
}
