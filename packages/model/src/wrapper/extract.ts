import type { ChatMessage, ModelAnswer } from '@x/interfaces'

/** Gives the texts of an answer; for choices with calls, their messages. */
export function extractTextOrCompletionObject(answer: ModelAnswer): string[] | ChatMessage[] {
  const messages = answer.choices.map((choice) => choice.message)
  if (messages.some((message) => message.tool_calls?.length || message.function_call)) return messages
  return messages.map((message) => textOf(message.content))
}

function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
