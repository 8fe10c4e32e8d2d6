import { tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'
import type { Draft } from './draft.ts'
import { capFor, shortenMessage } from './shorten.ts'

/** Least tokens that a message is shortened to. */
const LEAST = 64

/** Times that the largest messages are looked for: what cannot be shortened leaves less for the others. */
const ROUNDS = 3

/**
 * Shortens the largest messages until a limit holds, as a last resort: when what has to stay is too large alone. Messages
 * with signatures of a provider come last, since they lose these.
 */
export function shortenLargest(draft: Draft, limit: number, count: TextCounter): void {
  for (const signed of [false, true]) {
    for (let round = 0; round < ROUNDS && draft.tokens > limit; round++) {
      const open = draft.messages.flatMap((entry, index) =>
        entry.gone || (!signed && entry.message.provider_metadata !== undefined) ? [] : [index],
      )
      const others = draft.tokens - open.reduce((sum, index) => sum + draft.messages[index]!.tokens, 0)
      const sizes = open.map((index) => draft.messages[index]!.tokens)
      const cap = Math.max(LEAST, capFor(sizes, Math.max(0, limit - others)))
      for (const index of open) {
        const { message, tokens } = draft.messages[index]!
        if (tokens <= cap) continue
        const short = shortenMessage(message, Math.floor(draft.ownTokens(cap)), count)
        if (tokensOf(short, count) < draft.ownTokens(tokens)) draft.replace(index, short, 'shortened')
      }
    }
  }
}
