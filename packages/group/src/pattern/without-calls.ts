import type { ChatMessage, ToolCall } from '@x/interfaces'

/** Whether a message has a text that is more than nothing. */
const hasContent = ({ content }: ChatMessage): boolean =>
  Array.isArray(content) ? content.length > 0 : content !== null && content !== undefined && content !== ''

/**
 * Messages without the calls of some tools and without their answers; those that have failed stay, for the model to read.
 * A call is matched with the answer in the message behind it, since providers use identifiers twice. A message of which
 * nothing is left is taken out.
 */
export function withoutCalls(messages: readonly ChatMessage[], names: ReadonlySet<string>): readonly ChatMessage[] {
  if (names.size === 0 || !messages.some((message) => message.tool_calls?.some((call) => isHidden(call, names)))) {
    return messages
  }
  const left: ChatMessage[] = []
  let hidden: readonly ToolCall[] = []
  let all: readonly ToolCall[] = []
  for (const [index, message] of messages.entries()) {
    const { tool_calls: calls, tool_responses: responses, ...rest } = message
    if (calls && calls.length > 0) {
      all = calls
      hidden = calls.filter((call, place) => isHidden(call, names) && !hasFailed(call, place, messages[index + 1]))
      const kept = calls.filter((call) => !hidden.includes(call))
      if (hidden.length === 0) left.push(message)
      else if (kept.length > 0) left.push({ ...message, tool_calls: kept })
      else if (hasContent(message)) left.push(rest)
    } else if (responses && hidden.length > 0) {
      const kept = responses.filter(({ tool_call_id: id }, place) => !isAnswered(hidden, all, id, place))
      hidden = []
      if (kept.length > 0) left.push({ ...message, tool_responses: kept })
    } else left.push(message)
  }
  return left
}

const isHidden = (call: ToolCall, names: ReadonlySet<string>): boolean => names.has(call.function.name)

/** Whether a response answers a hidden call: the one at its place, or else one of its identifier. */
function isAnswered(
  hidden: readonly ToolCall[],
  all: readonly ToolCall[],
  id: string | undefined,
  index: number,
): boolean {
  const call = all[index]
  if (call && (call.id ?? undefined) === id) return hidden.includes(call)
  return hidden.some((each) => each.id !== undefined && each.id === id)
}

/** Whether the answer to a call tells of an error: a handoff that was denied, or whose arguments did not fit. */
function hasFailed(call: ToolCall, place: number, next: ChatMessage | undefined): boolean {
  const responses = next?.tool_responses ?? []
  const its = responses[place]?.tool_call_id === call.id ? responses[place] : undefined
  const response = its ?? responses.find(({ tool_call_id: id }) => id !== undefined && id === call.id)
  return typeof response?.content === 'string' && response.content.startsWith('Error: ')
}
