import { isRecord } from '@x/provider-kit'

/** One item of a request's input or of an answer's output. */
export type Item = Record<string, unknown>

/**
 * Output items of an answer as `provider_metadata.openai.items` stores them, in their order. Items that only the provider
 * can read, and results of its own tools, are stored whole. A message has the lengths of its texts and a call its `call_id`:
 * text and arguments themselves are those of the stored message, which a hook may change.
 */
export interface OwnItems {
  readonly items: readonly Item[]
}

/** Types of calls of the caller's tools, which are stored without name and arguments. */
export const CALL_TYPES: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call'])

/** Returns the form in which an output item is stored; `lengths` are those of the texts of a message. */
export function storedForm(item: Item, lengths: readonly number[]): Item {
  if (item['type'] === 'message') {
    const content = recordsIn(item['content']).map((part, at) => ({
      ...without(part, 'text', 'refusal', 'logprobs'),
      length: lengths[at] ?? 0,
    }))
    return { ...item, content }
  }
  return CALL_TYPES.has(item['type']) ? without(item, 'name', 'arguments', 'input') : item
}

/** Returns an item without some of its keys. */
export function without(item: Item, ...keys: readonly string[]): Item {
  const rest: Item = {}
  for (const key in item) if (!keys.includes(key)) rest[key] = item[key]
  return rest
}

/** Returns the stored items of a message's opaque data; undefined for data of another form. */
export function itemsIn(metadata: unknown, key: 'items' | 'input' = 'items'): Item[] | undefined {
  const own = isRecord(metadata) ? metadata['openai'] : undefined
  const items = isRecord(own) ? own[key] : undefined
  return Array.isArray(items) ? recordsIn(items).filter(({ type }) => typeof type === 'string') : undefined
}

/** Returns the objects of a list, or an empty list for another type. */
export const recordsIn = (value: unknown): Item[] => (Array.isArray(value) ? value.filter(isRecord) : [])
