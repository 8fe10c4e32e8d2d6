import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ChatKind } from './change.ts'

const ID = /^(?<name>[0-9a-f]{32})-(?<proof>[0-9a-f]{32})-(?<kind>assistant|group)$/u

/**
 * The identifiers of chats. Nobody can guess one; a chat in which nothing was said yet is nowhere but in its identifier,
 * which proves that a server with the same secret has given it out.
 */
export class ChatIds {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** A new one. */
  create(kind: ChatKind): string {
    const name = randomBytes(16).toString('hex')
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

/** The chat of a hosted turn. */
export const chatOf = (turn: string): string => turn.slice(0, turn.lastIndexOf('.'))
