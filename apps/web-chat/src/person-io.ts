import type { Io } from '@x/interfaces'

/** An answer of the person: the message that is sent to a hosted turn. */
export interface PersonAnswer {
  /** Number of messages of the chat when the question was asked. */
  readonly after: number
  /** The question of a tool; null when it was the person's turn. */
  readonly question: string | null
  readonly text: string
}

/**
 * Asks a person through the messages of a hosted turn. An answer to another question is skipped: two pages may have answered
 * the same question. `messageCount` returns the number of messages of the chat.
 */
export function personIo(io: Io, messageCount: () => number): Io {
  const unread: PersonAnswer[] = []
  return {
    takes: new Set(),
    send() {},
    async input(prompt, options) {
      for (;;) {
        const index = unread.findIndex(
          ({ after, question }) => after === messageCount() && (question === null || question === prompt),
        )
        if (index !== -1) return unread.splice(index, 1)[0]!.text
        unread.push(JSON.parse(await io.input(prompt, options)) as PersonAnswer)
      }
    },
  }
}
