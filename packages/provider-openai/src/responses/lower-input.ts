import type { ChatMessage, ToolCall } from '@x/interfaces'
import { flatHistory, parseJson, isRecord, type IdentifierRule, type LowerContext } from '@x/provider-kit'
import { lowerContent, resultOf, textOf, textsOf } from './lower-content.ts'
import { itemsIn, type Item } from './own-items.ts'
import { replayedItems, type ReplayRules } from './replay-items.ts'

/** Ids of calls: 64 characters, of any kind that is safe everywhere. */
export const ID_RULE: IdentifierRule = { maxLength: 64, forbidden: /[^\w-]/gu }

/** Rules that the input of a request depends on. */
export interface InputRules extends LowerContext {
  /** Whether instructions come from the `developer` instead of the `system`. */
  readonly developer: boolean
  /** Whether the model takes reasoning items. */
  readonly reasoning: boolean
  /** Whether to send answers back as the items they came in; false sends text, calls and results only. */
  readonly replay: boolean
}

/** Input of a request. */
export interface LoweredInput {
  readonly input: Item[]
  /** Whether an answer is sent back as the items it came in. */
  readonly replays: boolean
}

/** Text of the user for a conversation without anything to send. */
const NOTHING = 'Go on.'

/** Returns messages as input items; does not change the given ones. */
export function lowerInput(messages: readonly ChatMessage[], rules: InputRules): LoweredInput {
  const { messages: flat, idOf } = flatHistory(messages, { ids: ID_RULE })
  const { warn } = rules
  const custom = customCalls(flat, rules)
  const context: AnswerContext = { ...rules, idOf, custom, answered: undefined }
  const input: Item[] = []
  let replays = false
  for (const message of flat) {
    const { role, content, tool_call_id: id = '', provider_metadata: metadata } = message
    if (metadata && role !== 'assistant') input.push(...(itemsIn(metadata, 'input') ?? []))
    if (role === 'tool') {
      const type = custom.has(id) ? 'custom_tool_call_output' : 'function_call_output'
      input.push({ type, call_id: idOf(id), output: resultOf(content, warn) })
      continue
    }
    if (role !== 'assistant') {
      const lowered = lowerContent(role === 'system' ? textsOf(content) : content, warn)
      const empty = lowered.length === 0
      if (empty && metadata && itemsIn(metadata, 'input')) continue
      const speaker = role === 'system' ? (rules.developer ? 'developer' : 'system') : 'user'
      input.push({ role: speaker, content: empty ? '' : lowered })
      continue
    }
    const kept = rules.replay && metadata ? itemsIn(metadata) : undefined
    if (kept) {
      replays = true
      context.answered ??= answeredIn(flat)
    }
    input.push(...lowerAnswer(message, kept, context))
  }
  if (input.length === 0) input.push({ role: 'user', content: NOTHING })
  return { input, replays }
}

interface AnswerContext extends InputRules {
  readonly idOf: (id: string) => string
  readonly custom: ReadonlySet<string>
  /** Looked up when the first answer is replayed. */
  answered: ReadonlySet<unknown> | undefined
}

function lowerAnswer(message: ChatMessage, kept: readonly Item[] | undefined, context: AnswerContext): Item[] {
  const text = textOf(message.content)
  const calls = (message.tool_calls ?? []).map((call) => [call.id ?? '', lowerCall(call, context)] as const)
  if (!kept) return [...(text === '' ? [] : [{ role: 'assistant', content: text }]), ...calls.map(([, call]) => call)]
  const rules: ReplayRules = { reasoning: context.reasoning, answered: context.answered! }
  return replayedItems(kept, { text, calls: new Map(calls) }, rules)
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

/** Lists the ids of calls of custom tools, whose input is a text instead of JSON. */
function customCalls(messages: readonly ChatMessage[], { replay }: InputRules): ReadonlySet<string> {
  const ids = new Set<string>()
  if (!replay) return ids
  for (const { role, tool_calls: calls, provider_metadata: metadata } of messages) {
    if (role !== 'assistant' || !calls || !metadata) continue
    for (const { type, call_id: id } of itemsIn(metadata) ?? []) {
      if (type === 'custom_tool_call' && typeof id === 'string') ids.add(id)
    }
  }
  return ids
}

/** Lists the ids that results of the program name: those of messages, and of items that stand beside them. */
function answeredIn(messages: readonly ChatMessage[]): ReadonlySet<unknown> {
  const ids = new Set<unknown>()
  for (const { provider_metadata: metadata } of messages) {
    if (!metadata) continue
    for (const item of [...(itemsIn(metadata) ?? []), ...(itemsIn(metadata, 'input') ?? [])]) {
      if ((item['type'] as string).endsWith('_output')) ids.add(item['call_id'] ?? item['id'])
    }
  }
  return ids
}
