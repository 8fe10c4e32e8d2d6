import { isRecord } from './chat-request.ts'
import { strictName } from './strict-tools.ts'
import { invalid, type Refusal } from './wire-error.ts'

const MESSAGE_ROLES = ['system', 'assistant', 'user', 'function', 'tool', 'developer']
const PARTS_BY_ROLE: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
}
/** Keys of a message that the API knows. */
const MESSAGE_KEYS: ReadonlySet<string> = new Set(
  'role content name refusal audio tool_calls function_call tool_call_id'.split(' '),
)
/** Pattern of names: no blanks and no `<`, `|`, `\`, `/`, `>`. */
const SENDER_NAME_PATTERN = /^[^\s<|\\/>]+$/u

type Message = Readonly<Record<string, unknown>>

/** Refuses messages that the API refuses: roles, shapes of content, calls without results and results without calls. */
export function strictMessages(messages: unknown): Refusal | undefined {
  if (messages === undefined) {
    return invalid("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter')
  }
  if (!Array.isArray(messages))
    return invalid("Invalid type for 'messages': expected an array of objects.", 'messages', 'invalid_type')
  if (messages.length === 0) {
    return invalid(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
      'empty_array',
    )
  }
  /** Calls without a result so far; results must follow the calls at once. */
  let open = new Set<unknown>()
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`
    if (!isRecord(message)) return invalid(`Invalid type for '${where}': expected an object.`, where, 'invalid_type')
    const refused = strictMessage(message, where)
    if (refused) return refused
    if (message['role'] === 'tool') {
      if (!open.delete(message['tool_call_id'])) return strayResult(where)
      continue
    }
    if (open.size > 0) return withoutResult(open, where)
    open = new Set(callsOf(message).map((call) => (isRecord(call) ? call['id'] : undefined)))
  }
  return open.size > 0 ? withoutResult(open, `messages[${messages.length - 1}]`) : undefined
}

function strictMessage(message: Message, where: string): Refusal | undefined {
  const { role, name, tool_calls: calls, tool_call_id: id } = message
  if (!MESSAGE_ROLES.includes(role as string)) {
    return invalid(
      `Invalid value: '${String(role)}'. Supported values are: '${MESSAGE_ROLES.join("', '")}'.`,
      `${where}.role`,
      'invalid_value',
    )
  }
  const unknown = Object.keys(message).find((key) => !MESSAGE_KEYS.has(key))
  if (unknown !== undefined) {
    return invalid(
      `Unrecognized request argument supplied: ${where}.${unknown}`,
      `${where}.${unknown}`,
      'unknown_parameter',
    )
  }
  if (name !== undefined && (typeof name !== 'string' || !SENDER_NAME_PATTERN.test(name))) {
    return invalid(
      `Invalid '${where}.name': string does not match pattern. Expected a string that matches the pattern '${SENDER_NAME_PATTERN.source}'.`,
      `${where}.name`,
      'invalid_value',
    )
  }
  if (role === 'tool' && typeof id !== 'string') {
    return invalid(
      `Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.`,
      `${where}.tool_call_id`,
    )
  }
  if (role === 'function' && typeof name !== 'string') {
    return invalid(`Missing required parameter: '${where}.name'.`, `${where}.name`, 'missing_required_parameter')
  }
  if (calls !== undefined) return strictCalls(calls, where) ?? strictContent(message, where)
  return strictContent(message, where)
}

function strictCalls(calls: unknown, where: string): Refusal | undefined {
  if (!Array.isArray(calls) || calls.length === 0) {
    return invalid(
      `Invalid '${where}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      `${where}.tool_calls`,
      'empty_array',
    )
  }
  for (const [index, call] of calls.entries()) {
    const at = `${where}.tool_calls[${index}]`
    const { id, type, function: called } = isRecord(call) ? call : {}
    if (typeof id !== 'string')
      return invalid(`Missing required parameter: '${at}.id'.`, `${at}.id`, 'missing_required_parameter')
    if (type !== 'function')
      return invalid(`Missing required parameter: '${at}.type'.`, `${at}.type`, 'missing_required_parameter')
    if (!isRecord(called) || typeof called['arguments'] !== 'string') {
      return invalid(
        `Invalid type for '${at}.function.arguments': expected a string.`,
        `${at}.function.arguments`,
        'invalid_type',
      )
    }
    const refused = strictName(called['name'], `${at}.function.name`)
    if (refused) return refused
  }
  return undefined
}

function strictContent(
  { role, content, tool_calls: calls, function_call: call, refusal }: Message,
  where: string,
): Refusal | undefined {
  if (typeof content === 'string') return undefined
  if (content === null || content === undefined) {
    const speaks = role === 'assistant' && [calls, call, refusal].some((said) => (said ?? null) !== null)
    return speaks ? undefined : invalid(`Invalid value for 'content': expected a string, got null.`, `${where}.content`)
  }
  if (!Array.isArray(content) || role === 'function') {
    return invalid(
      `Invalid type for '${where}.content': expected ${role === 'function' ? 'a string' : 'one of a string or array of objects'}.`,
      `${where}.content`,
      'invalid_type',
    )
  }
  if (content.length === 0) {
    return invalid(
      `Invalid '${where}.content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      `${where}.content`,
      'empty_array',
    )
  }
  const allowed = PARTS_BY_ROLE[role as string] ?? ['text']
  for (const [index, part] of content.entries()) {
    const type = isRecord(part) ? part['type'] : undefined
    if (!isRecord(part) || !allowed.includes(type as string) || part[type as string] === undefined) {
      const at = `${where}.content[${index}]`
      return invalid(
        `Invalid value: '${String(type)}'. Supported values are: '${allowed.join("', '")}'.`,
        at,
        'invalid_value',
      )
    }
  }
  return undefined
}

const callsOf = ({ role, tool_calls: calls }: Message): readonly unknown[] =>
  role === 'assistant' && Array.isArray(calls) ? calls : []

const strayResult = (where: string): Refusal =>
  invalid(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    `${where}.role`,
  )

const withoutResult = (open: ReadonlySet<unknown>, where: string): Refusal =>
  invalid(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    `${where}.role`,
  )
