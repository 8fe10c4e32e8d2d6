import { CALL_TYPES, recordsIn, without, type Item } from './own-items.ts'

/** A stored message of the assistant, as the endpoint takes its parts. */
export interface StoredAnswer {
  readonly text: string
  /** Its calls as items, by the id with which they came. */
  readonly calls: ReadonlyMap<string, Item>
}

/** Rules of a replay. */
export interface ReplayRules {
  /** Whether the model takes reasoning items. */
  readonly reasoning: boolean
  /** Ids of the calls that have a result in the conversation. */
  readonly answered: ReadonlySet<unknown>
}

/** Calls that the program answers, beside those of its tools; without a result the endpoint refuses them. */
const ANSWERED_BY_PROGRAM: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
])

const isForProgram = ({ type, execution }: Item): boolean =>
  ANSWERED_BY_PROGRAM.has(type) || (type === 'tool_search_call' && execution === 'client')

/**
 * Puts an answer together again from its stored items: in their order, with text and calls of the message as it is stored
 * now. A reasoning item stays only with the item that followed it, and only if its content came along; an item whose
 * reasoning is missing loses its id, or is left out if it cannot be sent without one.
 */
export function replayedItems(stored: readonly Item[], { text, calls }: StoredAnswer, rules: ReplayRules): Item[] {
  const left = new Map(calls)
  const pieces = piecesOf(stored, text)
  const items = stored.map((item): Item | undefined => {
    if (item['type'] === 'message') return messageOf(item, pieces)
    if (CALL_TYPES.has(item['type'])) return callOf(item, left)
    if (item['type'] === 'reasoning') return rules.reasoning ? reasoningOf(item) : undefined
    const open = isForProgram(item) && !rules.answered.has(item['call_id'] ?? item['id'])
    return open ? undefined : without(item, 'created_by')
  })
  const out = pairedItems(stored, items)
  const unsent = pieces.join('')
  if (unsent !== '') out.push({ role: 'assistant', content: unsent })
  return [...out, ...left.values()]
}

/** Cuts the text as the stored lengths say; a text that was changed since goes to the first place whole. */
function piecesOf(stored: readonly Item[], text: string): string[] {
  const parts = stored.flatMap(({ type, content }) => (type === 'message' ? recordsIn(content) : []))
  const lengths = parts.map(({ length }) => (typeof length === 'number' && length > 0 ? length : 0))
  const total = lengths.reduce((sum, length) => sum + length, 0)
  if (total !== text.length) return [text, ...lengths.slice(1).map(() => '')]
  let at = 0
  return lengths.map((length) => text.slice(at, (at += length)))
}

/** Takes the next pieces for the parts of a message; a message without any text is left out. */
function messageOf(message: Item, pieces: string[]): Item | undefined {
  const content = recordsIn(message['content']).flatMap((stored): Item[] => {
    const piece = pieces.shift() ?? ''
    if (piece === '') return []
    const part = without(stored, 'length', 'logprobs')
    if (part['type'] === 'refusal') return [{ ...part, refusal: piece }]
    return [{ ...part, text: piece, annotations: part['annotations'] ?? [] }]
  })
  return content.length > 0 ? { ...withoutNull(message), role: 'assistant', content } : undefined
}

function callOf(item: Item, left: Map<string, Item>): Item | undefined {
  const id = String(item['call_id'])
  const call = left.get(id)
  left.delete(id)
  return call && { ...withoutNull(without(item, 'created_by')), ...call }
}

/** Reasoning whose content did not come along is stored nowhere; its status is only for reading. */
function reasoningOf(item: Item): Item | undefined {
  const { encrypted_content: sealed, content } = item
  const whole = typeof sealed === 'string' || (Array.isArray(content) && content.length > 0)
  return whole ? { ...withoutNull(without(item, 'status')), summary: item['summary'] ?? [] } : undefined
}

/** Leaves out reasoning without the item that followed it, and what cannot stand without its reasoning. */
function pairedItems(stored: readonly Item[], items: readonly (Item | undefined)[]): Item[] {
  const stays = items.map((item) => item !== undefined)
  for (let at = items.length - 1; at >= 0; at--) {
    if (stored[at]!['type'] === 'reasoning' && !stays[at + 1]) stays[at] = false
  }
  let severed = false
  return items.flatMap((item, at): Item[] => {
    if (stored[at]!['type'] === 'reasoning') severed = !stays[at]
    if (!stays[at] || !item) return []
    if (!severed) return [item]
    return item['type'] === 'message' || CALL_TYPES.has(item['type']) ? [without(item, 'id')] : []
  })
}

const withoutNull = (item: Item): Item => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null))
