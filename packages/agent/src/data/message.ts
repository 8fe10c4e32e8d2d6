import type { ChatMessage, Reply, Role, ToolResponse } from '@x/interfaces'
import { XError } from '@x/kernel'
import { contentOfResult, contentText, isParts } from '@x/kernel/tool-content'

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
    // Models answer with an empty list of calls, which providers refuse in a request.
    if (value === null || value === undefined || (key === 'tool_calls' && message.tool_calls?.length === 0)) continue
    stored[key] = frozenCopy(value)
  }
  const calls = isCall(message)
  if (Array.isArray(message.content)) requireParts(message.content, sender)
  if (!('content' in stored)) {
    if (!message.function_call && !message.tool_calls) throw notAMessage(sender)
    // An empty list of calls says nothing, and its message may still be an answer: an empty one.
    stored['content'] = 'function_call' in stored || 'tool_calls' in stored ? null : ''
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
  const { content } = stored
  if (content !== null && !Array.isArray(content) && typeof content !== 'string' && typeof content !== 'function') {
    stored['content'] = textOfResult(content)
  }
  if (!calls && !('name' in stored)) stored['name'] = sender
  return Object.freeze(stored)
}

const TEXT_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', undefined, null])

/** True for a message that is only a text, as most are. */
function isText(message: ChatMessage): message is ChatMessage & { readonly content: string } {
  for (const key in message) if (key !== 'content' && key !== 'role' && key !== 'name') return false
  return typeof message.content === 'string' && TEXT_ROLES.has(message.role)
}

/** True if a message is kept as a call: an empty `function_call` is none, unlike in {@link hasCalls}. */
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
  // Spread, a key named `__proto__` is one like any other.
  const copy = { ...value } as Record<string, unknown>
  for (const key of Object.keys(copy)) {
    const each = copy[key]
    if (typeof each === 'object' && each !== null) copy[key] = frozenCopy(each)
  }
  return Object.freeze(copy) as T
}

/** The result of a function as text: a text as it is, nothing as an empty one, parts with a line for each that is not text, everything else as JSON. */
export function textOfResult(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === null || result === undefined) return ''
  const content = contentOfResult(result)
  if (content !== undefined) return contentText(content)
  try {
    return JSON.stringify(result) ?? ''
  } catch {
    // A cycle or a BigInt: JSON knows neither, and a message needs a text.
    return typeof result === 'bigint' ? result.toString() : Object.prototype.toString.call(result)
  }
}

/** The texts of responses as one: what a person reads, and programs that know nothing of parts. */
export const joinedResponses = (responses: readonly ToolResponse[]): string =>
  responses.map(({ content }) => contentText(content)).join('\n\n')

/** True if a message asks for calls. */
export const hasCalls = ({ tool_calls: calls, function_call: call }: ChatMessage): boolean =>
  Boolean(call) || Boolean(calls && calls.length > 0)

/** True if a message has content; an empty text or list does not count. */
export const hasContent = ({ content }: ChatMessage): boolean =>
  Boolean(Array.isArray(content) ? content.length : content)

/** The text of a message, with the texts of its parts joined; images and other parts have none. */
export function messageText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Replaces the names of a template; a name without a value stays as it is. */
export function fillTemplate(template: string, valueOf: (name: string) => unknown): string {
  return template.replaceAll(/\{\{|\}\}|\{(\w+)\}/gu, (match, name: string | undefined) => {
    if (name === undefined) return match[0]!
    const value = valueOf(name)
    if (value === undefined) return match
    return value === null ? 'null' : textOfResult(value)
  })
}

/** The sentence of a default system message that asks the model to say when it is done. */
export const TERMINATION_REQUEST = 'When the task is done, end your message with TERMINATE.'

/** The word that ends a chat. */
export const TERMINATION_WORD = 'TERMINATE'

/** The default `isTerminationMsg`: true if the content of a message is the termination word and nothing else. */
export const saysTerminate = (message: ChatMessage): boolean =>
  messageText(message) === TERMINATION_WORD &&
  (!Array.isArray(message.content) || message.content.every(({ type }) => type === 'text'))

/** Returns a message as a model sees it: its tool responses as messages of their own, before what else it says. */
export function unrolled(message: ChatMessage): readonly ChatMessage[] {
  const { tool_responses: responses } = message
  if (!responses || responses.length === 0) return [message]
  if (message.role === 'tool') return responses
  const { tool_responses: _, ...rest } = message
  return [...responses, Object.freeze(rest)]
}

/** Returns messages as a model sees them; the list itself if all are seen as they are, as most are. */
export const allUnrolled = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.some(({ tool_responses: responses }) => responses) ? messages.flatMap(unrolled) : messages

/** Makes a name that a model made up fit for the wire: other characters become `_`, at most 64 of them. */
export const normalizeName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, 64)

/** Gives the name back, or fails with `invalid-name`: letters, digits, `_` and `-`, at most 64. */
export function assertValidName(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/u.test(name)) return name
  throw new XError(
    'invalid-name',
    `\`${name}\` is no name for a function: use 1 to 64 letters, digits, \`_\` and \`-\``,
  )
}

const INTRODUCTION = 'You are a capable assistant who solves tasks step by step.'

const ABOUT_CODE = `When code helps, put it into one fenced block that names its language (python or sh); the user runs it as it stands and sends you what it printed, and can do nothing else with it. Write complete code that prints what you need to see, and never leave parts for the user to fill in. To have a block saved as a file, make its first line "# filename: <name>".
Read the result of every run. When it failed, find out why and send the whole corrected code; when the approach itself does not work, try another one.`

const ABOUT_ANSWERS = `Use the tools you are given instead of guessing what they could tell you.
Check your answer before you give it, and say what it rests on.`

/** Default system message of an assistant. */
export const ASSISTANT_SYSTEM_MESSAGE: string = [INTRODUCTION, ABOUT_CODE, ABOUT_ANSWERS, TERMINATION_REQUEST].join(
  '\n',
)

/** The situation in which an assistant answers. */
interface AssistantSituation {
  /** True if somebody runs the code of its answers. */
  readonly runsCode: boolean
  /** True if the chat goes on until the assistant ends it. */
  readonly asksForEnd: boolean
}

const systemMessage = ({ runsCode, asksForEnd }: AssistantSituation): ChatMessage => {
  const parts = [INTRODUCTION, ...(runsCode ? [ABOUT_CODE] : []), ABOUT_ANSWERS]
  const content = [...parts, ...(asksForEnd ? [TERMINATION_REQUEST] : [])].join('\n')
  return Object.freeze({ content, role: 'system' })
}

const [PLAIN, WITH_END, WITH_CODE, WITH_BOTH] = [
  systemMessage({ runsCode: false, asksForEnd: false }),
  systemMessage({ runsCode: false, asksForEnd: true }),
  systemMessage({ runsCode: true, asksForEnd: false }),
  systemMessage({ runsCode: true, asksForEnd: true }),
] as const

/** The default system message of an assistant without the parts that do not hold: one object for each situation. */
export function assistantMessage({ runsCode, asksForEnd }: AssistantSituation): ChatMessage {
  if (runsCode) return asksForEnd ? WITH_BOTH : WITH_CODE
  return asksForEnd ? WITH_END : PLAIN
}
