import type { ChatMessage, ConfigEntry, ModelParams, Provider } from '@x/interfaces'
import type * as Crypto from 'node:crypto'
import { canonical } from '../data/canonical.ts'

/** Changes when keys of this version must not find answers of an older one. */
const VERSION = 'x2'

/** What answers a request, as far as another answer is to be expected from another one. */
export interface Respondent {
  readonly provider: string
  readonly baseUrl: string | undefined
  readonly apiVersion: string | undefined
  /** Further keys of the client that its provider knows. */
  readonly more?: Readonly<Record<string, unknown>> | undefined
}

/** Tells who answers for a config: not with which key, how fast or at what price. */
export function respondentOf(client: Readonly<ConfigEntry>, provider: Provider | null): Respondent {
  const { apiType, baseUrl, apiVersion, modelClientCls } = client
  const more = (provider?.clientKeys ?? []).filter((key) => client[key] !== undefined).map((key) => [key, client[key]])
  return {
    provider: apiType ?? modelClientCls ?? 'openai',
    baseUrl,
    apiVersion,
    more: more.length > 0 ? (Object.fromEntries(more) as Record<string, unknown>) : undefined,
  }
}

/** Makes cache keys and remembers the digests of messages that cannot change any more. */
export interface KeyMaker {
  /** Gives the key of a request: a hash of every parameter, of who answers and of the sample; no text can be read from it. */
  keyOf(params: ModelParams, respondent: Respondent, sample: number | undefined): string
}

/** What the messages up to and with one come to, where it was last seen. */
interface ChainLink {
  /** What those before it come to. */
  readonly before: string
  readonly digest: string
}

/**
 * Makes a key maker. A digest of the conversation so far is kept beside each message that is deeply frozen, as long as
 * that lives: the key of a long conversation then costs one look per message and one hash for each new one.
 */
export function createKeyMaker(): KeyMaker {
  const links = new WeakMap<ChatMessage, ChainLink>()
  const respondents = new WeakMap<Respondent, string>()
  let crypto: typeof Crypto | undefined

  /** SHA-256 in base64url. */
  const hash = (text: string): string => {
    crypto ??= process.getBuiltinModule('node:crypto')
    return crypto.hash('sha256', text, 'base64url')
  }

  /** What all messages but the last come to. */
  const digestOf = (messages: readonly ChatMessage[]): string => {
    let digest = ''
    for (let i = 0; i < messages.length - 1; i++) {
      const message = messages[i]!
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
    keyOf(params, respondent, sample) {
      const { messages } = params
      let who = respondents.get(respondent)
      if (who === undefined) respondents.set(respondent, (who = canonical(respondent)))
      // A line each: no JSON text holds a line end, so no two requests write the same lines. The last message is written
      // out, because it is mostly new and a short request is then hashed once.
      const last = messages.length > 0 ? canonical(messages.at(-1)) : ''
      return `${VERSION}:${hash(`${digestOf(messages)}\n${last}\n${canonical(params, 'messages')}\n${who}\n${sample ?? ''}`)}`
    },
  }
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
