/** The state of a call that waits at a client while a person decides. */
export interface WaitingCall {
  /** Answers that the task has received: entries of its journal. */
  readonly entries: readonly unknown[]
  /** Identifiers of the pending questions. */
  readonly pending: readonly string[]
}

interface SealedState extends WaitingCall {
  /** Time of expiry, in milliseconds since 1970. */
  readonly until: number
  /** Unique identifier of the state. */
  readonly id: string
}

/** Most characters of a sealed state. */
const MAX_SEALED_LENGTH = 2 ** 20

/** Most identifiers of opened states that are remembered. */
const MAX_SPENT_STATES = 100_000

type SealKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>

/** Settings of a seal. */
interface SealOptions {
  readonly key: string
  readonly ttlMs: number
  readonly now: () => number
}

/**
 * Seals the state that a client keeps for the server: the client can neither read nor change it, nor use it for another
 * call or caller, after its expiry, or twice with one process.
 */
export class StateSeal {
  readonly #options: SealOptions
  readonly #spent = new Map<string, number>()
  #key: Promise<SealKey> | undefined

  constructor(options: SealOptions) {
    this.#options = options
  }

  /** Seals a state for a call; undefined when it is too long to send. */
  async seal(state: WaitingCall, call: string): Promise<string | undefined> {
    const { now, ttlMs } = this.#options
    const sealed: SealedState = { ...state, until: now() + ttlMs, id: globalThis.crypto.randomUUID() }
    const plain = await transformBytes(
      new TextEncoder().encode(JSON.stringify(sealed)),
      new CompressionStream('deflate-raw'),
    )
    const iv = globalThis.crypto.getRandomValues(new Uint8Array(12))
    const secret = await globalThis.crypto.subtle.encrypt(aesParameters(iv, call), await this.#secret(), plain)
    const text = joinParts(iv, new Uint8Array(secret))
    return text.length > MAX_SEALED_LENGTH ? undefined : text
  }

  /** Opens the state of a call; undefined when it was sealed for another call, has expired, or was opened before. */
  async open(text: string, call: string): Promise<WaitingCall | undefined> {
    if (text.length > MAX_SEALED_LENGTH) return undefined
    try {
      const [iv, secret] = splitParts(text)
      const plain = await globalThis.crypto.subtle.decrypt(aesParameters(iv, call), await this.#secret(), secret)
      const bytes = await transformBytes(new Uint8Array(plain), new DecompressionStream('deflate-raw'))
      const { until, id, entries, pending } = JSON.parse(new TextDecoder().decode(bytes)) as SealedState
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
      if (until >= now && this.#spent.size < MAX_SPENT_STATES) return
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

const aesParameters = (
  iv: Uint8Array<ArrayBuffer>,
  call: string,
): { name: string; iv: Uint8Array<ArrayBuffer>; additionalData: Uint8Array<ArrayBuffer> } => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(call),
})

async function transformBytes(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer())
}

const joinParts = (iv: Uint8Array, secret: Uint8Array): string => `1.${toBase64(iv)}.${toBase64(secret)}`

/** Splits a sealed text into its initialization vector and secret; throws for any text that `joinParts` does not write. */
function splitParts(text: string): [iv: Uint8Array<ArrayBuffer>, secret: Uint8Array<ArrayBuffer>] {
  const [, iv = '', secret = ''] = text.split('.')
  const parts = [fromBase64(iv), fromBase64(secret)] as const
  // The last character before `=` has unused bits, so that several texts decode to the same bytes.
  if (joinParts(...parts) !== text) throw new TypeError('a sealed state is written in one way')
  return [...parts]
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
