/** The initial state and the constants of the 64 rounds: the first bits of roots of primes. */
const { INITIAL_STATE, ROUND_CONSTANTS } = computeConstants()

/**
 * Hashes a text by SHA-256 and returns the hash in base64url. For runtimes without `node:crypto`: `crypto.subtle` of the
 * platform returns a promise, and a cache key is needed synchronously.
 */
export function sha256(text: string): string {
  const words = padBytes(new TextEncoder().encode(text))
  const state = Int32Array.from(INITIAL_STATE)
  const schedule = new Int32Array(64)
  for (let offset = 0; offset < words.length; offset += 16) {
    schedule.set(words.subarray(offset, offset + 16))
    mix(state, schedule)
  }
  return base64Url(state)
}

/** Pads bytes with a one bit, zeros and the number of bits, as words in blocks of sixteen. */
function padBytes(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(((bytes.length + 8) >> 6) * 16 + 16)
  for (let i = 0; i < bytes.length; i++) words[i >> 2]! |= bytes[i]! << (24 - (i % 4) * 8)
  words[bytes.length >> 2]! |= 0x80 << (24 - (bytes.length % 4) * 8)
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29)
  words[words.length - 1] = bytes.length << 3
  return words
}

function mix(state: Int32Array, schedule: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const early = schedule[i - 15]!
    const late = schedule[i - 2]!
    const sum0 = rotateRight(early, 7) ^ rotateRight(early, 18) ^ (early >>> 3)
    const sum1 = rotateRight(late, 17) ^ rotateRight(late, 19) ^ (late >>> 10)
    schedule[i] = schedule[i - 16]! + sum0 + schedule[i - 7]! + sum1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const sum1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)
    const first = (h + sum1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i]! + schedule[i]!) | 0
    const sum0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)
    const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i]! += value
}

const rotateRight = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

function base64Url(words: Int32Array): string {
  const bytes = [...words].flatMap((word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255])
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/gu, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '')
}

function computeConstants(): { readonly INITIAL_STATE: Int32Array; readonly ROUND_CONSTANTS: Int32Array } {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0
  return {
    INITIAL_STATE: Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    ROUND_CONSTANTS: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  }
}
