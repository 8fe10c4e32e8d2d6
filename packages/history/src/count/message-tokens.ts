import type { ChatMessage, ContentPart } from '@x/interfaces'
import { maxTokensOfText, type TextCounter } from './text-tokens.ts'

/** Tokens of a message besides its texts. */
const MESSAGE_TOKENS = 5

/** Tokens of a tool call besides its name and arguments. */
const CALL_TOKENS = 10

/** Estimated tokens of an image, and the most that one can have. */
const IMAGE_TOKENS = 1600
const MAX_IMAGE_TOKENS = 8000

/** Characters of base64 that make about one token of a sound or file. */
const DATA_CHARS_PER_TOKEN = 60

/** The texts of a message as a model reads them, the number of its tool calls, and its parts other than text. */
interface CountedParts {
  readonly texts: readonly string[]
  readonly calls: number
  readonly media: readonly ContentPart[]
}

/** Lists the parts of a message that have tokens. */
function countedParts({
  content,
  name,
  tool_calls: toolCalls,
  function_call: functionCall,
  tool_call_id: id,
}: ChatMessage): CountedParts {
  const calls = [...(functionCall ? [functionCall] : []), ...(toolCalls ?? []).map((call) => call.function)]
  const parts = Array.isArray(content) ? content : []
  return {
    texts: [
      ...(typeof content === 'string' ? [content] : []),
      ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
      ...calls.flatMap((call) => [call.name, call.arguments]),
      ...(name === undefined ? [] : [name]),
      ...(id === undefined ? [] : [id]),
    ].filter((text) => typeof text === 'string'),
    calls: calls.length,
    media: parts.filter((part) => part.type !== 'text'),
  }
}

/** Counts the tokens of a message. */
export function tokensOf(message: ChatMessage, count: TextCounter): number {
  const { texts, calls, media } = countedParts(message)
  let tokens = MESSAGE_TOKENS + calls * CALL_TOKENS
  for (const text of texts) tokens += count(text)
  for (const part of media) tokens += mediaTokens(part)
  return tokens
}

/** Returns the most tokens that a message can have, from the lengths of its texts alone. */
export function maxTokensOf(message: ChatMessage): number {
  const { content } = message
  if (typeof content === 'string' && !message.tool_calls && !message.function_call) {
    const { name = '', tool_call_id: id = '' } = message
    return MESSAGE_TOKENS + maxTokensOfText(content) + maxTokensOfText(name) + maxTokensOfText(id)
  }
  const { texts, calls, media } = countedParts(message)
  let tokens = MESSAGE_TOKENS + calls * CALL_TOKENS
  for (const text of texts) tokens += maxTokensOfText(text)
  for (const part of media) tokens += Math.max(MAX_IMAGE_TOKENS, mediaTokens(part) * 2)
  return tokens
}

function mediaTokens(part: ContentPart): number {
  if (part.type === 'input_audio') {
    return Math.max(IMAGE_TOKENS / 4, Math.ceil(part.input_audio.data.length / DATA_CHARS_PER_TOKEN))
  }
  if (part.type === 'file') {
    return Math.max(IMAGE_TOKENS, Math.ceil((part.file.file_data?.length ?? 0) / DATA_CHARS_PER_TOKEN))
  }
  return IMAGE_TOKENS
}
