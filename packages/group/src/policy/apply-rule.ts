import type { ChatMessage, ContentPart } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import type { PolicyRule } from './read-policy.ts'

/** Returns the reason why a rule applies to a text; null when it finds nothing. */
export const matchOf = (check: RegExp, text: string): string | null => {
  const match = check.exec(text)
  return match && `Match found -> ${match[0]}`
}

const BLOCKED = '🛡️ BLOCKED: '

/** Returns the text that is read in place of one in which a rule has found something. */
export function textAfter({ action, check, message }: PolicyRule, text: string, why: string): string {
  if (action === 'warning') return text
  if (action === 'block') return `${BLOCKED}${message ?? why}`
  return text.replaceAll(new RegExp((check as RegExp).source, 'giu'), '[SENSITIVE_INFO]')
}

/** The texts of a message that rules look at: its own, the arguments of calls, the answers of tools. */
export const textsOf = ({ content, tool_calls: calls = [], tool_responses: responses = [] }: ChatMessage): string[] => [
  ...(typeof content === 'string' && content !== '' ? [content] : []),
  ...calls.map((call) => call.function.arguments),
  ...responses.flatMap((response) => (response.content === null ? [] : [contentText(response.content)])),
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
        ...(response.content !== null && { content: changed(response.content, change) }),
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

function changed(content: string | ContentPart[], change: (text: string) => string): string | ContentPart[] {
  const text = contentText(content)
  const after = change(text)
  if (after === text) return content
  return after.startsWith(BLOCKED) ? after : withText(content, after)
}

/** A content with another text; its images, sounds and files stay. */
export function withText(content: string | ContentPart[], text: string): string | ContentPart[] {
  if (!Array.isArray(content)) return text
  return [{ type: 'text', text }, ...content.filter(({ type }) => type !== 'text')]
}
