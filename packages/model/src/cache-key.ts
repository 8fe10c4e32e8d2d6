import type { ChatMessage, ModelParams } from '@x/interfaces'
import type * as Crypto from 'node:crypto'
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

/** What the messages up to and with one come to, where it was last seen. */
interface Link {
  /** What those before it come to. */
  readonly before: string
  readonly digest: string
}

/**
 * Makes a key maker. A digest of the conversation so far is kept beside each message that is deeply frozen, as long as
 * that lives: the key of a long conversation then costs one look per message and one hash for each new one.
 */
export function createKeyMaker(): KeyMaker {
  const links = new WeakMap<ChatMessage, Link>()
  let crypto: typeof Crypto | undefined

  /** SHA-256 in base64url. */
  const hash = (text: string): string => {
    crypto ??= process.getBuiltinModule('node:crypto')
    return crypto.hash('sha256', text, 'base64url')
  }

  const digestOf = (messages: readonly ChatMessage[]): string => {
    let digest = ''
    for (const message of messages) {
      const known = links.get(message)
      if (known && known.before === digest) {
        digest = known.digest
        continue
      }
      const before = digest
      digest = hash(before + canonical(message))
      if (isDeeplyFrozen(message)) links.set(message, { before, digest })
    }
    return digest
  }

  return {
    keyOf({ messages, ...params }, respondent, sample) {
      return `${VERSION}:${hash(digestOf(messages) + canonical({ params, respondent, sample }))}`
    },
  }
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
