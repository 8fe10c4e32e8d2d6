import type { ChatMessage, ToolCall, ToolResponse } from '@x/interfaces'
import { saysSomething } from '../group/group-messages.ts'

/**
 * Removes the calls of some tools and their answers from messages; failed calls stay, for the model to read. A call is
 * matched with the answer in the next message, since providers reuse identifiers. Messages that become empty are removed.
 */
export function withoutCalls(messages: readonly ChatMessage[], names: ReadonlySet<string>): readonly ChatMessage[] {
  if (names.size === 0 || !messages.some((message) => message.tool_calls?.some((call) => isHidden(call, names)))) {
    return messages
  }
  const remaining: ChatMessage[] = []
  let hidden = NO_CALLS
  let all = NO_CALLS
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!
    const { tool_calls: calls, tool_responses: responses } = message
    if (calls && calls.length > 0) {
      all = calls
      hidden = hiddenCalls(calls, names, messages[index + 1])
      if (hidden.length === 0) remaining.push(message)
      else if (hidden.length < calls.length) remaining.push({ ...message, tool_calls: others(calls, hidden) })
      else if (saysSomething(message)) remaining.push(withoutTools(message))
    } else if (responses && hidden.length > 0) {
      const kept = openResponses(responses, hidden, all)
      hidden = NO_CALLS
      if (kept.length > 0) remaining.push({ ...message, tool_responses: kept })
    } else remaining.push(message)
  }
  return remaining
}

const NO_CALLS: readonly ToolCall[] = []

/** Returns the hidden calls of a message; most messages have none, and make no list. */
function hiddenCalls(calls: readonly ToolCall[], names: ReadonlySet<string>, next: ChatMessage | undefined) {
  if (!calls.some((call) => isHidden(call, names))) return NO_CALLS
  return calls.filter((call, place) => isHidden(call, names) && !hasFailed(call, place, next))
}

const others = (calls: readonly ToolCall[], hidden: readonly ToolCall[]): ToolCall[] =>
  calls.filter((call) => !hidden.includes(call))

/** Returns the responses to calls that stay. */
const openResponses = (
  responses: readonly ToolResponse[],
  hidden: readonly ToolCall[],
  all: readonly ToolCall[],
): ToolResponse[] => responses.filter(({ tool_call_id: id }, place) => !isAnswered(hidden, all, id, place))

function withoutTools(message: ChatMessage): ChatMessage {
  const { tool_calls: _, tool_responses: __, ...rest } = message
  return rest
}

const isHidden = (call: ToolCall, names: ReadonlySet<string>): boolean => names.has(call.function.name)

/** True if a response answers a hidden call: the call at the same index, or else one with the same identifier. */
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

/** True if the answer to a call is an error: the handoff was denied, or its arguments did not fit. */
function hasFailed(call: ToolCall, index: number, next: ChatMessage | undefined): boolean {
  const responses = next?.tool_responses ?? []
  const sameIndex = responses[index]?.tool_call_id === call.id ? responses[index] : undefined
  const response = sameIndex ?? responses.find(({ tool_call_id: id }) => id !== undefined && id === call.id)
  return typeof response?.content === 'string' && response.content.startsWith('Error: ')
}
