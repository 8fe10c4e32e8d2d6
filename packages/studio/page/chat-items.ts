import type { ChatLine } from '../src/protocol.ts'

/** What stands in a chat: words of a person or an agent, a call of a tool, or an error. */
export type ChatItem =
  | { readonly kind: 'person'; readonly text: string }
  | {
      readonly kind: 'agent'
      readonly id: string
      readonly agent: string
      readonly model: string
      readonly text: string
    }
  | {
      readonly kind: 'tool'
      readonly id: string
      readonly agent: string
      readonly name: string
      readonly input: string
      readonly output: string | null
    }
  | { readonly kind: 'error'; readonly text: string }

/** Adds a line of the answer to the items of a chat. */
export function withLine(items: readonly ChatItem[], line: ChatLine): readonly ChatItem[] {
  switch (line.type) {
    case 'begin':
      return withItem(items, { kind: 'agent', id: line.id, agent: line.agent, model: line.model, text: '' })
    case 'text': {
      const begun = items.find((item) => item.kind === 'agent' && item.id === line.id)
      const { model, text } = begun?.kind === 'agent' ? begun : { model: '', text: '' }
      return withItem(items, { kind: 'agent', id: line.id, agent: line.agent, model, text: text + line.text })
    }
    case 'tool': {
      const { id, agent, name, input, output } = line
      return withItem(items, { kind: 'tool', id, agent, name, input, output })
    }
    case 'error':
      return [...items, { kind: 'error', text: line.error }]
    case 'end': {
      const turn = items.slice(items.findLastIndex(({ kind }) => kind === 'person'))
      return turn.some((item) => item.kind === 'agent' && item.text === line.text) || line.text === ''
        ? items
        : [...items, { kind: 'agent', id: '', agent: '', model: '', text: line.text }]
    }
  }
}

/** Returns the items to show: an answer without words, which calls, only until something stands behind it. */
export const shownItems = (items: readonly ChatItem[]): readonly ChatItem[] =>
  items.filter((item, index) => item.kind !== 'agent' || item.text !== '' || index === items.length - 1)

/** Puts an item in the place of that with its id, or behind all. */
function withItem(items: readonly ChatItem[], item: Extract<ChatItem, { readonly id: string }>): readonly ChatItem[] {
  const at = items.findIndex((each) => 'id' in each && each.id === item.id)
  return at === -1 ? [...items, item] : items.with(at, item)
}
