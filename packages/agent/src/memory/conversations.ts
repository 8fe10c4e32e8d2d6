import type { Agent } from '@x/interfaces'

/** The conversations of an agent by counterpart, oldest first. The only one, which most agents have, needs no map. */
export class Conversations<C extends { readonly counterpart: Agent | null }> {
  #only: C | null = null
  #all: Map<Agent | null, C> | null = null

  /** Number of conversations. */
  get size(): number {
    return this.#all?.size ?? (this.#only ? 1 : 0)
  }

  /** Gives the conversation with a counterpart. */
  get(counterpart: Agent | null): C | undefined {
    if (this.#all) return this.#all.get(counterpart)
    return this.#only?.counterpart === counterpart ? this.#only : undefined
  }

  /** Adds a conversation, in place of one with the same counterpart. */
  add(conversation: C): void {
    const { counterpart } = conversation
    if (this.#all) this.#all.set(counterpart, conversation)
    else if (!this.#only || this.#only.counterpart === counterpart) this.#only = conversation
    else {
      this.#all = new Map([
        [this.#only.counterpart, this.#only],
        [counterpart, conversation],
      ])
      this.#only = null
    }
  }

  /** Removes the conversation with a counterpart. */
  delete(counterpart: Agent | null): void {
    this.#all?.delete(counterpart)
    if (this.#only?.counterpart === counterpart) this.#only = null
  }

  /** Removes all conversations. */
  clear(): void {
    this.#only = null
    this.#all = null
  }

  /** Gives the conversations, oldest first. */
  values(): Iterable<C> {
    return this.#all?.values() ?? (this.#only ? [this.#only] : [])
  }
}
