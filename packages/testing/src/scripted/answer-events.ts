import type { ChatMessage, ModelAnswer, ModelEvent } from '@x/interfaces'

/** The events of an answer as a provider would stream it: text word by word, arguments in two pieces. */
export function answerEvents({ id, model, choices, usage }: ModelAnswer): ModelEvent[] {
  const events: ModelEvent[] = [{ type: 'start', id, model }]
  for (const { index, message, finish_reason: reason, reasoning, ...details } of choices) {
    for (const text of words(reasoning ?? '')) events.push({ type: 'reasoningDelta', index, text })
    for (const text of words(textOf(message.content))) events.push({ type: 'textDelta', index, text })
    for (const [call, { id: callId = null, function: called }] of (message.tool_calls ?? []).entries()) {
      events.push({ type: 'toolCallStart', index, call, id: callId, name: called.name })
      for (const piece of halves(called.arguments)) {
        events.push({ type: 'toolCallDelta', index, call, arguments: piece })
      }
      events.push({ type: 'toolCallEnd', index, call })
    }
    if (Object.keys(details).length > 0) events.push({ type: 'details', index, details })
    events.push({ type: 'finish', index, reason: reason ?? 'stop' })
  }
  if (usage) events.push({ type: 'usage', usage })
  return events
}

/** Returns the texts of an answer, or its messages if they hold calls, as `messageRetrieval` of every client does. */
export function retrievedMessages({ choices }: ModelAnswer): string[] | ChatMessage[] {
  const messages = choices.map(({ message }) => message)
  if (messages.some((message) => message.tool_calls?.length || message.function_call)) return messages
  return messages.map(({ content }) => textOf(content))
}

function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Cuts a text before each of its words. */
export const words = (text: string): string[] => text.match(/\s*\S+\s*$|\s*\S+|\s+/gu) ?? []

/** Cuts a text in two; a text that is too short stays whole. */
export function halves(text: string): string[] {
  const middle = text.length >> 1
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '')
}
