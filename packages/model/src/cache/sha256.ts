/** Words that the hash begins with, and one per round: the first bits of roots of primes. */
const { START, ROUNDS } = constants()

/**
 * Hashes a text by SHA-256 and writes it in base64url: for runtimes without `node:crypto`, since the platform's own
 * `crypto.subtle` gives a promise and a key has to be there at once.
 */
export function sha256(text: string): string {
  const words = padded(new TextEncoder().encode(text))
  const state = Int32Array.from(START)
  const schedule = new Int32Array(64)
  for (let offset = 0; offset < words.length; offset += 16) {
    schedule.set(words.subarray(offset, offset + 16))
    mix(state, schedule)
  }
  return base64Url(state)
}

/** The bytes, a one bit, zeros, and the number of bits: as words in blocks of sixteen. */
function padded(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(((bytes.length + 8) >> 6) * 16 + 16)
  for (let at = 0; at < bytes.length; at++) words[at >> 2]! |= bytes[at]! << (24 - (at % 4) * 8)
  words[bytes.length >> 2]! |= 0x80 << (24 - (bytes.length % 4) * 8)
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29)
  words[words.length - 1] = bytes.length << 3
  return words
}

function mix(state: Int32Array, schedule: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const early = schedule[i - 15]!
    const late = schedule[i - 2]!
    const sum0 = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const sum1 = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    schedule[i] = schedule[i - 16]! + sum0 + schedule[i - 7]! + sum1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const sum1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const first = (h + sum1 + ((e & f) ^ (~e & g)) + ROUNDS[i]! + schedule[i]!) | 0
    const sum0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i]! += value
}

const turn = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

function base64Url(words: Int32Array): string {
  const bytes = [...words].flatMap((word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255])
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/gu, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '')
}

function constants(): { readonly START: Int32Array; readonly ROUNDS: Int32Array } {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0
  return {
    START: Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    ROUNDS: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  }
}
