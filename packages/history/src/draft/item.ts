import type { ChatMessage } from '@x/interfaces'
import { mostTokens } from '../count/message-tokens.ts'

/** The change that a view has made to a message. */
export type Change = 'cleared' | 'shortened' | 'note' | 'summary'

/** A message as it is sent. */
export interface Item {
  readonly message: ChatMessage
  /** Position of the stored message that it shows; -1 for a note or a summary. */
  readonly source: number
  /** The most tokens that it can have. */
  readonly most: number
  /** Its tokens before calibration; -1 until they are counted. */
  tokens: number
  /** What was made of the stored message; null when it is sent as it is. */
  readonly change: Change | null
}

/** Makes an item of a message. */
export const itemOf = (message: ChatMessage, source: number, change: Change | null = null): Item => ({
  message,
  source,
  most: mostTokens(message),
  tokens: -1,
  change,
})
