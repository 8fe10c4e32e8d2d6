import type { ChatMessage, ToolCall } from '@x/interfaces'
import { hasCalls } from '../data/message.ts'

/** Text in place of the result of a call that was not answered. */
export const STOPPED_CALL_TEXT = 'Error: the call was stopped before it answered'

/**
 * Returns messages in which every call has an answer, as providers demand it of a history: calls that have none, as those of a
 * run that waited for a decision, are answered as stopped. `next` is the message behind them, which may answer the last ones.
 */
export function withCallsAnswered(messages: readonly ChatMessage[], next: ChatMessage): readonly ChatMessage[] {
  const whole: ChatMessage[] = []
  for (let at = 0; at < messages.length;) {
    const message = messages[at]!
    let end = at + 1
    if (hasCalls(message)) while (end < messages.length && isAnswer(messages[end]!)) end++
    const answers = messages.slice(at + 1, end)
    whole.push(message, ...answers)
    const isLast = end === messages.length && isAnswer(next)
    if (hasCalls(message)) whole.push(...missingAnswers(message, isLast ? [...answers, next] : answers))
    at = end
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
