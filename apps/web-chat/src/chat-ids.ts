import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ChatKind } from './change.ts'

const CHAT_ID_PATTERN = /^(?<name>[0-9a-f]{44})-(?<proof>[0-9a-f]{32})-(?<kind>assistant|group)$/u

/** A time later than that of any chat, in milliseconds since 1970. */
const MAX_TIME_MS = 2 ** 48 - 1

/**
 * Makes and checks the identifiers of chats. Sorted, the newest chats come first. Nobody can guess one. A chat without
 * messages exists only in its identifier, which proves that a server with the same secret has made it.
 */
export class ChatIds {
  readonly #secret: string
  readonly #now: () => number

  constructor(secret: string, now: () => number = Date.now) {
    this.#secret = secret
    this.#now = now
  }

  /** Makes a new identifier. */
  create(kind: ChatKind): string {
    const begun = (MAX_TIME_MS - this.#now()).toString(16).padStart(12, '0')
    const name = `${begun}${randomBytes(16).toString('hex')}`
    return `${name}-${this.#proof(name, kind)}-${kind}`
  }

  /** True if a server with this secret made the identifier. */
  isOwn(id: string): boolean {
    const { name, proof, kind } = CHAT_ID_PATTERN.exec(id)?.groups ?? {}
    if (!name || !proof) return false
    return timingSafeEqual(Buffer.from(proof), Buffer.from(this.#proof(name, kind as ChatKind)))
  }

  #proof(name: string, kind: ChatKind): string {
    return createHmac('sha256', this.#secret).update(`${name} ${kind}`).digest('hex').slice(0, 32)
  }
}

/** Returns the kind of a chat, by its identifier; undefined for an invalid identifier. */
export const kindOf = (id: string): ChatKind | undefined =>
  CHAT_ID_PATTERN.exec(id)?.groups?.['kind'] as ChatKind | undefined

/** Returns the identifier of the hosted chat of a turn; turns count from 0. */
export const turnId = (chat: string, turn: number): string => `${chat}.${String(turn).padStart(6, '0')}`

/** Returns an identifier after those of all turns of a chat, and before those of the next chat. */
export const behindTurns = (chat: string): string => turnId(chat, 999_999)

/** Returns the chat of a turn. */
export const chatOf = (turn: string): string => turn.slice(0, turn.lastIndexOf('.'))
