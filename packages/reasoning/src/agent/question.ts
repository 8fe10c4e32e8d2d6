import type { ChatMessage } from '@x/interfaces'

/** The question that messages end with, and what the marker sets apart for the grader. */
export interface AskedQuestion {
  /** Empty when nothing was asked. */
  readonly prompt: string
  /** From the marker on, or null. */
  readonly groundTruth: string | null
}

/** The marker is a word of its own with a colon: a question may well mention it. */
const GROUND_TRUTH = /\bGROUND_TRUTH:/

/** Reads the question out of the last message; what follows `GROUND_TRUTH:` is for the grader and no part of it. */
export function questionIn(messages: readonly ChatMessage[]): AskedQuestion {
  const text = textOf(messages.at(-1)).trim()
  const at = text.search(GROUND_TRUTH)
  if (at < 0) return { prompt: text, groundTruth: null }
  return { prompt: text.slice(0, at).trimEnd(), groundTruth: text.slice(at) }
}

/** The text of a message: of several parts those that are text, of none an empty one. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
