import { pendingIn } from '@x/agent'
import type { ChatStore, PendingApproval, PendingQuestion } from '@x/interfaces'
import { damagedChat } from '@x/kernel/hosting'

/** How many are read at once. */
const PAGE = 100

/** The questions of all chats that wait for a decision. One that is damaged hides none of the others. */
export class PendingQuestions {
  readonly #store: ChatStore
  readonly #onDamage: (error: unknown) => void
  /** Chats with damaged questions, of which was told. */
  readonly #damaged = new Set<string>()

  /** `onDamage` hears, once for each chat, that a question is not as it was written. */
  constructor(store: ChatStore, onDamage: (error: unknown) => void) {
    this.#store = store
    this.#onDamage = onDamage
  }

  async *all(): AsyncGenerator<{ chat: string; pending: PendingApproval }> {
    let after: string | null = null
    for (;;) {
      const page = await this.#store.pending(after, PAGE)
      for (const question of page) {
        for (const pending of this.#read(question)) yield { chat: question.chat, pending }
      }
      after = page.at(-1)?.cursor ?? null
      if (page.length < PAGE) return
    }
  }

  #read({ chat, entry }: PendingQuestion): readonly PendingApproval[] {
    try {
      if (entry) return pendingIn([entry])
    } catch {
      // It can be read, and its checksum differs.
    }
    if (!this.#damaged.has(chat)) this.#onDamage(damagedChat(chat, 'a question of it is not as it was written'))
    this.#damaged.add(chat)
    return []
  }
}
