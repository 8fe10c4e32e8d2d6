/** Longest time for which a chat is left alone after a setback, in milliseconds. */
const LONGEST = 900_000
/** Setbacks in a row that are followed by nothing: workers are ended and killed, whatever their chats do. */
const FREE = 2

/**
 * Milliseconds for which a chat is left alone after so many setbacks in a row: more and more, and of many chats that were
 * lost together each another time, so that one of them that ends its worker meets others each time.
 */
export function patienceOf(setbacks: number, epoch: number): number {
  if (setbacks <= FREE) return 0
  const share = (((epoch % 65_536) * 40_503) % 65_536) / 65_536
  return Math.round(Math.min(LONGEST, 1000 * 2 ** setbacks) * (0.5 + share / 2))
}
