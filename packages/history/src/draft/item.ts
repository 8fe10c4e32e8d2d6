import type { ChatMessage } from '@x/interfaces'
import { maxTokensOf } from '../count/message-tokens.ts'

/** The change that a cut made to a message. */
export type Change = 'cleared' | 'shortened' | 'note' | 'summary'

/** A message as it is sent. */
export interface Item {
  readonly message: ChatMessage
  /** Position of the stored message that is sent; -1 for a note or a summary. */
  readonly source: number
  /** The most tokens that the message can have. */
  readonly maxTokens: number
  /** Tokens of the message before calibration; -1 until they are counted. */
  tokens: number
  /** The change to the stored message; null if it is sent as it is stored. */
  readonly change: Change | null
}

/** Makes an item of a message. */
export const itemOf = (message: ChatMessage, source: number, change: Change | null = null): Item => ({
  message,
  source,
  maxTokens: maxTokensOf(message),
  tokens: -1,
  change,
})
