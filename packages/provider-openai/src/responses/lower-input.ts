import type { ChatMessage, ToolCall, ContentPart } from '@x/interfaces'
import {
  CONTINUE_PROMPT,
  type Dialect,
  flatHistory,
  isRecord,
  withNotes,
  type LowerContext,
  type Media,
  mediaOf,
} from '@x/provider-kit'
import { callersIn, itemsIn, type Item, replayedItems, withPairedItems } from './own-items.ts'
import { customInput, sentArguments, textIn } from '../call-texts.ts'
import { lowerPart } from '../content-parts.ts'
import type { NamedProfile } from '../endpoint-profiles.ts'

/** Rule for ids of calls: up to 64 characters that are safe everywhere. */
const ID_RULE: Dialect['ids'] = { maxLength: 64, forbidden: /[^\w-]/gu }

/** Rules that the input of a request depends on. */
export interface InputRules extends LowerContext {
  readonly profile: NamedProfile
  /** Whether the role of instructions is `developer` instead of `system`. */
  readonly developer: boolean
  /** Whether the model takes reasoning items. */
  readonly reasoning: boolean
  /** Names of the endpoint, as owner of files. */
  readonly owners: readonly string[]
  /** Tells whether the model gets some media of a result. */
  readonly takesInResult: (media: Media) => boolean
  /** Ids of refused items: answers with one of them are sent as text, calls and results. */
  readonly refusedIds: ReadonlySet<unknown>
}

/** Input of a request. */
export interface LoweredInput {
  readonly input: Item[]
  /** Stored items of the answers that are sent back as they came. */
  readonly replayed: readonly Item[]
}

/** Returns messages as input items; does not change the given ones. */
export function lowerInput(messages: readonly ChatMessage[], rules: InputRules): LoweredInput {
  const { messages: flat, idOf } = flatHistory(messages, { ...rules, provider: 'openai', ids: ID_RULE })
  const { warn } = rules
  const own = ownItemsIn(flat, rules.refusedIds)
  const context: AnswerContext = { ...rules, ...own, idOf }
  const input: Item[] = []
  for (const message of flat) {
    const { role, content, tool_call_id: id = '', provider_metadata: metadata } = message
    if (role === 'assistant') {
      input.push(...lowerAnswer(message, context))
      continue
    }
    const items = metadata && itemsIn(metadata, 'input')
    if (items) input.push(...items)
    if (role === 'tool') {
      const type = own.custom.has(id) ? 'custom_tool_call_output' : 'function_call_output'
      const caller = own.callers?.get(id)
      input.push({ type, call_id: idOf(id), output: resultOf(content, warn), ...(caller !== undefined && { caller }) })
      continue
    }
    const noted = withNotes(message)
    const lowered = lowerContent(role === 'system' ? textsOf(content) : noted, warn)
    const isEmpty = lowered.length === 0
    if (isEmpty && items) continue
    const speaker = role === 'system' ? (rules.developer ? 'developer' : 'system') : 'user'
    input.push({ role: speaker, content: isEmpty ? '' : lowered })
  }
  if (input.length === 0) input.push({ role: 'user', content: CONTINUE_PROMPT })
  const hasPairs = own.all.some(({ type }) => PAIRED_TYPES.has(type))
  return { input: hasPairs ? withPairedItems(input, own.all) : input, replayed: [...own.stored.values()].flat() }
}

const NO_ITEMS: readonly never[] = Object.freeze([])

/** Types of items to which others belong. */
const PAIRED_TYPES: ReadonlySet<unknown> = new Set(['program', 'program_output', 'mcp_approval_request'])

/** Items that the messages of a conversation store. */
interface StoredItems {
  /** All of them. */
  readonly all: readonly Item[]
  /** Callers of the calls that programs of the model made, by the id of the call. */
  readonly callers: ReadonlyMap<unknown, unknown> | undefined
  /** Items of the answers that are sent back as they came. */
  readonly stored: ReadonlyMap<ChatMessage, readonly Item[]>
  /** Ids of calls of custom tools, which take a text instead of JSON. */
  readonly custom: ReadonlySet<unknown>
  /** Ids of calls with a result of the program, beside calls of its tools. */
  readonly answered: ReadonlySet<unknown>
}

function ownItemsIn(messages: readonly ChatMessage[], refusedIds: ReadonlySet<unknown>): StoredItems {
  const stored = new Map<ChatMessage, readonly Item[]>()
  const custom = new Set<unknown>()
  const answered = new Set<unknown>()
  // Most conversations have no such items.
  let callers: Map<unknown, unknown> | undefined
  let all: Item[] | undefined
  for (const message of messages) {
    const { role, provider_metadata: metadata } = message
    const own = metadata?.['openai']
    if (isRecord(own) && Array.isArray(own['custom'])) for (const id of own['custom'] as unknown[]) custom.add(id)
    const items = metadata && itemsIn(metadata, role === 'assistant' ? 'items' : 'input')
    if (items) (all ??= []).push(...items)
    if (!items || (refusedIds.size > 0 && items.some(({ id }) => refusedIds.has(id)))) continue
    if (role === 'assistant') stored.set(message, items)
    for (const [call, caller] of callersIn(items)) (callers ??= new Map()).set(call, caller)
    for (const { type, id, call_id: call, approval_request_id: request } of items) {
      if (type === 'custom_tool_call') custom.add(call)
      else if (type === 'mcp_approval_response') answered.add(request)
      else if ((type as string).endsWith('_output')) answered.add(call ?? id)
    }
  }
  return { all: all ?? NO_ITEMS, callers, stored, custom, answered }
}

interface AnswerContext extends InputRules, StoredItems {
  readonly idOf: (id: string) => string
}

function lowerAnswer(message: ChatMessage, context: AnswerContext): Item[] {
  const { content } = message
  const calls = (message.tool_calls ?? []).map((call) => [call.id ?? '', lowerCall(call, context)] as const)
  const stored = context.stored.get(message)
  const text = textOf(stored ? content : withNotes(message))
  if (!stored) return [...(text === '' ? [] : [{ role: 'assistant', content: text }]), ...calls.map(([, call]) => call)]
  return replayedItems(stored, { text, calls: new Map(calls) }, context)
}

function lowerCall(
  { id = '', function: called }: ToolCall,
  { names, schemas, profile, idOf, custom }: AnswerContext,
): Item {
  const facts = { call_id: idOf(id), name: names.to(called.name) }
  if (!custom.has(id)) return { type: 'function_call', ...facts, arguments: sentArguments(called, schemas, profile) }
  return { type: 'custom_tool_call', ...facts, input: customInput(called.arguments) }
}

type Content = ChatMessage['content']
type Warn = LowerContext['warn']

/** Returns the content of a message as the endpoint takes it: a text, or parts; leaves out sounds with a warning. */
function lowerContent(content: Content, warn: Warn): string | Item[] {
  if (!Array.isArray(content)) return textIn(content)
  return content.flatMap((part): Item[] => {
    const lowered = inputPart(part, warn)
    return lowered ? [lowered] : []
  })
}

/** Returns the text of a content, without its other parts. */
function textOf(content: Content): string {
  if (!Array.isArray(content)) return textIn(content)
  return content.map((part) => (part.type === 'text' ? textIn(part.text) : '')).join('')
}

/** Returns a content without the parts that are not text: only the user sends those. */
function textsOf(content: Content): Content {
  return Array.isArray(content) ? content.filter(({ type }) => type === 'text') : content
}

/**
 * Returns the result of a call: a text, or parts when there is more than text (`ResponseFunctionCallOutputItem` of the SDK;
 * https://platform.openai.com/docs/guides/function-calling).
 */
function resultOf(content: Content, warn: Warn): string | Item[] {
  if (!Array.isArray(content) || content.every(({ type }) => type === 'text')) return textOf(content)
  const parts = lowerContent(content, warn)
  return parts.length > 0 ? parts : ''
}

/** Returns an image that the endpoint stores, by its id; undefined for other parts. */
function storedImage(part: Exclude<ContentPart, { type: 'text' }>): Item | undefined {
  const media = mediaOf(part)
  if (media?.type !== 'stored' || !media.mediaType?.startsWith('image/')) return undefined
  const detail = part.type === 'image_url' ? part.image_url.detail : undefined
  return { type: 'input_image', file_id: media.id, detail: detail ?? 'auto' }
}

function inputPart(part: ContentPart, warn: Warn): Item | undefined {
  const item = part as unknown as Item
  // A part in the form of the endpoint passes.
  if (['input_text', 'input_image', 'input_file'].includes(part.type)) return item
  const breakpoint = item['prompt_cache_breakpoint']
  const more = breakpoint === undefined ? {} : { prompt_cache_breakpoint: breakpoint }
  const media = part.type === 'file' ? mediaOf(part) : undefined
  if (media?.type === 'link') return { type: 'input_file', file_url: media.url, ...more }
  const image = part.type === 'image_url' || part.type === 'file' ? storedImage(part) : undefined
  if (image) return { ...image, ...more }
  const lowered = lowerPart(part)
  if (lowered.type === 'text') return { type: 'input_text', text: lowered.text, ...more }
  if (lowered.type === 'image_url') {
    const { url, detail = 'auto' } = lowered.image_url
    return { type: 'input_image', image_url: url, detail, ...more }
  }
  if (lowered.type === 'file') {
    const { file_id: id, filename, file_data: data } = lowered.file
    return id === undefined
      ? { type: 'input_file', filename, file_data: data, ...more }
      : { type: 'input_file', file_id: id, ...more }
  }
  warn('content', `a part of type \`${part.type}\` was left out: the Responses API does not take it`)
  return undefined
}
