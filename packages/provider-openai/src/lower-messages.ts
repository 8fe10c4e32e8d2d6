import type { ChatMessage, ContentPart, ToolCall } from '@x/interfaces'
import { flatHistory, type IdentifierRule, type NameMap } from '@x/provider-kit'
import { lowerPart } from './lower-part.ts'

/** Ids of calls: forty characters, of any kind that is safe everywhere. */
export const ID_RULE: IdentifierRule = { maxLength: 40, forbidden: /[^\w-]/gu }

/** A message as the endpoint takes it. */
type WireMessage = Record<string, unknown> & { role: string }

/** Facts of a request that its messages depend on. */
export interface MessageContext {
  /** Role of system messages. */
  readonly systemRole: 'system' | 'developer' | 'user'
  readonly names: NameMap
}

/** Returns messages as the endpoint takes them; does not change the given ones. */
export function lowerMessages(messages: readonly ChatMessage[], { systemRole, names }: MessageContext): WireMessage[] {
  const { messages: flat, idOf: ids } = flatHistory(messages, { ids: ID_RULE, legacy: true })
  const out: WireMessage[] = []
  /** Images of results, which may only follow when all results of a turn have been given. */
  let images: ContentPart[] = []
  const flush = (): void => {
    if (images.length > 0) out.push({ role: 'user', content: images })
    images = []
  }
  for (const message of flat) {
    if (message.role === 'tool') {
      const { text, rest } = resultOf(message)
      out.push({ role: 'tool', tool_call_id: ids(message.tool_call_id ?? ''), content: text })
      images.push(...rest)
      continue
    }
    flush()
    out.push(lowerMessage(message, systemRole, names, ids))
  }
  flush()
  return out
}

function lowerMessage(
  message: ChatMessage,
  systemRole: MessageContext['systemRole'],
  names: NameMap,
  ids: (id: string) => string,
): WireMessage {
  const { role = 'user', content, name, tool_calls: calls, function_call: legacy } = message
  const call = legacy?.name ? legacy : undefined
  if (role === 'system') {
    return { role: systemRole, content: textsOf(content) ?? '', ...named(name) }
  }
  if (role === 'function') return { role, name: names.to(name ?? ''), content: content ?? '' }
  if (role !== 'assistant') {
    return { role, content: Array.isArray(content) ? content.map(lowerPart) : (content ?? ''), ...named(name) }
  }
  const hasCalls = (calls?.length ?? 0) > 0 || call !== undefined
  return {
    role,
    // The endpoint takes null only beside calls.
    content: hasCalls ? textsOf(content) || null : (textsOf(content) ?? ''),
    ...named(name),
    ...(calls && calls.length > 0 && { tool_calls: calls.map((each) => lowerCall(each, names, ids)) }),
    ...(call && { function_call: { name: names.to(call.name), arguments: argumentsText(call.arguments) } }),
  }
}

function lowerCall(call: ToolCall, names: NameMap, ids: (id: string) => string): object {
  if (!call.function) return call
  const { name, arguments: args } = call.function
  return {
    id: ids(call.id ?? ''),
    type: 'function',
    function: { name: names.to(name), arguments: argumentsText(args) },
  }
}

/** Only the user may send images, sounds and files. */
function textsOf(content: ChatMessage['content']): ChatMessage['content'] {
  if (!Array.isArray(content) || content.every(({ type }) => type === 'text')) return content
  const texts = content.filter(({ type }) => type === 'text')
  return texts.length > 0 ? texts : ''
}

/** Arguments are a text; nothing is the empty object. */
function argumentsText(args: unknown): string {
  if (typeof args === 'string') return args === '' ? '{}' : args
  return JSON.stringify(args ?? {})
}

/** The endpoint takes names of letters, digits, `_` and `-`, up to 64. */
function named(name: string | undefined): { name?: string } {
  if (!name) return {}
  return { name: /^[\w-]{1,64}$/u.test(name) ? name : name.replaceAll(/[^\w-]/gu, '_').slice(0, 64) }
}

/** Results are text only: other parts go into a message of the user behind them. */
function resultOf({ content }: ChatMessage): { text: string; rest: ContentPart[] } {
  if (!Array.isArray(content)) return { text: typeof content === 'string' ? content : '', rest: [] }
  const rest = content.filter((part) => part.type !== 'text').map(lowerPart)
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { text: text || (rest.length > 0 ? 'The result follows as an attachment.' : ''), rest }
}
