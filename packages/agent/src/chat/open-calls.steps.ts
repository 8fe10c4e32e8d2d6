import type { ChatMessage, ToolResponse } from '@x/interfaces'
import { appendMessage, type Conversation, type State } from '../memory/state.ts'
import { isXError, type Steps } from '@x/kernel'
import { joinedResponses, storedMessage } from '../data/message.ts'

const STOPPED = 'Error: the call was stopped before it answered'

type Side = readonly [State, Conversation]

/**
 * Steps that leave no call without an answer when they are stopped or fail, on neither side, so that the history can be
 * sent again. A chat that waits for an approval is not at its end.
 */
export function* withoutOpenCalls<T>(sides: () => readonly Side[], steps: Steps<T>): Steps<T> {
  let broken = true
  try {
    const result = yield* steps
    broken = false
    return result
  } catch (error) {
    broken = !leavesCallsOpen(error)
    throw error
  } finally {
    if (broken) closeOpenCalls(sides())
  }
}

/** Whether open calls stay open at an error: the chat waits for an approval, or nobody can answer them. */
export const leavesCallsOpen = (error: unknown): boolean =>
  isXError(error, 'suspended') || isXError(error, 'no-executor')

/** Answers open calls with what they answered so far, or that they were stopped. */
function closeOpenCalls(sides: readonly Side[]): void {
  const answered = sides.flatMap(([, { answered: its }]) => its ?? [])
  for (const [state, conversation] of sides) {
    conversation.answered = null
    const last = conversation.messages.at(-1)
    const reply = last && responsesTo(last, answered)
    if (!reply) continue
    const own = !conversation.saidLast
    const name = own ? state.name : (conversation.counterpart?.name ?? '')
    appendMessage(conversation, storedMessage(reply, own ? 'assistant' : 'user', name))
  }
}

/** The answer to the calls of a message that were stopped; undefined for a message without calls. */
export function responsesTo(
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
    return { role: 'tool', tool_responses: responses, content: joinedResponses(responses, '\n\n') }
  }
  return call && { role: 'function', name: call.name, content: STOPPED }
}
