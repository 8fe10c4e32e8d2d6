import type { ChatMessage, ToolResponse } from '@x/interfaces'

const STOPPED_CALL_TEXT = 'Error: the call was stopped before it answered'

/** Returns the message that answers calls which are not executed, in the name of who answers calls. */
export function answerStoppedCalls({ tool_calls: calls, function_call: call }: ChatMessage, name: string): ChatMessage {
  // The content is empty because a summary must not contain it.
  if (call && !calls) return { role: 'function', name: call.name, content: STOPPED_CALL_TEXT }
  const responses = (calls ?? []).map(({ id }): ToolResponse => ({
    ...(id !== undefined && { tool_call_id: id }),
    role: 'tool',
    content: STOPPED_CALL_TEXT,
  }))
  return { role: 'tool', name, tool_responses: responses, content: '' }
}

/** Returns earlier messages with an answer to the calls that have none: providers refuse calls that others follow. The last message may have open calls. */
export const withCallsAnswered = (messages: readonly ChatMessage[], name: string): readonly ChatMessage[] =>
  messages.flatMap((message, index) => {
    const next = messages[index + 1]
    return next && hasCalls(message) && !isAnswer(next) ? [message, answerStoppedCalls(message, name)] : [message]
  })

const hasCalls = ({ tool_calls: calls, function_call: call }: ChatMessage): boolean =>
  Boolean(call) || Boolean(calls && calls.length > 0)

const isAnswer = ({ role, tool_responses: responses }: ChatMessage): boolean =>
  role === 'tool' || role === 'function' || Boolean(responses && responses.length > 0)
