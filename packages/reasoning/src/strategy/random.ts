import { XError } from '@x/kernel'

/** Returns a number in [0, 1) for a position in a search, whatever the order of the calls. */
export type Random = (position: string) => number

/** Hashes a text to an unsigned 32-bit number. */
export function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Throws for numbers outside [0, 1), which would choose an item beyond the end of a list. */
export const checkedRandom =
  (random: Random): Random =>
  (position) => {
    const number = random(position)
    if (typeof number === 'number' && number >= 0 && number < 1) return number
    throw new XError(
      'invalid-argument',
      `cannot search with this \`random\`: it returned \`${String(number)}\`; return a number of at least 0 and below 1`,
    )
  }

/** Makes a source of random numbers that depend on the seed and the position alone. */
export const seededRandom =
  (seed: number = 0): Random =>
  (position) =>
    hash(`${seed}|${position}`) / 2 ** 32
