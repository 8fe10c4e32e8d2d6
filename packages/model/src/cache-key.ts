import type { ChatMessage, ModelParams } from '@x/interfaces'
import { canonical } from './canonical.ts'

/** Changes when keys of this version must not find answers of an older one. */
const VERSION = 'x1'

/** What answers a request, as far as another answer is to be expected from another one. */
export interface Respondent {
  readonly provider: string
  readonly baseUrl: string | undefined
  readonly apiVersion: string | undefined
}

/** Makes cache keys and remembers the digests of messages that cannot change any more. */
export interface KeyMaker {
  /** Gives the key of a request: a hash of every parameter, of who answers and of the sample; no text can be read from it. */
  keyOf(params: ModelParams, respondent: Respondent, sample: number | undefined): string
}

/** Makes a key maker; digests are kept for deeply frozen messages only, as long as those live. */
export function createKeyMaker(): KeyMaker {
  const digests = new WeakMap<ChatMessage, string>()

  const digestOf = (message: ChatMessage): string => {
    const known = digests.get(message)
    if (known !== undefined) return known
    const digest = hash(canonical(message))
    if (isDeeplyFrozen(message)) digests.set(message, digest)
    return digest
  }

  return {
    keyOf({ messages, ...params }, respondent, sample) {
      const asked = canonical({ params, respondent, sample })
      return `${VERSION}:${hash(asked + (messages ?? []).map(digestOf).join())}`
    },
  }
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}

/** SHA-256 in base64url. */
function hash(text: string): string {
  const crypto = process.getBuiltinModule('node:crypto')
  return crypto.hash('sha256', text, 'base64url')
}
