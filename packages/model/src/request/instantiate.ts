import type { ChatMessage } from '@x/interfaces'
import { XError } from '@x/kernel'

/** A text, or a function that makes a text from the context. */
export type Template = string | ((context: Record<string, unknown>) => string)

/**
 * Makes a text from a template. Without a context the template is returned unchanged; a text is formatted only if that is
 * allowed; a function is called with the context.
 */
export function instantiate<T extends Template | null>(
  template: T,
  context: Record<string, unknown> | null = null,
  allowFormatStrTemplate: boolean | null = false,
): string | T {
  if (template === null || !context || Object.keys(context).length === 0) return template
  if (typeof template === 'string') return allowFormatStrTemplate ? format(template, context) : template
  return template(context)
}

/**
 * Instantiates the contents of messages from the context of the request, or else from their own, which no model sees.
 * Messages with neither a template nor a context are returned as the same objects; `known` of them at the beginning have no
 * context.
 */
export function instantiateMessages(
  messages: readonly ChatMessage[],
  context: Record<string, unknown> | null,
  allowFormatStrTemplate: boolean | null,
  known: number = 0,
): readonly ChatMessage[] {
  let at = known
  while (at < messages.length && !hasContext(messages[at]!)) at++
  if (!context && at === messages.length) return messages
  return messages.map((message) => {
    if (!hasContext(message)) return filled(message, context, allowFormatStrTemplate)
    const { context: own, ...rest } = message
    return filled(rest, context ?? own ?? null, allowFormatStrTemplate)
  })
}

// What is no message is refused later.
const hasContext = (message: ChatMessage | null): boolean => message?.context !== undefined

function filled(
  message: ChatMessage,
  context: Record<string, unknown> | null,
  allowFormatStrTemplate: boolean | null,
): ChatMessage {
  const content = message?.content
  if (!content || (typeof content !== 'function' && typeof content !== 'string')) return message
  const text = instantiate(content, context, allowFormatStrTemplate)
  return text === content ? message : { ...message, content: text }
}

/** A `{name}`, an escaped brace or a lone brace. */
const FIELD_PATTERN = /\{\{|\}\}|\{([^{}]*)\}|[{}]/gu

/** Replaces `{name}` by the context's own properties; `{{` and `}}` stand for braces. */
function format(template: string, context: Record<string, unknown>): string {
  return template.replaceAll(FIELD_PATTERN, (brace, name: string | undefined) => {
    if (brace === '{{') return '{'
    if (brace === '}}') return '}'
    if (name === undefined) {
      throw new XError('invalid-argument', `a template has a lone \`${brace}\`: write \`${brace}${brace}\` for a brace`)
    }
    if (!Object.hasOwn(context, name)) {
      throw new XError('invalid-argument', `a template names \`{${name}}\`, which the context does not have: add it`, {
        details: { name, known: Object.keys(context) },
      })
    }
    const value = context[name]
    return typeof value === 'object' && value !== null ? jsonOf(name, value) : String(value)
  })
}

function jsonOf(name: string, value: object): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new XError(
      'invalid-argument',
      `cannot fill \`{${name}}\` of a template: JSON cannot hold its value (${(error as Error).message.split('\n')[0]}); give a text, or plain data without cycles`,
      { cause: error },
    )
  }
}
