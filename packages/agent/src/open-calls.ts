import type { ChatMessage, ToolResponse } from '@x/interfaces'
import type { Conversation, State } from './state.ts'
import { storedMessage } from './stored-message.ts'

const STOPPED = 'Error: the call was stopped before it answered'

/**
 * Answers the calls that a stopped chat has left open, on both sides, so that its history can be sent again: with what
 * they answered, or that they were stopped.
 */
export function closeOpenCalls(sides: readonly (readonly [State, Conversation])[]): void {
  const answered = sides.flatMap(([, { answered: its }]) => its ?? [])
  for (const [state, conversation] of sides) {
    conversation.answered = null
    const last = conversation.messages.at(-1)
    const reply = last && responsesTo(last, answered)
    if (!reply) continue
    const own = !conversation.saidLast
    const name = own ? state.name : (conversation.counterpart?.name ?? '')
    conversation.messages.push(storedMessage(reply, own ? 'assistant' : 'user', name))
  }
}

function responsesTo(
  { tool_calls: calls, function_call: call }: ChatMessage,
  answered: readonly ToolResponse[],
): ChatMessage | undefined {
  if (calls && calls.length > 0) {
    const responses = calls.map(
      ({ id }): ToolResponse =>
        answered.find(({ tool_call_id: its }) => its === id) ?? {
          ...(id !== undefined && { tool_call_id: id }),
          role: 'tool',
          content: STOPPED,
        },
    )
    return { role: 'tool', tool_responses: responses, content: responses.map(({ content }) => content).join('\n\n') }
  }
  return call && { role: 'function', name: call.name, content: STOPPED }
}
