import type { ChatMessage, ToolCall, ToolResponse } from '@x/interfaces'
import { isXError, type Steps } from '@x/kernel'
import { hasCalls, joinedResponses, storedMessage } from '../data/message.ts'
import { appendMessage, type Side } from '../memory/state.ts'

/** Text in place of the result of a call that was not answered. */
export const STOPPED_CALL_TEXT = 'Error: the call was stopped before it answered'

/**
 * Runs steps, and lets `closeCalls` answer open calls if the steps fail or are stopped: a history with unanswered calls
 * cannot be sent again. Calls of a chat that waits for an approval stay open.
 */
export function* withoutOpenCalls<T>(closeCalls: () => void, steps: Steps<T>): Steps<T> {
  let broken = true
  try {
    const result = yield* steps
    broken = false
    return result
  } catch (error) {
    broken = !leavesCallsOpen(error)
    throw error
  } finally {
    if (broken) closeCalls()
  }
}

/** True if open calls stay open after an error: the chat waits for an approval, or nobody can answer the calls. */
export const leavesCallsOpen = (error: unknown): boolean =>
  isXError(error, 'suspended') || isXError(error, 'no-executor')

/** Answers the open calls on both sides: with the responses so far, or with an error that says they were stopped. */
export function closeOpenCalls(side: Side): void {
  const sides = [side, side.peer]
  const answered = sides.flatMap(({ conversation }) => conversation.answered ?? [])
  for (const { state, conversation } of sides) {
    conversation.answered = null
    const last = conversation.messages.at(-1)
    const reply = last && responsesTo(last, answered)
    if (!reply) continue
    const own = !conversation.saidLast
    const name = own ? state.name : (conversation.counterpart?.name ?? '')
    appendMessage(conversation, storedMessage(reply, own ? 'assistant' : 'user', name))
  }
}

/** Returns the answer to the stopped calls of a message; undefined for a message without calls. */
export function responsesTo(
  { tool_calls: calls, function_call: call }: ChatMessage,
  answered: readonly ToolResponse[],
): ChatMessage | undefined {
  if (calls && calls.length > 0) {
    const responses = calls.map(
      ({ id }): ToolResponse =>
        answered.find((response) => response.tool_call_id === id) ?? {
          ...(id !== undefined && { tool_call_id: id }),
          role: 'tool',
          content: STOPPED_CALL_TEXT,
        },
    )
    return { role: 'tool', tool_responses: responses, content: joinedResponses(responses) }
  }
  return call && { role: 'function', name: call.name, content: STOPPED_CALL_TEXT }
}

/**
 * Returns messages in which every call has an answer, as providers demand. A call without one, as after a run that
 * waited for a decision, is answered as stopped. `next` is the message behind them, which may answer the last ones.
 */
export function withCallsAnswered(messages: readonly ChatMessage[], next: ChatMessage): readonly ChatMessage[] {
  const whole: ChatMessage[] = []
  for (let at = 0; at < messages.length;) {
    const message = messages[at++]!
    whole.push(message)
    if (!hasCalls(message)) continue
    const begin = at
    while (at < messages.length && isAnswer(messages[at]!)) at++
    const answers = messages.slice(begin, at)
    const isLast = at === messages.length && isAnswer(next)
    whole.push(...answers, ...missingAnswers(message, isLast ? [...answers, next] : answers))
  }
  return whole.length === messages.length ? messages : whole
}

const isAnswer = ({ role, tool_responses: responses }: ChatMessage): boolean =>
  role === 'tool' || role === 'function' || Boolean(responses && responses.length > 0)

/** Makes the answers that a message with calls lacks; a call without an identifier is answered by the result at its place. */
function missingAnswers(
  { tool_calls: calls = [], function_call: call }: ChatMessage,
  answers: readonly ChatMessage[],
): ChatMessage[] {
  const ids = answers.flatMap(({ tool_responses: responses, tool_call_id: id }) =>
    responses ? responses.map((response) => response.tool_call_id) : [id],
  )
  const isOpen = ({ id }: ToolCall, place: number): boolean =>
    id === undefined ? place >= ids.length : !ids.includes(id)
  const missing = calls.filter(isOpen).map(({ id }): ChatMessage => ({
    content: STOPPED_CALL_TEXT,
    ...(id !== undefined && { tool_call_id: id }),
    role: 'tool',
  }))
  if (call && answers.length === 0) missing.push({ content: STOPPED_CALL_TEXT, role: 'function', name: call.name })
  return missing.map((message) => Object.freeze(message))
}
