import { XError } from '@x/kernel'
import type { ChatMessage } from '@x/interfaces'
import type { View } from './view.ts'

/**
 * Pins messages: no view leaves them out, and no summary replaces them. A number pins that many of the first messages; a
 * function gets each message and its position in the stored history. Calls and their results are pinned together.
 */
export function pin(messages: number | ((message: ChatMessage, index: number) => boolean)): View {
  if (typeof messages !== 'function' && !(Number.isInteger(messages) && messages > 0)) {
    throw new XError(
      'invalid-argument',
      'cannot run `pin`: `messages` is neither a whole number of at least 1 nor a function; give `pin(1)` for the first message',
    )
  }
  if (typeof messages === 'function') return { name: 'pin', pins: messages }
  return { name: 'pin', settings: { messages }, pins: (_, index) => index < messages }
}
