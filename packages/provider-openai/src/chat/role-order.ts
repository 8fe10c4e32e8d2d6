import { CONTINUE_PROMPT } from '@x/provider-kit'
import type { EndpointProfile } from '../endpoint-profiles.ts'

/** A message as the endpoint takes it. */
export type WireMessage = Record<string, unknown> & { role: string }

/** Stands for the answer that some endpoints demand between results of tools and the next message of the user. */
const BRIDGE: WireMessage = { role: 'assistant', content: 'I have read the results.' }

/**
 * Returns messages in an order of roles that the endpoint takes: instructions behind the beginning become the user's, an
 * answer stands between results and the user, the last message is not the assistant's; where roles alternate, neighbours of
 * one role become one message.
 */
export function orderedRoles(messages: readonly WireMessage[], order: EndpointProfile['roleOrder']): WireMessage[] {
  if (order === 'any') return [...messages]
  const alternates = order === 'alternating'
  const out: WireMessage[] = []
  for (const message of messages) {
    if (message.role === 'assistant' && isEmpty(message)) continue
    const before = out.at(-1)?.role
    const isSystem = message.role === 'system' || message.role === 'developer'
    const stays = before === undefined || before === 'system' || before === 'developer'
    const next = isSystem && !stays && (alternates || before !== 'user') ? { ...message, role: 'user' } : message
    const { role } = next
    if (role === 'user' && before === 'tool') out.push(BRIDGE)
    if (role === 'assistant' && stays) out.push({ role: 'user', content: CONTINUE_PROMPT })
    const last = out.at(-1)
    const joins = alternates && last?.role === role && (role === 'user' || role === 'assistant')
    if (joins) out[out.length - 1] = joined(last, next)
    else out.push(next)
  }
  const end = out.at(-1)?.role
  if (end !== 'user' && end !== 'tool') out.push({ role: 'user', content: CONTINUE_PROMPT })
  return out
}

const isEmpty = ({ content, tool_calls: calls, function_call: call }: WireMessage): boolean =>
  !calls && !call && (content === null || content === '' || (Array.isArray(content) && content.length === 0))

/** Joins two messages of one role; a name stays if both have it. */
function joined(first: WireMessage, second: WireMessage): WireMessage {
  const { name, ...rest } = { ...first, ...second }
  const [a, b] = [first['content'], second['content']]
  const content =
    typeof a === 'string' && typeof b === 'string'
      ? [a, b].filter((text) => text !== '').join('\n\n')
      : [...partsOf(a), ...partsOf(b)]
  return { ...rest, content, ...(name !== undefined && first['name'] === second['name'] && { name }) }
}

function partsOf(content: unknown): unknown[] {
  if (Array.isArray(content)) return content
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
}
