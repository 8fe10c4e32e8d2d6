import type { ChatMessage } from '@x/interfaces'
import type { PolicyRule } from './read-policy.ts'

/** Returns the reason why a rule applies to a text; null when it finds nothing. */
export const matchOf = (check: RegExp, text: string): string | null => {
  const match = check.exec(text)
  return match && `Match found -> ${match[0]}`
}

/** Returns the text that is read in place of one in which a rule has found something. */
export function textAfter({ action, check, message }: PolicyRule, text: string, why: string): string {
  if (action === 'warning') return text
  if (action === 'block') return `🛡️ BLOCKED: ${message ?? why}`
  return text.replaceAll(new RegExp((check as RegExp).source, 'giu'), '[SENSITIVE_INFO]')
}

/** The texts of a message that rules look at: its own, the arguments of calls, the answers of tools. */
export const textsOf = ({ content, tool_calls: calls = [], tool_responses: responses = [] }: ChatMessage): string[] => [
  ...(typeof content === 'string' && content !== '' ? [content] : []),
  ...calls.map((call) => call.function.arguments),
  ...responses.map((response) => response.content).filter((each): each is string => typeof each === 'string'),
]

/** A message in which each text is another; arguments that are blocked are none. */
export function withTexts(message: ChatMessage, change: (text: string) => string): ChatMessage {
  const { content, tool_calls: calls, tool_responses: responses } = message
  return {
    ...message,
    ...(typeof content === 'string' && content !== '' && { content: change(content) }),
    ...(calls && {
      tool_calls: calls.map((call) => ({
        ...call,
        function: { ...call.function, arguments: jsonOr(change(call.function.arguments)) },
      })),
    }),
    ...(responses && {
      tool_responses: responses.map((response) => ({
        ...response,
        ...(typeof response.content === 'string' && { content: change(response.content) }),
      })),
    }),
  }
}

/** Arguments as long as they are JSON: a provider refuses others. */
function jsonOr(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    return '{}'
  }
}
