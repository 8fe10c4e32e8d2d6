/** The state of a call that waits at a client while a person decides. */
export interface WaitingCall {
  /** Answers that the task has had: entries of its journal. */
  readonly entries: readonly unknown[]
  /** Identifiers of what is to be decided. */
  readonly pending: readonly string[]
}

interface Sealed extends WaitingCall {
  /** When it ends, in milliseconds since 1970. */
  readonly until: number
  /** Tells this one from all others. */
  readonly id: string
}

/** Characters that a sealed state may have. */
const LONGEST = 2 ** 20

/** States that were opened and may come again. */
const MOST_SPENT = 100_000

type SealKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>

/** Settings of a seal. */
interface SealOptions {
  readonly key: string
  readonly ttlMs: number
  readonly now: () => number
}

/**
 * Seals what a client keeps for the server: it can neither read nor change it, nor use it for another call, for another
 * caller, later than it may, or twice with one process.
 */
export class StateSeal {
  readonly #options: SealOptions
  readonly #spent = new Map<string, number>()
  #key: Promise<SealKey> | undefined

  constructor(options: SealOptions) {
    this.#options = options
  }

  /** Seals a state for a call; undefined where it is too long to travel. */
  async seal(state: WaitingCall, call: string): Promise<string | undefined> {
    const { now, ttlMs } = this.#options
    const sealed: Sealed = { ...state, until: now() + ttlMs, id: globalThis.crypto.randomUUID() }
    const plain = await through(new TextEncoder().encode(JSON.stringify(sealed)), new CompressionStream('deflate-raw'))
    const iv = globalThis.crypto.getRandomValues(new Uint8Array(12))
    const secret = await globalThis.crypto.subtle.encrypt(aes(iv, call), await this.#secret(), plain)
    const text = textOf(iv, new Uint8Array(secret))
    return text.length > LONGEST ? undefined : text
  }

  /** Opens the state of a call; undefined where it was not sealed for it, is over, or was opened before. */
  async open(text: string, call: string): Promise<WaitingCall | undefined> {
    if (text.length > LONGEST) return undefined
    try {
      const [iv, secret] = partsOf(text)
      const plain = await globalThis.crypto.subtle.decrypt(aes(iv, call), await this.#secret(), secret)
      const bytes = await through(new Uint8Array(plain), new DecompressionStream('deflate-raw'))
      const { until, id, entries, pending } = JSON.parse(new TextDecoder().decode(bytes)) as Sealed
      const now = this.#options.now()
      if (until < now || this.#spent.has(id)) return undefined
      this.#forget(now)
      this.#spent.set(id, until)
      return { entries, pending }
    } catch {
      return undefined
    }
  }

  #forget(now: number): void {
    for (const [id, until] of this.#spent) {
      if (until >= now && this.#spent.size < MOST_SPENT) return
      this.#spent.delete(id)
    }
  }

  async #secret(): Promise<SealKey> {
    this.#key ??= (async () => {
      const material = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(this.#options.key))
      return await globalThis.crypto.subtle.importKey('raw', material, 'AES-GCM', false, ['encrypt', 'decrypt'])
    })()
    return await this.#key
  }
}

const aes = (
  iv: Uint8Array<ArrayBuffer>,
  call: string,
): { name: string; iv: Uint8Array<ArrayBuffer>; additionalData: Uint8Array<ArrayBuffer> } => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(call),
})

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer())
}

const textOf = (iv: Uint8Array, secret: Uint8Array): string => `1.${toBase64(iv)}.${toBase64(secret)}`

/** The vector and the secret of a text; throws for a text that is not written as `textOf` writes it. */
function partsOf(text: string): [iv: Uint8Array<ArrayBuffer>, secret: Uint8Array<ArrayBuffer>] {
  const [, iv = '', secret = ''] = text.split('.')
  const parts = [fromBase64(iv), fromBase64(secret)] as const
  // The last character before `=` has bits that no byte is made of: several texts stand for the same bytes.
  if (textOf(...parts) !== text) throw new TypeError('a sealed state is written in one way')
  return [...parts]
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
