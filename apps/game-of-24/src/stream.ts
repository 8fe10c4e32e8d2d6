/** A stream of numbers in [0, 1) that depends on nothing but its name. */
export function streamOf(name: string): () => number {
  let state = hash(name)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function hash(text: string): number {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 2654435761)
    b = Math.imul(b ^ text.charCodeAt(i), 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  return (a ^ (a >>> 16)) >>> 0
}

/** The index that a stream picks with these probabilities. */
export function pick(stream: () => number, probabilities: readonly number[]): number {
  let rest = stream()
  const index = probabilities.findIndex((probability) => (rest -= probability) < 0)
  return index < 0 ? probabilities.length - 1 : index
}

/** A normally distributed number. */
export const normal = (stream: () => number): number =>
  Math.sqrt(-2 * Math.log(stream() + 1e-12)) * Math.cos(2 * Math.PI * stream())

/** A number of the Gumbel distribution: the highest of weights plus these is a draw by weight. */
export const gumbel = (stream: () => number): number => -Math.log(-Math.log(stream() * (1 - 1e-12) + 1e-13))
