import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ChatKind } from './change.ts'

const ID = /^(?<name>[0-9a-f]{44})-(?<proof>[0-9a-f]{32})-(?<kind>assistant|group)$/u

/** Later than any time at which a chat is begun, in milliseconds since 1970. */
const LATEST = 2 ** 48 - 1

/**
 * The identifiers of chats. In their order those that were begun last come first. Nobody can guess one; a chat in which nothing was said yet is nowhere but in its identifier,
 * which proves that a server with the same secret has given it out.
 */
export class ChatIds {
  readonly #secret: string
  readonly #now: () => number

  constructor(secret: string, now: () => number = Date.now) {
    this.#secret = secret
    this.#now = now
  }

  /** A new one. */
  create(kind: ChatKind): string {
    const begun = (LATEST - this.#now()).toString(16).padStart(12, '0')
    const name = `${begun}${randomBytes(16).toString('hex')}`
    return `${name}-${this.#proof(name, kind)}-${kind}`
  }

  /** Whether it was given out by a server with this secret. */
  isOwn(id: string): boolean {
    const { name, proof, kind } = ID.exec(id)?.groups ?? {}
    if (!name || !proof) return false
    return timingSafeEqual(Buffer.from(proof), Buffer.from(this.#proof(name, kind as ChatKind)))
  }

  #proof(name: string, kind: ChatKind): string {
    return createHmac('sha256', this.#secret).update(`${name} ${kind}`).digest('hex').slice(0, 32)
  }
}

/** What kind of chat an identifier names; undefined for what is none. */
export const kindOf = (id: string): ChatKind | undefined => ID.exec(id)?.groups?.['kind'] as ChatKind | undefined

/** The identifier under which a turn of a chat is hosted; turns count from 0. */
export const turnId = (chat: string, turn: number): string => `${chat}.${String(turn).padStart(6, '0')}`

/** An identifier behind those of all turns of a chat, and before those of the next chat. */
export const behindTurns = (chat: string): string => turnId(chat, 999_999)

/** The chat of a hosted turn. */
export const chatOf = (turn: string): string => turn.slice(0, turn.lastIndexOf('.'))
