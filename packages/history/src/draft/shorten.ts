import type { ChatMessage, ContentPart, FunctionCall } from '@x/interfaces'
import { tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'
import type { Draft } from './draft.ts'

/** Share of a shortened text that comes from its beginning; the rest comes from its end. */
const HEAD_SHARE = 0.6

/** Fewest tokens that a text is shortened to. */
const MIN_TEXT_TOKENS = 24

/** Attempts to get below a limit: the tokens per character of a text may vary. */
const MAX_ATTEMPTS = 8

/** Leaves out the middle of a text, so that it has at most `maxTokens` tokens. */
export function shortenText(text: string, maxTokens: number, count: TextCounter): string {
  const tokens = count(text)
  if (tokens <= maxTokens) return text
  let keep = Math.floor((text.length * Math.max(maxTokens - 12, 1)) / tokens)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const short = withoutMiddle(text, keep)
    if (count(short) <= maxTokens) return short
    keep = Math.floor(keep * 0.7)
  }
  return withoutMiddle(text, keep)
}

function withoutMiddle(text: string, keep: number): string {
  const head = characterStart(text, Math.floor(keep * HEAD_SHARE))
  const tail = characterStart(text, text.length - (keep - Math.floor(keep * HEAD_SHARE)))
  return `${text.slice(0, head)}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`
}

/** Moves a position inside a surrogate pair back to the start of the character. */
function characterStart(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

/** Returns the largest cap on each size at which the sum of the capped sizes stays within the limit. */
export function capFor(sizes: readonly number[], limit: number): number {
  const sorted = sizes.toSorted((a, b) => a - b)
  let left = limit
  for (const [index, size] of sorted.entries()) {
    const share = left / (sorted.length - index)
    if (size > share) return Math.max(0, Math.floor(share))
    left -= size
  }
  return Infinity
}

/** Fewest tokens that a message is shortened to. */
const MIN_MESSAGE_TOKENS = 64

/** Rounds over the largest messages: a message that cannot be shortened leaves less room for the others. */
const MAX_ROUNDS = 3

/**
 * Shortens the largest messages until a limit holds, as a last resort: when the messages that have to stay are too large
 * alone. Messages with signatures of a provider come last, since shortening removes the signatures.
 */
export function shortenLargest(draft: Draft, limit: number, count: TextCounter): void {
  for (const includeSigned of [false, true]) {
    for (let round = 0; round < MAX_ROUNDS && draft.tokens > limit; round++) {
      const candidates = draft.messages.flatMap((entry, index) =>
        entry.gone || (!includeSigned && entry.message.provider_metadata !== undefined) ? [] : [index],
      )
      const sizes = candidates.map((index) => draft.messages[index]!.tokens)
      const others = draft.tokens - sizes.reduce((sum, size) => sum + size, 0)
      const cap = Math.max(MIN_MESSAGE_TOKENS, capFor(sizes, Math.max(0, limit - others)))
      for (const index of candidates) {
        const { message, tokens } = draft.messages[index]!
        if (tokens <= cap) continue
        const short = shortenMessage(message, Math.floor(draft.ownTokens(cap)), count)
        if (tokensOf(short, count) < draft.ownTokens(tokens)) draft.replace(index, short, 'shortened')
      }
    }
  }
}

/**
 * Returns a copy of a message that has at most `maxTokens` tokens, as far as that is possible: long texts lose their
 * middle, and notes replace long arguments of calls and attachments. Signatures of a provider, which hold for the original
 * alone, are removed.
 */
export function shortenMessage(message: ChatMessage, maxTokens: number, count: TextCounter): ChatMessage {
  const frameTokens = tokensOf(withoutTexts(message), count)
  const cap = Math.max(MIN_TEXT_TOKENS, capFor(textsOf(message).map(count), Math.max(0, maxTokens - frameTokens)))
  const { provider_metadata: _, ...rest } = message
  const { content, tool_calls: calls, function_call: call } = message
  return Object.freeze({
    ...rest,
    ...(content !== undefined && { content: shortContent(content, cap, count) }),
    ...(calls && { tool_calls: calls.map((each) => ({ ...each, function: shortCall(each.function, cap, count) })) }),
    ...(call && { function_call: shortCall(call, cap, count) }),
  })
}

function textsOf({ content, tool_calls: calls = [], function_call: call }: ChatMessage): string[] {
  return [
    ...(typeof content === 'string' ? [content] : []),
    ...(Array.isArray(content) ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : []),
    ...calls.map((each) => each.function.arguments),
    ...(call ? [call.arguments] : []),
  ]
}

function withoutTexts({
  role,
  name,
  tool_call_id: id,
  tool_calls: calls,
  function_call: call,
}: ChatMessage): ChatMessage {
  const empty = (each: FunctionCall): FunctionCall => ({ ...each, arguments: '' })
  return {
    role,
    name,
    tool_call_id: id,
    content: '',
    ...(calls && { tool_calls: calls.map((each) => ({ ...each, function: empty(each.function) })) }),
    ...(call && { function_call: empty(call) }),
  }
}

function shortContent(content: ChatMessage['content'], cap: number, count: TextCounter): ChatMessage['content'] {
  if (typeof content === 'string') return shortenText(content, cap, count)
  if (!Array.isArray(content)) return content
  return content.map((part) =>
    part.type === 'text' ? { type: 'text', text: shortenText(part.text, cap, count) } : attachmentNote(part),
  )
}

/** Replaces long arguments of a call by a note; arguments have to stay a JSON object. */
function shortCall(call: FunctionCall, cap: number, count: TextCounter): FunctionCall {
  if (count(call.arguments) <= cap) return call
  return { ...call, arguments: JSON.stringify({ left_out: `${call.arguments.length} characters of arguments` }) }
}

/** Returns the note that replaces an attachment. */
export const attachmentNote = (part: ContentPart): ContentPart => ({
  type: 'text',
  text: `[${part.type === 'image_url' ? 'an image' : part.type === 'input_audio' ? 'a sound' : 'a file'} was left out here]`,
})
