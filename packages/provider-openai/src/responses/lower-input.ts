import type { ChatMessage, ToolCall } from '@x/interfaces'
import {
  type Dialect,
  flatHistory,
  isRecord,
  parseJson,
  withNotes,
  type LowerContext,
  type Media,
} from '@x/provider-kit'
import { lowerContent, resultOf, textOf, textsOf } from './lower-content.ts'
import { itemsIn, type Item } from './own-items.ts'
import { replayedItems } from './replay-items.ts'

/** Ids of calls: 64 characters, of any kind that is safe everywhere. */
const ID_RULE: Dialect['ids'] = { maxLength: 64, forbidden: /[^\w-]/gu }

/** Rules that the input of a request depends on. */
export interface InputRules extends LowerContext {
  /** Whether instructions come from the `developer` instead of the `system`. */
  readonly developer: boolean
  /** Whether the model takes reasoning items. */
  readonly reasoning: boolean
  /** Names of the endpoint, as owner of files. */
  readonly owners: readonly string[]
  /** Tells which images, sounds and files of results the model gets. */
  readonly takesInResult: (media: Media) => boolean
  /** Ids of items that the endpoint has refused: answers with one of them are sent as text, calls and results. */
  readonly refused: ReadonlySet<unknown>
}

/** Input of a request. */
export interface LoweredInput {
  readonly input: Item[]
  /** Stored items of the answers that are sent back as they came. */
  readonly replayed: readonly Item[]
}

/** Text of the user for a conversation without anything to send. */
const NOTHING = 'Go on.'

/** Returns messages as input items; does not change the given ones. */
export function lowerInput(messages: readonly ChatMessage[], rules: InputRules): LoweredInput {
  const { messages: flat, idOf } = flatHistory(messages, { ...rules, ids: ID_RULE })
  const { warn } = rules
  const own = ownItemsIn(flat, rules.refused)
  const context: AnswerContext = { ...rules, ...own, idOf }
  const input: Item[] = []
  for (const message of flat) {
    const { role, content, tool_call_id: id = '', provider_metadata: metadata } = message
    if (role === 'assistant') {
      input.push(...lowerAnswer(message, context))
      continue
    }
    const given = metadata && itemsIn(metadata, 'input')
    if (given) input.push(...given)
    if (role === 'tool') {
      const type = own.custom.has(id) ? 'custom_tool_call_output' : 'function_call_output'
      input.push({ type, call_id: idOf(id), output: resultOf(content, warn) })
      continue
    }
    const noted = withNotes(message)
    const lowered = lowerContent(role === 'system' ? textsOf(content) : noted, warn)
    const empty = lowered.length === 0
    if (empty && given) continue
    const speaker = role === 'system' ? (rules.developer ? 'developer' : 'system') : 'user'
    input.push({ role: speaker, content: empty ? '' : lowered })
  }
  if (input.length === 0) input.push({ role: 'user', content: NOTHING })
  return { input, replayed: [...own.stored.values()].flat() }
}

/** Items that the messages of a conversation store. */
interface OwnOfAll {
  /** Items of the answers that are sent back as they came. */
  readonly stored: ReadonlyMap<ChatMessage, readonly Item[]>
  /** Ids of calls of custom tools, whose input is a text instead of JSON. */
  readonly custom: ReadonlySet<unknown>
  /** Ids that results of the program name, beside those of its tools. */
  readonly answered: ReadonlySet<unknown>
}

function ownItemsIn(messages: readonly ChatMessage[], refused: ReadonlySet<unknown>): OwnOfAll {
  const stored = new Map<ChatMessage, readonly Item[]>()
  const custom = new Set<unknown>()
  const answered = new Set<unknown>()
  for (const message of messages) {
    const { role, provider_metadata: metadata } = message
    const own = metadata?.['openai']
    if (isRecord(own) && Array.isArray(own['custom'])) for (const id of own['custom'] as unknown[]) custom.add(id)
    const items = metadata && itemsIn(metadata, role === 'assistant' ? 'items' : 'input')
    if (!items || (refused.size > 0 && items.some(({ id }) => refused.has(id)))) continue
    if (role === 'assistant') stored.set(message, items)
    for (const { type, id, call_id: call } of items) {
      if (type === 'custom_tool_call') custom.add(call)
      else if ((type as string).endsWith('_output')) answered.add(call ?? id)
    }
  }
  return { stored, custom, answered }
}

interface AnswerContext extends InputRules, OwnOfAll {
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

function lowerCall({ id = '', function: called }: ToolCall, { names, idOf, custom }: AnswerContext): Item {
  const facts = { call_id: idOf(id), name: names.to(called.name) }
  const args: unknown = called.arguments
  if (!custom.has(id)) return { type: 'function_call', ...facts, arguments: argumentsText(args) }
  const read = typeof args === 'string' ? parseJson(args) : args
  const input = isRecord(read) ? read['input'] : undefined
  return { type: 'custom_tool_call', ...facts, input: typeof input === 'string' ? input : argumentsText(args) }
}

/** Arguments are a text; nothing is the empty object. */
function argumentsText(args: unknown): string {
  if (typeof args === 'string') return args === '' ? '{}' : args
  return JSON.stringify(args ?? {})
}
