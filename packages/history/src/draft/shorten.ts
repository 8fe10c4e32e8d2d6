import type { ChatMessage, ContentPart, FunctionCall } from '@x/interfaces'
import { tokensOf } from '../count/message-tokens.ts'
import type { TextCounter } from '../count/text-tokens.ts'

/** Share of a shortened text that is its beginning; the rest is its end. */
const HEAD = 0.6

/** Least tokens that a text is shortened to. */
const LEAST = 24

/** Tries to come below a limit, since the density of a text may vary. */
const TRIES = 8

/** Returns a text with its middle left out, so that it has at most so many tokens. */
export function shortenText(text: string, most: number, count: TextCounter): string {
  const tokens = count(text)
  if (tokens <= most) return text
  let keep = Math.floor((text.length * Math.max(most - 12, 1)) / tokens)
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const short = withoutMiddle(text, keep)
    if (count(short) <= most) return short
    keep = Math.floor(keep * 0.7)
  }
  return withoutMiddle(text, keep)
}

function withoutMiddle(text: string, keep: number): string {
  const head = wholeUntil(text, Math.floor(keep * HEAD))
  const tail = wholeUntil(text, text.length - (keep - Math.floor(keep * HEAD)))
  return `${text.slice(0, head)}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`
}

/** Moves a position that would cut a character in two. */
function wholeUntil(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

/** Spreads a limit over sizes: the largest cap at which their sum stays within it. */
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

/**
 * Returns a copy of a message with at most so many tokens, as far as that can be: the middle of long texts is left out,
 * long arguments of calls and attachments are replaced by a note. Signatures of a provider that belong to the original go.
 */
export function shortenMessage(message: ChatMessage, most: number, count: TextCounter): ChatMessage {
  const frame = tokensOf({ ...withoutTexts(message) }, count)
  const texts = textsOf(message)
  const cap = Math.max(LEAST, capFor(texts.map(count), Math.max(0, most - frame)))
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

/** Arguments have to stay one object. */
function shortCall(call: FunctionCall, cap: number, count: TextCounter): FunctionCall {
  if (count(call.arguments) <= cap) return call
  return { ...call, arguments: JSON.stringify({ left_out: `${call.arguments.length} characters of arguments` }) }
}

/** Returns the text that stands for an attachment which is no longer sent. */
export const attachmentNote = (part: ContentPart): ContentPart => ({
  type: 'text',
  text: `[${part.type === 'image_url' ? 'an image' : part.type === 'input_audio' ? 'a sound' : 'a file'} was left out here]`,
})
