import type { ChatMessage, ContentPart, ToolCall } from '@x/interfaces'
import {
  type Dialect,
  attachmentLine,
  flatHistory,
  isRecord,
  parseJson,
  withNotes,
  type LowerContext,
  type Media,
} from '@x/provider-kit'
import type { NamedProfile } from '../endpoint-profile.ts'
import type { EndpointProfile } from '../endpoint-profiles.ts'
import { lowerPart } from '../lower-part.ts'
import { orderedRoles, type WireMessage } from './role-order.ts'
import { isOpenAI, optionNames } from '../refused-params.ts'
import { replayOf, type ReplayContext } from '../own-reasoning.ts'

/** Returns the rule for ids of calls: forty characters that are safe everywhere, or an exact length of letters and digits. */
export const idRule = ({ callIdLength: length }: EndpointProfile): Dialect['ids'] =>
  length === 'any'
    ? { maxLength: 40, forbidden: /[^\w-]/gu }
    : { minLength: length, maxLength: length, forbidden: /[^A-Za-z0-9]/gu }

/** Facts of a request that its messages depend on. */
export interface MessageContext extends ReplayContext {
  /** Tells which images, sounds and files of results the model gets. */
  readonly takesInResult: (media: Media) => boolean
  /** Role of system messages. */
  readonly systemRole: 'system' | 'developer' | 'user'
  readonly names: LowerContext['names']
  readonly warn: LowerContext['warn']
}

/** Stands before attachments of results, which the endpoint takes from the user alone. */
const ATTACHMENTS_TEXT = 'Attachments of the results of tools. The user did not write or send them.'

/** Returns messages as the endpoint takes them; does not change the given ones. */
export function lowerMessages(messages: readonly ChatMessage[], context: MessageContext): WireMessage[] {
  const { messages: flat, idOf: ids } = flatHistory(messages, {
    ids: idRule(context.profile),
    legacy: true,
    owners: optionNames(context.profile),
    takesInResult: context.takesInResult,
    warn: context.warn,
  })
  const out: WireMessage[] = []
  /** Images of results, which may only follow when all results of a turn have been given. */
  let images: ContentPart[] = []
  const flush = (): void => {
    if (images.length > 0) out.push({ role: 'user', content: [{ type: 'text', text: ATTACHMENTS_TEXT }, ...images] })
    images = []
  }
  for (const message of flat) {
    if (message.role === 'tool') {
      const id = ids(message.tool_call_id ?? '')
      const { text, attached } = resultOf(message.content, id)
      out.push({ role: 'tool', tool_call_id: id, content: text })
      images.push(...attached)
      continue
    }
    flush()
    if (message.role === 'function') {
      const name = context.names.to(message.name ?? '')
      const { text, attached } = resultOf(message.content, name)
      out.push({ role: 'function', name, content: text })
      images.push(...attached)
    } else out.push(lowerMessage(message, context, ids))
  }
  flush()
  return orderedRoles(out, context.profile.roleOrder)
}

function lowerMessage(message: ChatMessage, context: MessageContext, ids: (id: string) => string): WireMessage {
  const { systemRole, names, profile } = context
  const { role = 'user', content, tool_calls: calls, function_call: legacy } = message
  const isNamed = profile.messageNames === 'all' || (profile.messageNames === 'user' && role === 'user')
  const name = isNamed ? named(message.name) : {}
  const call = legacy?.name ? legacy : undefined
  if (role === 'system') {
    return { role: systemRole, content: textsOf(content) ?? '', ...name }
  }
  if (role !== 'assistant') {
    const given = withNotes(message)
    return { role, content: Array.isArray(given) ? given.map(lowerPart) : (given ?? ''), ...name }
  }
  const hasCalls = (calls?.length ?? 0) > 0 || call !== undefined
  const replay = replayOf(message, context)
  const custom = customCalls(message, profile)
  const texts = withNotes(message)
  // The endpoint takes null only beside calls.
  const said = hasCalls ? texts || null : (texts ?? '')
  return {
    role,
    content: replay.thinking === '' ? said : withThinking(replay.thinking, said),
    ...replay.fields,
    ...name,
    ...(calls &&
      calls.length > 0 && {
        tool_calls: calls.map((each, at) => ({
          ...(custom.has(each.id) ? lowerCustomCall(each, names, ids) : lowerCall(each, names, ids)),
          ...replay.calls[at],
        })),
      }),
    ...(call && { function_call: { name: names.to(call.name), arguments: argumentsText(call.arguments) } }),
  }
}

/** Returns content in parts, thoughts first. */
function withThinking(thinking: string, content: ChatMessage['content']): object[] {
  const texts = Array.isArray(content) ? content : content ? [{ type: 'text', text: content }] : []
  return [{ type: 'thinking', thinking: [{ type: 'text', text: thinking }] }, ...texts]
}

function lowerCall(call: ToolCall, names: LowerContext['names'], ids: (id: string) => string): object {
  if (!call.function) return call
  const { name, arguments: args } = call.function
  return {
    id: ids(call.id ?? ''),
    type: 'function',
    function: { name: names.to(name), arguments: argumentsText(args) },
  }
}

/** Returns the ids of calls of custom tools, for an endpoint that knows them. */
function customCalls({ provider_metadata: metadata }: ChatMessage, { name }: NamedProfile): ReadonlySet<unknown> {
  const own = metadata?.['openai']
  if (!isRecord(own) || !(own['endpoint'] === name || (own['endpoint'] === undefined && isOpenAI(name)))) return NONE
  const { custom, items } = own
  if (Array.isArray(custom)) return new Set(custom)
  const given: unknown[] = Array.isArray(items) ? items : []
  return new Set(
    given.flatMap((item) => (isRecord(item) && item['type'] === 'custom_tool_call' ? [item['call_id']] : [])),
  )
}

const NONE: ReadonlySet<unknown> = new Set()

/** The one argument of a call of a custom tool is its input. */
function lowerCustomCall(
  { id = '', function: called }: ToolCall,
  names: LowerContext['names'],
  ids: (id: string) => string,
): object {
  const args: unknown = typeof called.arguments === 'string' ? parseJson(called.arguments) : called.arguments
  const input = isRecord(args) ? args['input'] : undefined
  const text = typeof input === 'string' ? input : argumentsText(called.arguments)
  return { id: ids(id), type: 'custom', custom: { name: names.to(called.name), input: text } }
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

/**
 * Results are text only, so what else they have goes into a message of the user behind all of them, under the name that the
 * text has for it (`ChatCompletionToolMessageParam` of the SDK; https://platform.openai.com/docs/api-reference/chat/create).
 */
function resultOf(content: ChatMessage['content'], call: string): { text: string; attached: ContentPart[] } {
  if (!Array.isArray(content)) return { text: typeof content === 'string' ? content : '', attached: [] }
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
