import type { ChatMessage, ConfigEntry, ModelParams, Provider } from '@x/interfaces'
import type * as Crypto from 'node:crypto'
import { canonical } from '../data/canonical.ts'
import { isDeeplyFrozen } from '../data/deeply-frozen.ts'
import { sha256 } from './sha256.ts'

/** Changes when keys of this version must not find answers of an older one. */
const VERSION = 'x3'

/** The endpoint that answers a request, as far as answers depend on it. */
export interface Respondent {
  readonly provider: string
  readonly baseUrl: string | undefined
  readonly apiVersion: string | undefined
  /** Further keys of the client that its provider knows. */
  readonly more?: Readonly<Record<string, unknown>> | undefined
}

/** Gives the endpoint of a config, without API key, limits and price. */
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

/** Makes cache keys, and remembers digests of what cannot change any more. */
export interface KeyMaker {
  /**
   * Gives the key of a request: a hash of every parameter, of who answers and of the sample; no text can be read from it.
   * `fixed` says that all parameters but the messages are the same in every request to this respondent.
   */
  keyOf(params: ModelParams, respondent: Respondent, sample: number | undefined, fixed?: boolean): string
}

/** Messages of a block at most. */
const BLOCK = 8

/** Characters after which a block ends, so that long messages are not hashed again with every request. */
const BLOCK_LENGTH = 4096

/** A block of messages in the place where it was last seen. */
interface Block {
  /** Digest of the messages before it. */
  readonly before: string
  readonly messages: readonly ChatMessage[]
  /** Digest up to its end. */
  readonly digest: string
}

/**
 * Makes a key maker. Messages are hashed in blocks: a short request needs one hash, fresh or not. The digest up to the
 * end of a block is kept beside its last message, if all of them are deeply frozen, as long as that message lives: the
 * key of a long conversation then costs one look per block, and one hash of the messages after the last one.
 */
export function createKeyMaker(): KeyMaker {
  const blocks = new WeakMap<ChatMessage, Block>()
  const respondents = new WeakMap<Respondent, { readonly who: string; rest?: string }>()
  let crypto: typeof Crypto | null | undefined

  /** SHA-256 in base64url, so that every runtime finds the answers of the others in a cache that they share. */
  const hash = (text: string): string => {
    crypto ??= globalThis.process?.getBuiltinModule?.('node:crypto') ?? null
    return crypto?.hash ? crypto.hash('sha256', text, 'base64url') : sha256(text)
  }

  /** Finds the block that begins at a place of a conversation. */
  const knownBlock = (messages: readonly ChatMessage[], start: number, before: string): Block | undefined => {
    // Most blocks are full.
    for (let size = BLOCK; size > 0; size--) {
      const end = start + size
      const block = end < messages.length ? blocks.get(messages[end - 1]!) : undefined
      if (block?.before === before && block.messages.length === size && isAt(messages, start, block.messages)) {
        return block
      }
    }
    return undefined
  }

  /** The digest of all full blocks, and the text of the messages after them; the last message is in no block. */
  const textOf = (messages: readonly ChatMessage[]): string => {
    let digest = ''
    let text = ''
    let start = 0
    let index = 0
    while (index < messages.length) {
      if (index === start && index < messages.length - 1) {
        const block = knownBlock(messages, start, digest)
        if (block) {
          digest = block.digest
          start = index += block.messages.length
          continue
        }
      }
      // A line each: no JSON text holds a line end, so no two lists write the same lines.
      text += `${messageText(messages[index++]!)}\n`
      if (index === messages.length || (index - start < BLOCK && text.length < BLOCK_LENGTH)) continue
      const before = digest
      digest = hash(`${before}\n${text}`)
      text = ''
      const block = messages.slice(start, index)
      if (block.every(isDeeplyFrozen)) blocks.set(block.at(-1)!, { before, messages: block, digest })
      start = index
    }
    return `${digest}\n${text}`
  }

  /** All of a request but its messages. */
  const frameOf = (params: ModelParams, respondent: Respondent, fixed: boolean): string => {
    let known = respondents.get(respondent)
    if (!known) respondents.set(respondent, (known = { who: canonical(respondent) }))
    if (known.rest !== undefined && fixed) return known.rest
    const rest = `${canonical(params, 'messages')}\n${known.who}`
    if (fixed && Object.keys(params).every((key) => key === 'messages' || isDeeplyFrozen(params[key])))
      known.rest = rest
    return rest
  }

  return {
    keyOf(params, respondent, sample, fixed = false) {
      const text = `${textOf(params.messages)}\n${frameOf(params, respondent, fixed)}\n${sample ?? ''}`
      return `${VERSION}:${hash(text)}`
    },
  }
}

function isAt(list: readonly unknown[], start: number, part: readonly unknown[]): boolean {
  for (let index = 0; index < part.length; index++) if (list[start + index] !== part[index]) return false
  return true
}

/** Writes a message as `canonical` does; most have a text, a role and a name, and nothing else. */
function messageText(message: ChatMessage): string {
  const { content, role, name } = message
  if (typeof content !== 'string' || typeof role !== 'string') return canonical(message)
  // A loop makes no list of keys; one that the message inherits sends it the long way too.
  for (const key in message) if (key !== 'content' && key !== 'role' && key !== 'name') return canonical(message)
  if (name === undefined && !('name' in message))
    return `{"content":${JSON.stringify(content)},"role":${JSON.stringify(role)}}`
  if (typeof name !== 'string') return canonical(message)
  return `{"content":${JSON.stringify(content)},"name":${JSON.stringify(name)},"role":${JSON.stringify(role)}}`
}
