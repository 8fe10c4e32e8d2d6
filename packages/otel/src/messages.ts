import type { ChatMessage, ContentPart, FinishReason, Reply, ToolCall } from '@x/interfaces'

/** A part of a message, as the conventions write it. */
type Part = Readonly<Record<string, unknown>>

/** A message, as the conventions write it. */
interface WrittenMessage {
  readonly role: string
  readonly parts: readonly Part[]
  readonly name?: string
  readonly finish_reason?: string
}

/** Writes the messages of a request as JSON text. */
export const writeInput = (messages: readonly ChatMessage[]): string =>
  JSON.stringify(messages.flatMap(writtenMessages))

/** Writes an answer as JSON text. */
export function writeOutput(reply: Reply, finishReason: FinishReason | null): string {
  const [message = { role: 'assistant', parts: [] }] = writtenMessages(asMessage(reply, 'assistant'))
  return JSON.stringify([{ ...message, role: 'assistant', finish_reason: writtenReason(finishReason) }])
}

/** Returns a reply as a message of a role. */
export const asMessage = (reply: Reply, role: 'user' | 'assistant'): ChatMessage =>
  typeof reply === 'string' ? { role, content: reply } : reply

/** Writes any value as JSON text; undefined for what has none. */
export function writeValue(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** A message that answers several calls becomes one message. */
function writtenMessages(message: ChatMessage): WrittenMessage[] {
  const { role = 'user', name, tool_calls: calls = [], function_call: call, tool_responses: responses } = message
  if (responses) {
    const parts = responses.map(({ tool_call_id: id, content }) => writtenResult(id, content))
    return [{ role: 'tool', parts }]
  }
  if (role === 'tool' || role === 'function') {
    return [{ role: 'tool', parts: [writtenResult(message.tool_call_id, message.content)] }]
  }
  const all: readonly ToolCall[] = call ? [...calls, { function: call }] : calls
  const parts = [...writtenContent(message.content), ...all.map(writtenCall)]
  return [{ role, parts, ...(name !== undefined && { name }) }]
}

const writtenResult = (id: string | undefined, content: ChatMessage['content']): Part => ({
  type: 'tool_call_response',
  ...(id !== undefined && { id }),
  response: typeof content === 'string' ? content : writtenContent(content),
})

const writtenCall = ({ id, function: called }: ToolCall): Part => ({
  type: 'tool_call',
  ...(id !== undefined && { id }),
  name: called.name,
  arguments: parsed(called.arguments),
})

/** The arguments of a call are written as an object where they are one. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return json
  }
}

function writtenContent(content: ChatMessage['content']): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }]
  return Array.isArray(content) ? content.map(writtenPart) : []
}

/** Bytes stay out of a trace: a part tells of them by their kind alone. */
function writtenPart(part: ContentPart): Part {
  if (part.type === 'text') return { type: 'text', content: part.text }
  if (part.type === 'input_audio') {
    return { type: 'blob', modality: 'audio', mime_type: `audio/${part.input_audio.format}`, content: '' }
  }
  if (part.type === 'image_url') {
    const { url } = part.image_url
    const mimeType = /^data:([\w.+/-]+)/u.exec(url)?.[1]
    if (!url.startsWith('data:')) return { type: 'uri', modality: 'image', uri: url }
    return { type: 'blob', modality: 'image', ...(mimeType !== undefined && { mime_type: mimeType }), content: '' }
  }
  const { file_id: id, filename } = part.file
  if (id !== undefined) return { type: 'file', modality: 'document', file_id: id }
  return { type: 'blob', modality: 'document', ...(filename !== undefined && { filename }), content: '' }
}

/** Reasons that the conventions name otherwise. */
const WRITTEN_REASONS: Readonly<Record<string, string>> = { tool_calls: 'tool_call', function_call: 'tool_call' }

const writtenReason = (reason: FinishReason | null): string =>
  reason === null ? 'stop' : Object.hasOwn(WRITTEN_REASONS, reason) ? WRITTEN_REASONS[reason]! : reason
