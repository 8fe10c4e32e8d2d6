import type { ChatMessage } from '@x/interfaces'
import { contentText, isParts } from '@x/kernel/tool-content'

/** Stands for a result that a conversation has lost. */
const LOST = 'Error: the result of this call is missing.'

/**
 * Returns a conversation in which every call has its result right behind it and every result its call, as providers
 * demand, in the order of the calls; a result that is missing is said to be, one without a call becomes text of the user. Other messages are the
 * same objects.
 */
export function pairResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (inOrder(messages)) return messages
  const out: ChatMessage[] = []
  const used = new Set<ChatMessage>()
  for (const [index, message] of messages.entries()) {
    if (used.has(message)) continue
    if (message.role === 'tool') {
      out.push({ role: 'user', content: `Result of an earlier call: ${plainText(message.content)}` })
      continue
    }
    out.push(message)
    for (const { id } of message.tool_calls ?? []) {
      if (id === undefined) continue
      const result = messages
        .slice(index + 1)
        .find((later) => later.role === 'tool' && later.tool_call_id === id && !used.has(later))
      if (result) used.add(result)
      out.push(result ?? { role: 'tool', tool_call_id: id, content: LOST })
    }
  }
  return out
}

/** Tells whether all results follow their calls in order, which is usual. Some providers match results by order. */
function inOrder(messages: readonly ChatMessage[]): boolean {
  let open: string[] = []
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === 'tool') {
      if (id === undefined || open.shift() !== id) return false
      continue
    }
    if (open.length > 0) return false
    if (calls) open = calls.flatMap((call) => call.id ?? [])
  }
  return open.length === 0
}

/** Images of a result whose call is not known any more stay out: nobody can say what they show. */
const plainText = (content: ChatMessage['content']): string =>
  isParts(content) || typeof content === 'string' ? contentText(content) : JSON.stringify(content ?? '')
