import type { ChatMessage } from '@x/interfaces'

/** The prompt of a search, read from messages. */
export interface ReasonPrompt {
  /** The question; empty if the last message has no text. */
  readonly question: string
  /** The text from the `GROUND_TRUTH:` marker on, which only the grader sees; null without one. */
  readonly groundTruth: string | null
}

/** The marker with its colon; a question may mention the word alone. */
const GROUND_TRUTH_MARK = /\bGROUND_TRUTH:/

/** Reads the prompt from the last message. */
export function readPrompt(messages: readonly ChatMessage[]): ReasonPrompt {
  const text = messageText(messages.at(-1)).trim()
  const at = text.search(GROUND_TRUTH_MARK)
  if (at < 0) return { question: text, groundTruth: null }
  return { question: text.slice(0, at).trimEnd(), groundTruth: text.slice(at) }
}

/** Returns the text of a message without the ground truth, which only the grader may know. */
export function publicText(message: ChatMessage | undefined): string {
  const text = messageText(message).trim()
  const at = text.search(GROUND_TRUTH_MARK)
  return at < 0 ? text : text.slice(0, at).trimEnd()
}

/** Returns a message without the ground truth; the message itself if it has none. */
export const withoutGroundTruth = (message: ChatMessage): ChatMessage =>
  GROUND_TRUTH_MARK.test(messageText(message)) ? { ...message, content: publicText(message) } : message

/** Returns the text of a message: the text parts joined, or an empty text. */
export function messageText(message: ChatMessage | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
