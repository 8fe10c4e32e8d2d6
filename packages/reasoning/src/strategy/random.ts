import { XError } from '@x/kernel'

/** Returns a number in [0, 1) for a position in a search; the number must not depend on the order of calls. */
export type Random = (position: string) => number

/** Hashes a text to an unsigned 32-bit number. */
export function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Refuses numbers outside [0, 1), which would choose what is not there. */
export const checkedRandom =
  (random: Random): Random =>
  (position) => {
    const number = random(position)
    if (typeof number === 'number' && number >= 0 && number < 1) return number
    throw new XError(
      'invalid-argument',
      `cannot search with this \`random\`: it gave \`${String(number)}\`; give numbers from 0 up to, and without, 1`,
    )
  }

/** Makes a source of random numbers that depend only on the seed and the position. */
export const seededRandom =
  (seed: number = 0): Random =>
  (position) =>
    hash(`${seed}|${position}`) / 2 ** 32
