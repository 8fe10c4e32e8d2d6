import type { ChatMessage, ContentPart } from '@x/interfaces'
import { mostTokensOf, type TextCounter } from './text-tokens.ts'

/** Tokens that a message takes beside its texts. */
const PER_MESSAGE = 5

/** Tokens that a call takes beside its name and arguments. */
const PER_CALL = 10

/** Tokens that an image is taken to have, and the most that it can have. */
const IMAGE = 1600
const MOST_OF_IMAGE = 8000

/** Characters of base64 that are about one token of a sound or file. */
const DATA_PER_TOKEN = 60

/** Texts of a message as a model reads them, with its parts that are no text. */
interface Readable {
  readonly texts: readonly string[]
  readonly calls: number
  readonly media: readonly ContentPart[]
}

/** Reads what counts in a message. */
function readable({ content, name, tool_calls: calls, function_call: call, tool_call_id: id }: ChatMessage): Readable {
  const asked = [...(call ? [call] : []), ...(calls ?? []).map((each) => each.function)]
  const parts = Array.isArray(content) ? content : []
  return {
    texts: [
      ...(typeof content === 'string' ? [content] : []),
      ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
      ...asked.flatMap((each) => [each.name, each.arguments]),
      ...(name === undefined ? [] : [name]),
      ...(id === undefined ? [] : [id]),
    ].filter((text) => typeof text === 'string'),
    calls: asked.length,
    media: parts.filter((part) => part.type !== 'text'),
  }
}

/** Counts the tokens of a message. */
export function tokensOf(message: ChatMessage, count: TextCounter): number {
  const { texts, calls, media } = readable(message)
  let tokens = PER_MESSAGE + calls * PER_CALL
  for (const text of texts) tokens += count(text)
  for (const part of media) tokens += mediaTokens(part)
  return tokens
}

/** Returns the most tokens that a message can have, by the lengths of its texts alone. */
export function mostTokens(message: ChatMessage): number {
  const { content } = message
  if (typeof content === 'string' && !message.tool_calls && !message.function_call) {
    const { name = '', tool_call_id: id = '' } = message
    return PER_MESSAGE + mostTokensOf(content) + mostTokensOf(name) + mostTokensOf(id)
  }
  const { texts, calls, media } = readable(message)
  let most = PER_MESSAGE + calls * PER_CALL
  for (const text of texts) most += mostTokensOf(text)
  for (const part of media) most += Math.max(MOST_OF_IMAGE, mediaTokens(part) * 2)
  return most
}

function mediaTokens(part: ContentPart): number {
  if (part.type === 'input_audio') return Math.max(IMAGE / 4, Math.ceil(part.input_audio.data.length / DATA_PER_TOKEN))
  if (part.type === 'file') return Math.max(IMAGE, Math.ceil((part.file.file_data?.length ?? 0) / DATA_PER_TOKEN))
  return IMAGE
}
