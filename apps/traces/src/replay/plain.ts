import type { Agent, ChatResult, Tool, UsageSummary } from '@x/interfaces'
import type { Facts, TraceValue } from './trace.ts'

/** Under this a group has its name in the trace. */
export const GROUP_NAME: unique symbol = Symbol('the name of a group')

/**
 * Returns a value as plain data in the spelling of the traces: agents, tools and functions become references, our own
 * records get the reference's keys, `undefined` and missing keys are left out.
 */
export function plain(value: unknown): TraceValue {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'function') return { $fn: value.name }
  if (typeof value !== 'object') return typeof value
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Map) return plainEntries(value)
  if (isTool(value)) return { $tool: value.name }
  if (isAgent(value)) return { $agent: value.name }
  const group = (value as { [GROUP_NAME]?: string })[GROUP_NAME]
  if (group !== undefined) return { $group: group }
  if (isChatResult(value)) return plainChatResult(value)
  if (isUsageSummary(value)) return plainUsage(value)
  return plainEntries(Object.entries(value))
}

function plainEntries(entries: Iterable<[unknown, unknown]>): Facts {
  const facts: Record<string, TraceValue> = {}
  for (const [key, value] of entries) if (value !== undefined) facts[nameOfKey(key)] = plain(value)
  return facts
}

/** A key as text: an agent's is its name, a missing agent's `none`. */
const nameOfKey = (key: unknown): string =>
  typeof key === 'string' ? key : typeof key === 'number' ? `${key}` : ((key as Agent | null)?.name ?? 'none')

/** The usage of an agent, a wrapper or a chat: models beside the total. */
export function plainUsage(summary: UsageSummary | null): Facts | null {
  if (!summary) return null
  const models = Object.entries(summary.models).map(([model, used]) => [
    model,
    {
      cost: used.cost,
      prompt_tokens: used.promptTokens,
      completion_tokens: used.completionTokens,
      total_tokens: used.totalTokens,
    },
  ])
  return { total_cost: summary.totalCost, ...Object.fromEntries(models) }
}

function plainChatResult(chat: ChatResult): Facts {
  return {
    chat_id: chat.chatId,
    chat_history: plain(chat.chatHistory),
    summary: plain(chat.summary),
    cost: {
      usage_including_cached_inference: plainUsage(chat.cost.usageIncludingCachedInference),
      usage_excluding_cached_inference: plainUsage(chat.cost.usageExcludingCachedInference),
    },
    human_input: plain(chat.humanInput),
  }
}

const isChatResult = (value: object): value is ChatResult => 'chatHistory' in value && 'summary' in value

const isUsageSummary = (value: object): value is UsageSummary => 'totalCost' in value && 'models' in value

const isTool = (value: object): value is Tool =>
  'name' in value && 'execute' in value && typeof value.execute === 'function'

const isAgent = (value: object): value is Agent => 'name' in value && 'systemMessage' in value
