import type { ChatMessage, ContentPart, ToolCall } from '@x/interfaces'
import {
  type Dialect,
  attachmentLine,
  flatHistory,
  isRecord,
  listOf,
  withNotes,
  type LowerContext,
  type Media,
  CONTINUE_PROMPT,
} from '@x/provider-kit'
import type { NamedProfile, EndpointProfile } from '../endpoint-profiles.ts'
import { customInput, sentArguments, textIn } from '../call-texts.ts'
import { lowerPart } from '../content-parts.ts'
import { GATEWAY_ENDPOINTS, isOpenAI } from '../refused-params.ts'
import { isSignedByOther, replayOf, type ReplayContext } from '../own-reasoning.ts'

/** Returns the rule for ids of calls: forty characters that are safe everywhere, or an exact length of letters and digits. */
export const idRule = ({ callIdLength: length }: EndpointProfile): Dialect['ids'] =>
  length === 'any'
    ? { maxLength: 40, forbidden: /[^\w-]/gu }
    : { minLength: length, maxLength: length, forbidden: /[^A-Za-z0-9]/gu }

/** Facts of a request that its messages depend on. */
export interface MessageContext extends ReplayContext {
  /** Tells whether the model gets some media of a result. */
  readonly takesInResult: (media: Media) => boolean
  /** Role of system messages. */
  readonly systemRole: 'system' | 'developer' | 'user'
  /** Rule for ids of calls. */
  readonly ids: Dialect['ids']
  /** Names of the endpoint as the owner of stored files. */
  readonly owners: readonly string[]
  readonly names: LowerContext['names']
  readonly schemas: LowerContext['schemas']
  readonly warn: LowerContext['warn']
}

/** Stands before attachments of results, which the endpoint takes from the user alone. */
const ATTACHMENTS_TEXT = 'Attachments of the results of tools. The user did not write or send them.'

/** Returns messages as the endpoint takes them; does not change the given ones. */
export function lowerMessages(messages: readonly ChatMessage[], context: MessageContext): WireMessage[] {
  const { ids: rule, owners, profile, takesInResult, warn } = context
  const { messages: flat, idOf: ids } = flatHistory(messages, {
    provider: 'openai',
    ids: rule,
    legacy: true,
    owners,
    takesInResult,
    warn,
  })
  const out: WireMessage[] = []
  /** Attachments of results, which have to follow all results of a turn. */
  let attachments: ContentPart[] = []
  const flush = (): void => {
    if (attachments.length > 0)
      out.push({ role: 'user', content: [{ type: 'text', text: ATTACHMENTS_TEXT }, ...attachments] })
    attachments = []
  }
  const takesMarks = GATEWAY_ENDPOINTS.has(profile.name)
  for (const each of flat) {
    const message = takesMarks ? each : withoutMarks(each, profile)
    if (message.role === 'tool') {
      const id = ids(message.tool_call_id ?? '')
      const { text, attached } = resultOf(message.content, id)
      out.push({ role: 'tool', tool_call_id: id, content: text })
      attachments.push(...attached)
      continue
    }
    flush()
    if (message.role === 'function') {
      const name = context.names.to(message.name ?? '')
      const { text, attached } = resultOf(message.content, name)
      out.push({ role: 'function', name, content: text })
      attachments.push(...attached)
    } else out.push(lowerMessage(message, context, ids))
  }
  flush()
  return orderRoles(out, profile.roleOrder)
}

/** Leaves out the marks for Claude's cache and citations, and those for OpenAI's cache, which other endpoints refuse. */
function withoutMarks(message: ChatMessage, { name }: NamedProfile): ChatMessage {
  const { content } = message
  if (!Array.isArray(content)) return message
  const marks = isOpenAI(name) ? CLAUDE_MARKS : ALL_MARKS
  if (!content.some((part) => marks.some((mark) => mark in part))) return message
  const plain = content.map((part) => Object.entries(part).filter(([key]) => !marks.includes(key)))
  return { ...message, content: plain.map((entries) => Object.fromEntries(entries) as unknown as ContentPart) }
}

const CLAUDE_MARKS = ['cache_control', 'citations']

const ALL_MARKS = [...CLAUDE_MARKS, 'prompt_cache_breakpoint']

function lowerMessage(message: ChatMessage, context: MessageContext, ids: (id: string) => string): WireMessage {
  const plain = lowerPlain(message, context)
  if (plain) return plain
  const { systemRole, names, schemas, profile } = context
  const { role = 'user', content, tool_calls: calls, function_call: legacy } = message
  const name = message.name && keepsName(profile, role) ? { name: legalName(message.name) } : {}
  const call = legacy?.name ? legacy : undefined
  if (role === 'system') {
    return { role: systemRole, content: filled(textsOf(content)) ?? '', ...name }
  }
  if (role !== 'assistant') {
    const noted = filled(withNotes(message))
    return { role, content: Array.isArray(noted) ? noted.map(lowerPart) : (noted ?? ''), ...name }
  }
  const hasCalls = (calls?.length ?? 0) > 0 || call !== undefined
  const replay = replayOf(message, context)
  if (isSignedByOther(message, context)) {
    context.warn('reasoning', `signed reasoning was left out: \`${context.model}\` at this endpoint has not made it`)
  }
  const custom = customCalls(message, profile)
  const texts = filled(withNotes(message))
  // The endpoint takes null only beside calls.
  const text = hasCalls ? texts || null : (texts ?? '')
  return {
    role,
    content: replay.thinking === '' ? text : withThinking(replay.thinking, text),
    ...replay.fields,
    ...name,
    ...(calls &&
      calls.length > 0 && {
        tool_calls: calls.map((toolCall, at) => ({
          ...(custom.has(toolCall.id) ? lowerCustomCall(toolCall, names, ids) : lowerCall(toolCall, context, ids)),
          ...replay.calls[at],
        })),
      }),
    ...(call && {
      function_call: {
        name: names.to(call.name),
        arguments: sentArguments(call, schemas, profile),
      },
    }),
  }
}

/** Lowers a message of text alone, without data of a provider, as most are; returns undefined for any other one. */
function lowerPlain(message: ChatMessage, { systemRole, profile }: MessageContext): WireMessage | undefined {
  const { role, content, name, provider_metadata: metadata, tool_calls: calls, function_call: call } = message
  if (typeof content !== 'string' || metadata || calls || call) return undefined
  if (role !== 'user' && role !== 'system' && (role !== 'assistant' || asksForReasoning(profile))) return undefined
  const wireRole = role === 'system' ? systemRole : role
  return name && keepsName(profile, role)
    ? { role: wireRole, content, name: legalName(name) }
    : { role: wireRole, content }
}

/** True if an endpoint may want reasoning in a message of which none is known. */
const asksForReasoning = ({ reasoning }: MessageContext['profile']): boolean =>
  reasoning === 'reasoning_content' || reasoning === 'reasoning_content-with-tools'

const keepsName = ({ messageNames }: MessageContext['profile'], role: ChatMessage['role']): boolean =>
  messageNames === 'all' || (messageNames === 'user' && role === 'user')

/** Returns a content; an empty list, which the endpoint refuses, is the empty text. */
const filled = (content: ChatMessage['content']): ChatMessage['content'] =>
  Array.isArray(content) && content.length === 0 ? '' : content

/** Returns content in parts, thoughts first. */
function withThinking(thinking: string, content: ChatMessage['content']): unknown[] {
  return [{ type: 'thinking', thinking: [{ type: 'text', text: thinking }] }, ...partsOf(content)]
}

function lowerCall(call: ToolCall, { names, schemas, profile }: MessageContext, ids: (id: string) => string): object {
  const { id = '', function: called } = call
  if (!called) return call
  const args = sentArguments(called, schemas, profile)
  return { id: ids(id), type: 'function', function: { name: names.to(called.name), arguments: args } }
}

/** Returns the ids of calls of custom tools, for an endpoint that knows them. */
function customCalls({ provider_metadata: metadata }: ChatMessage, { name }: NamedProfile): ReadonlySet<unknown> {
  const own = metadata?.['openai']
  if (!isRecord(own) || !(own['endpoint'] === name || (own['endpoint'] === undefined && isOpenAI(name)))) return NO_IDS
  const { custom, items } = own
  if (Array.isArray(custom)) return new Set(custom)
  return new Set(
    listOf(items).flatMap((item) => (isRecord(item) && item['type'] === 'custom_tool_call' ? [item['call_id']] : [])),
  )
}

const NO_IDS: ReadonlySet<unknown> = new Set()

/** Lowers a call of a custom tool; its input is the one argument of the call. */
function lowerCustomCall(
  { id = '', function: called }: ToolCall,
  names: LowerContext['names'],
  ids: (id: string) => string,
): object {
  return { id: ids(id), type: 'custom', custom: { name: names.to(called.name), input: customInput(called.arguments) } }
}

/** Returns the texts of a content: only the user may send images, sounds and files. */
function textsOf(content: ChatMessage['content']): ChatMessage['content'] {
  if (!Array.isArray(content) || content.every(({ type }) => type === 'text')) return content
  const texts = content.filter(({ type }) => type === 'text')
  return texts.length > 0 ? texts : ''
}

/** Returns a name of letters, digits, `_` and `-`, up to 64, as the endpoint takes it. */
const legalName = (name: string): string =>
  /^[\w-]{1,64}$/u.test(name) ? name : name.replaceAll(/[^\w-]/gu, '_').slice(0, 64)

/**
 * Returns the text of a result, and its attachments for a message of the user behind all results, under the names that stand
 * in the text (`ChatCompletionToolMessageParam` of the SDK; https://platform.openai.com/docs/api-reference/chat/create).
 */
function resultOf(content: ChatMessage['content'], call: string): { text: string; attached: ContentPart[] } {
  if (!Array.isArray(content)) return { text: textIn(content), attached: [] }
  const attached: ContentPart[] = []
  const texts: string[] = []
  for (const part of content.map(lowerPart)) {
    if (part.type === 'text') {
      texts.push(part.text)
      continue
    }
    const name = `${call}/${attached.length / 2 + 1}`
    texts.push(attachmentLine(name, part))
    attached.push({ type: 'text', text: `${name}:` }, part)
  }
  return { text: texts.join(content.every(({ type }) => type === 'text') ? '' : '\n'), attached }
}

/** A message as the endpoint takes it. */
export type WireMessage = Record<string, unknown> & { role: string }

/** Answer that some endpoints demand between results of tools and the next message of the user. */
const BRIDGE_MESSAGE: WireMessage = { role: 'assistant', content: 'I have read the results.' }

/**
 * Returns messages in an order of roles that the endpoint takes: later instructions become the user's, an answer stands
 * between results and the user, the last message is not the assistant's; where roles alternate, neighbours of one role
 * become one message.
 */
function orderRoles(messages: WireMessage[], order: EndpointProfile['roleOrder']): WireMessage[] {
  if (order === 'any') return messages
  const alternates = order === 'alternating'
  const out: WireMessage[] = []
  for (const message of messages) {
    if (message.role === 'assistant' && isEmpty(message)) continue
    const before = out.at(-1)?.role
    const isSystem = message.role === 'system' || message.role === 'developer'
    const stays = before === undefined || before === 'system' || before === 'developer'
    const next = isSystem && !stays && (alternates || before !== 'user') ? { ...message, role: 'user' } : message
    const { role } = next
    if (role === 'user' && before === 'tool') out.push(BRIDGE_MESSAGE)
    if (role === 'assistant' && stays) out.push({ role: 'user', content: CONTINUE_PROMPT })
    const last = out.at(-1)
    const joins = alternates && last?.role === role && (role === 'user' || role === 'assistant')
    if (joins) out[out.length - 1] = joinMessages(last, next)
    else out.push(next)
  }
  const end = out.at(-1)?.role
  if (end !== 'user' && end !== 'tool') out.push({ role: 'user', content: CONTINUE_PROMPT })
  return out
}

const isEmpty = ({ content, tool_calls: calls, function_call: call }: WireMessage): boolean =>
  !calls && !call && (content === null || content === '' || (Array.isArray(content) && content.length === 0))

/** Joins two messages of one role; a name stays if both have it. */
function joinMessages(first: WireMessage, second: WireMessage): WireMessage {
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
