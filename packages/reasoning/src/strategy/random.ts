/** Gives a number in [0, 1) for a place of a search; a function of the place keeps a search independent of the order of its calls. */
export type Random = (place: string) => number

/** Hash of a text as an unsigned 32-bit number, well mixed in all bits. */
export function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Random numbers that depend on nothing but a seed and the place. */
export const seededRandom =
  (seed: number = 0): Random =>
  (place) =>
    hash(`${seed}|${place}`) / 2 ** 32
