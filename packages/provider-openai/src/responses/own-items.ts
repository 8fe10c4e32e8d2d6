import { isRecord, listOf } from '@x/provider-kit'

/** One item of a request's input or of an answer's output. */
export type Item = Record<string, unknown>

/**
 * Output items of an answer as `provider_metadata.openai.items` stores them, in their order. Items that only the provider
 * can read, and results of its own tools, are stored whole. A message has the lengths of its texts and a call its `call_id`:
 * text and arguments come from the stored message, which a hook may change.
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
export const recordsIn = (value: unknown): Item[] => listOf(value).filter(isRecord)

/** A stored message of the assistant, as the endpoint takes its parts. */
export interface StoredAnswer {
  readonly text: string
  /** Calls of the message as items, by their stored id. */
  readonly calls: ReadonlyMap<string, Item>
}

/** Rules of a replay. */
export interface ReplayRules {
  /** Whether the model takes reasoning items. */
  readonly reasoning: boolean
  /** Ids of the calls that have a result in the conversation. */
  readonly answered: ReadonlySet<unknown>
}

/** Calls that the program answers, beside calls of its tools; the endpoint refuses them without a result. */
const PROGRAM_CALL_TYPES: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
])

const isForProgram = ({ type, execution }: Item): boolean =>
  PROGRAM_CALL_TYPES.has(type) || (type === 'tool_search_call' && execution === 'client')

/**
 * Restores an answer from its stored items: in their order, with the text and calls of the message as it is now. A reasoning
 * item stays only with the item behind it, and only with its content; an item without its reasoning loses its id, or is left
 * out if it needs one.
 */
export function replayedItems(stored: readonly Item[], { text, calls }: StoredAnswer, rules: ReplayRules): Item[] {
  const unsentCalls = new Map(calls)
  const pieces = piecesOf(stored, text)
  const items = stored.map((item): Item | undefined => {
    if (item['type'] === 'message') return restoreMessage(item, pieces)
    if (CALL_TYPES.has(item['type'])) return takeCall(item, unsentCalls)
    if (item['type'] === 'reasoning') return rules.reasoning ? restoreReasoning(item) : undefined
    const isUnanswered = isForProgram(item) && !rules.answered.has(item['call_id'] ?? item['id'])
    return isUnanswered ? undefined : without(item, 'created_by')
  })
  const out = withoutUnpaired(stored, items)
  const unsentText = pieces.join('')
  if (unsentText !== '') out.push({ role: 'assistant', content: unsentText })
  return [...out, ...unsentCalls.values()]
}

/** Cuts the text by the stored lengths; a changed text goes whole to the first place. */
function piecesOf(stored: readonly Item[], text: string): string[] {
  const parts = stored.flatMap(({ type, content }) => (type === 'message' ? recordsIn(content) : []))
  const lengths = parts.map(({ length }) => (typeof length === 'number' && length > 0 ? length : 0))
  const total = lengths.reduce((sum, length) => sum + length, 0)
  if (total !== text.length) return [text, ...lengths.slice(1).map(() => '')]
  let at = 0
  return lengths.map((length) => text.slice(at, (at += length)))
}

/** Takes the next pieces for the parts of a message; returns undefined for a message without text. */
function restoreMessage(message: Item, pieces: string[]): Item | undefined {
  const content = recordsIn(message['content']).flatMap((stored): Item[] => {
    const piece = pieces.shift() ?? ''
    if (piece === '') return []
    const part = without(stored, 'length', 'logprobs')
    if (part['type'] === 'refusal') return [{ ...part, refusal: piece }]
    return [{ ...part, text: piece, annotations: part['annotations'] ?? [] }]
  })
  return content.length > 0 ? { ...withoutNull(message), role: 'assistant', content } : undefined
}

function takeCall(item: Item, calls: Map<string, Item>): Item | undefined {
  const id = String(item['call_id'])
  const call = calls.get(id)
  calls.delete(id)
  return call && { ...withoutNull(without(item, 'created_by')), ...call }
}

/** Returns a reasoning item without its status; undefined for reasoning without content, which cannot be sent back. */
function restoreReasoning(item: Item): Item | undefined {
  const { encrypted_content: sealed, content } = item
  const whole = typeof sealed === 'string' || (Array.isArray(content) && content.length > 0)
  return whole ? { ...withoutNull(without(item, 'status')), summary: item['summary'] ?? [] } : undefined
}

/** Leaves out reasoning without the item behind it, and items that cannot stand without their reasoning. */
function withoutUnpaired(stored: readonly Item[], items: readonly (Item | undefined)[]): Item[] {
  const stays = items.map((item) => item !== undefined)
  for (let at = items.length - 1; at >= 0; at--) {
    if (stored[at]!['type'] === 'reasoning' && !stays[at + 1]) stays[at] = false
  }
  let isSevered = false
  return items.flatMap((item, at): Item[] => {
    if (stored[at]!['type'] === 'reasoning') isSevered = !stays[at]
    if (!stays[at] || !item) return []
    if (!isSevered) return [item]
    return item['type'] === 'message' || CALL_TYPES.has(item['type']) ? [without(item, 'id')] : []
  })
}

/** Returns the call id of the program that made a call; undefined for a call of the model. */
function programOf({ caller }: Item): unknown {
  return isRecord(caller) && caller['type'] === 'program' ? caller['caller_id'] : undefined
}

/** Returns the caller of each call that a program made, by the id of the call: its result goes back with the same caller. */
export const callersIn = (items: readonly Item[]): [unknown, unknown][] =>
  items.flatMap((item): [unknown, unknown][] =>
    CALL_TYPES.has(item['type']) && programOf(item) !== undefined ? [[item['call_id'], item['caller']]] : [],
  )

/**
 * Leaves out what belongs to an item that is not sent: the output of a program, and the answer to a request for an approval of
 * `stored`. A call whose program is not sent becomes a call of the model.
 */
export function withPairedItems(input: readonly Item[], stored: readonly Item[]): Item[] {
  const programs = new Set(input.flatMap(({ type, call_id: id }) => (type === 'program' ? [id] : [])))
  const requests = (items: readonly Item[]): unknown[] =>
    items.flatMap(({ type, id }) => (type === 'mcp_approval_request' ? [id] : []))
  const sent = new Set(requests(input))
  const unsent = new Set(requests(stored).filter((id) => !sent.has(id)))
  return input.flatMap((item): Item[] => {
    const { type, call_id: id, approval_request_id: request } = item
    if (type === 'program_output' && !programs.has(id)) return []
    if (type === 'mcp_approval_response' && unsent.has(request)) return []
    const program = programOf(item)
    return [program === undefined || programs.has(program) ? item : without(item, 'caller')]
  })
}

const withoutNull = (item: Item): Item => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null))
