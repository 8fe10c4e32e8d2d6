import type { ChatMessage, ConfigEntry, ModelParams, Provider } from '@x/interfaces'
import type * as Crypto from 'node:crypto'
import { XError } from '@x/kernel'
import { sha256 } from './sha256.ts'
import { canonical } from '../data/plain-data.ts'

/** Prefix of all keys; it changes when a new version must not find answers of an older one. */
const KEY_VERSION = 'x3'

/** The endpoint that answers a request: the parts of its config that answers depend on. */
export interface Endpoint {
  readonly provider: string
  readonly baseUrl: string | undefined
  readonly apiVersion: string | undefined
  /** Values of the config keys that only this provider has. */
  readonly more?: Readonly<Record<string, unknown>> | undefined
}

/** Returns the endpoint of a config, without API key, limits and price. */
export function endpointOf(client: Readonly<ConfigEntry>, provider: Provider | null): Endpoint {
  const { apiType, baseUrl, apiVersion, modelClientCls } = client
  const more = (provider?.clientKeys ?? []).filter((key) => client[key] !== undefined).map((key) => [key, client[key]])
  return {
    provider: apiType ?? modelClientCls ?? 'openai',
    baseUrl,
    apiVersion,
    more: more.length > 0 ? (Object.fromEntries(more) as Record<string, unknown>) : undefined,
  }
}

/** Most messages of one block. */
const MAX_BLOCK_MESSAGES = 8

/** Characters after which a block ends, so that long messages are not hashed again with every request. */
const MAX_BLOCK_LENGTH = 4096

/** Most requests whose keys are known. */
const MAX_KNOWN_KEYS = 32

/** Characters of the longest request whose key is known. */
const MAX_KNOWN_LENGTH = 2048

/** A short request, and its key. */
interface KnownRequest {
  readonly messages: readonly Pick<ChatMessage, 'content' | 'role' | 'name'>[]
  readonly frame: string
  readonly sample: number | undefined
  readonly key: string
}

/** A block of consecutive messages, and the digest of everything before it. */
interface Block {
  /** Digest of the messages before the block. */
  readonly before: string
  readonly messages: readonly ChatMessage[]
  /** Digest of all messages up to the end of the block. */
  readonly digest: string
}

/**
 * Makes cache keys. Messages are hashed in blocks, so a short request needs one hash. If all messages of a block are
 * deeply frozen, the digest up to its end is kept in a WeakMap under its last message: the key of a long conversation then
 * costs one lookup per block and one hash of the messages after the last block.
 */
export class KeyMaker {
  readonly #blocks = new WeakMap<ChatMessage, Block>()
  readonly #endpoints = new WeakMap<Endpoint, { readonly endpoint: string; frame?: string }>()
  /** The latest short requests, the next one at `#next`: a question that is asked again is found without a text and a hash. */
  readonly #latest: KnownRequest[] = []
  #next = 0
  #crypto: typeof Crypto | null | undefined

  /**
   * Returns the key of a request: a hash of every parameter, the endpoint and the sample, from which no text can be read.
   * `fixed` says that all parameters except the messages are the same in every request to this endpoint.
   */
  keyOf(params: ModelParams, endpoint: Endpoint, sample: number | undefined, fixed: boolean = false): string {
    try {
      return this.#keyOf(params, endpoint, sample, fixed)
    } catch (cause) {
      if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause
      const fault = 'it has a value that JSON lacks, such as a BigInt or a cycle'
      throw new XError('invalid-argument', `the request cannot be sent: ${fault}`, { cause })
    }
  }

  #keyOf(params: ModelParams, endpoint: Endpoint, sample: number | undefined, fixed: boolean): string {
    const { messages } = params
    const frame = this.#frameText(params, endpoint, fixed)
    const isShort = messages.length <= MAX_BLOCK_MESSAGES && messages.every(isText)
    if (isShort) {
      for (const known of this.#latest) {
        if (known.sample === sample && known.frame === frame && areAlike(known.messages, messages)) return known.key
      }
    }
    const text = `${this.#messagesText(messages)}\n${frame}\n${sample ?? ''}`
    const key = `${KEY_VERSION}:${this.#hash(text)}`
    if (isShort && text.length <= MAX_KNOWN_LENGTH) {
      const copies = messages.map(({ content, role, name }) => ({ content, role, name }))
      this.#latest[this.#next] = { messages: copies, frame, sample, key }
      this.#next = (this.#next + 1) % MAX_KNOWN_KEYS
    }
    return key
  }

  /** Returns the digest of all full blocks and the text of the messages after them. The last message is in no block. */
  #messagesText(messages: readonly ChatMessage[]): string {
    let digest = ''
    let text = ''
    let start = 0
    let index = 0
    while (index < messages.length) {
      if (index === start && index < messages.length - 1) {
        const block = this.#knownBlock(messages, start, digest)
        if (block) {
          digest = block.digest
          start = index += block.messages.length
          continue
        }
      }
      // One line per message: JSON contains no line end, so different lists give different lines.
      text += `${messageText(messages[index++]!)}\n`
      if (index === messages.length || (index - start < MAX_BLOCK_MESSAGES && text.length < MAX_BLOCK_LENGTH)) continue
      const before = digest
      digest = this.#hash(`${before}\n${text}`)
      text = ''
      const block = messages.slice(start, index)
      if (block.every(isDeeplyFrozen)) this.#blocks.set(block.at(-1)!, { before, messages: block, digest })
      start = index
    }
    return `${digest}\n${text}`
  }

  /** Finds the known block that begins at `start`. */
  #knownBlock(messages: readonly ChatMessage[], start: number, before: string): Block | undefined {
    // Most blocks are full, so the largest size is tried first.
    for (let size = MAX_BLOCK_MESSAGES; size > 0; size--) {
      const end = start + size
      const block = end < messages.length ? this.#blocks.get(messages[end - 1]!) : undefined
      if (block?.before === before && block.messages.length === size && isAt(messages, start, block.messages)) {
        return block
      }
    }
    return undefined
  }

  /** Returns the text of a request without its messages. */
  #frameText(params: ModelParams, endpoint: Endpoint, fixed: boolean): string {
    let known = this.#endpoints.get(endpoint)
    if (!known) this.#endpoints.set(endpoint, (known = { endpoint: canonical(endpoint) }))
    if (known.frame !== undefined && fixed) return known.frame
    const frame = `${canonical(params, 'messages')}\n${known.endpoint}`
    if (fixed && Object.keys(params).every((key) => key === 'messages' || isDeeplyFrozen(params[key])))
      known.frame = frame
    return frame
  }

  /** Hashes by SHA-256 in base64url in every runtime, so that runtimes can share a cache. */
  #hash(text: string): string {
    this.#crypto ??= globalThis.process?.getBuiltinModule?.('node:crypto') ?? null
    return this.#crypto?.hash ? this.#crypto.hash('sha256', text, 'base64url') : sha256(text)
  }
}

/** Tells whether `part` stands in a list at `start`, object by object. */
function isAt(list: readonly unknown[], start: number, part: readonly unknown[]): boolean {
  for (let index = 0; index < part.length; index++) if (list[start + index] !== part[index]) return false
  return true
}

/** Writes a message as `canonical` does, faster for the common message of content, role and name alone. */
function messageText(message: ChatMessage): string {
  if (!isText(message)) return canonical(message)
  const { content, role, name } = message
  if (name === undefined) return `{"content":${JSON.stringify(content)},"role":${JSON.stringify(role)}}`
  return `{"content":${JSON.stringify(content)},"name":${JSON.stringify(name)},"role":${JSON.stringify(role)}}`
}

/** True for a message of content, role and perhaps name alone, all of them texts. */
function isText(message: ChatMessage): boolean {
  const { content, role, name } = message
  if (typeof content !== 'string' || typeof role !== 'string') return false
  // A loop allocates no list of keys; an inherited key also leads to the general way.
  for (const key in message) if (key !== 'content' && key !== 'role' && key !== 'name') return false
  return name === undefined || typeof name === 'string'
}

/** Tells whether two lists have the same texts. */
function areAlike(known: KnownRequest['messages'], messages: readonly ChatMessage[]): boolean {
  if (known.length !== messages.length) return false
  for (let index = 0; index < known.length; index++) {
    const [one, other] = [known[index]!, messages[index]!]
    if (one.content !== other.content || one.role !== other.role || one.name !== other.name) return false
  }
  return true
}

/** Tells whether a value can never change: a primitive, or an object that is frozen with everything in it. */
export function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
