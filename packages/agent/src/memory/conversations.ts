import type { Agent } from '@x/interfaces'

type Counterparts<C> = Map<Agent | null, C>

/** The conversations of an agent by counterpart, oldest first. The only one, which most agents have, needs no map. */
export class Conversations<C extends { readonly counterpart: Agent | null }> {
  #all: C | Counterparts<C> | null = null

  /** Number of conversations. */
  get size(): number {
    if (this.#all instanceof Map) return this.#all.size
    return this.#all ? 1 : 0
  }

  /** Gives the conversation with a counterpart. */
  get(counterpart: Agent | null): C | undefined {
    const all = this.#all
    if (all instanceof Map) return all.get(counterpart)
    return all?.counterpart === counterpart ? all : undefined
  }

  /** Adds a conversation, in place of one with the same counterpart. */
  add(conversation: C): void {
    const all = this.#all
    if (all instanceof Map) all.set(conversation.counterpart, conversation)
    else if (!all || all.counterpart === conversation.counterpart) this.#all = conversation
    else this.#all = new Map([all, conversation].map((each) => [each.counterpart, each]))
  }

  /** Removes the conversation with a counterpart. */
  delete(counterpart: Agent | null): void {
    if (this.#all instanceof Map) this.#all.delete(counterpart)
    else if (this.#all?.counterpart === counterpart) this.#all = null
  }

  /** Removes all conversations. */
  clear(): void {
    this.#all = null
  }

  /** Gives the conversations, oldest first. */
  values(): Iterable<C> {
    if (this.#all instanceof Map) return this.#all.values()
    return this.#all ? [this.#all] : []
  }
}
