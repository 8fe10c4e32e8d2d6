import type { ModelEvent } from '@x/interfaces'
import { tokensIn } from './text-size.ts'

/** Content of a stream that has arrived, as far as it tells how much was generated. */
export class ReceivedContent {
  #pieces = 0
  #tokens = 0
  #rest = ''

  /** Adds an event with content. */
  add(event: ModelEvent): void {
    this.#pieces++
    if (event.type === 'textDelta' || event.type === 'reasoningDelta') this.#rest += event.text
    else if (event.type === 'toolCallDelta') this.#rest += event.arguments
    else if (event.type === 'toolCallStart') this.#rest += event.name
    if (this.#rest.length < ENOUGH) return
    this.#tokens += tokensIn(this.#rest)
    this.#rest = ''
  }

  /** Tokens that it is taken to have; a provider sends at least one with each piece. */
  get tokens(): number {
    return Math.max(this.#pieces, this.#tokens + tokensIn(this.#rest))
  }
}

/** Characters that are counted at once: little is held, and rounding up matters little. */
const ENOUGH = 4096
