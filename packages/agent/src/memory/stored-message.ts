import type { ChatMessage, Reply, Role } from '@x/interfaces'
import { XError } from '@x/kernel'
import { isParts } from '@x/kernel/tool-content'
import { textOfResult } from './text.ts'

const STORED_KEYS = [
  'content',
  'function_call',
  'tool_calls',
  'tool_responses',
  'tool_call_id',
  'name',
  'context',
  'provider_metadata',
] as const

/**
 * Makes the message that a history keeps: a frozen copy of its known keys, with the role of the side that keeps it
 * (`function` and `tool` stay, a call is always the assistant's) and the sender's name. A message with neither content nor a
 * call is refused with `invalid-message`, and so is a list of parts of which one is no object.
 */
export function storedMessage(reply: Reply, role: Role, sender: string): ChatMessage {
  if (typeof reply === 'string') return Object.freeze({ content: reply, role, name: sender })
  if (isText(reply)) return Object.freeze({ content: reply.content, role, name: reply.name ?? sender })
  const message = reply
  const stored: Record<string, unknown> = {}
  for (const key of STORED_KEYS) {
    const value = message[key]
    if (value !== null && value !== undefined) stored[key] = frozenCopy(value)
  }
  const calls = isCall(message)
  if (Array.isArray(message.content)) requireParts(message.content, sender)
  if (!('content' in stored)) {
    if (!message.function_call && !message.tool_calls) throw notAMessage(sender)
    stored['content'] = null
  }
  const keepsRole = message.role === 'function' || message.role === 'tool'
  stored['role'] = calls ? 'assistant' : keepsRole ? message.role : role
  if (keepsRole && message.tool_responses) {
    stored['tool_responses'] = frozenCopy(
      message.tool_responses.map((response) => ({
        ...response,
        content: isParts(response.content) ? response.content : textOfResult(response.content),
      })),
    )
  }
  if (typeof stored['content'] === 'object' && stored['content'] !== null && !Array.isArray(stored['content'])) {
    stored['content'] = textOfResult(stored['content'])
  }
  if (!calls && !('name' in stored)) stored['name'] = sender
  return Object.freeze(stored)
}

const TEXT_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', undefined, null])

/** Whether a message is a text and nothing else, as most are. */
function isText(message: ChatMessage): message is ChatMessage & { readonly content: string } {
  for (const key in message) if (key !== 'content' && key !== 'role' && key !== 'name') return false
  return typeof message.content === 'string' && TEXT_ROLES.has(message.role)
}

/** Whether a message asks for a call. */
const isCall = ({ function_call: call, tool_calls: calls }: ChatMessage): boolean =>
  Boolean(call && Object.keys(call).length > 0) || Boolean(calls && calls.length > 0)

/** Refuses a content of which something is no part: whoever reads the history later counts on that. */
function requireParts(content: readonly unknown[], sender: string): void {
  const at = content.findIndex((part) => typeof part !== 'object' || part === null)
  if (at === -1) return
  throw new XError(
    'invalid-message',
    `the message of \`${sender}\` cannot be sent: part ${at} of its \`content\` is no object; give parts such as \`{ type: 'text', text: '…' }\``,
    { details: { sender, part: at } },
  )
}

function notAMessage(sender: string): XError {
  return new XError(
    'invalid-message',
    `the message of \`${sender}\` cannot be sent: give it a \`content\`, or \`tool_calls\`, or a \`function_call\``,
    { details: { sender } },
  )
}

/** A deeply frozen copy of plain data; anything else is kept as it is. */
function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, frozenCopy(each)]))) as T
}
