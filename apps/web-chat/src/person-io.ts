import type { Io } from '@x/interfaces'

/** What a person answers: the message that is sent to a hosted turn. */
export interface PersonAnswer {
  /** How many messages the chat had when the question was asked. */
  readonly after: number
  /** The question of a tool; null when it was the person's turn. */
  readonly question: string | null
  readonly text: string
}

/**
 * Asks a person by the messages of a hosted turn. An answer to another question is passed over: two pages may have answered
 * the same one. `heard` says how many messages the chat has.
 */
export function personIo(io: Io, heard: () => number): Io {
  const unread: PersonAnswer[] = []
  return {
    takes: new Set(),
    send() {},
    async input(prompt, options) {
      for (;;) {
        const index = unread.findIndex(
          ({ after, question }) => after === heard() && (question === null || question === prompt),
        )
        if (index !== -1) return unread.splice(index, 1)[0]!.text
        unread.push(JSON.parse(await io.input(prompt, options)) as PersonAnswer)
      }
    },
  }
}
