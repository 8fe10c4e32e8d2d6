import type { ChatMessage, PendingApproval, XEvent } from '@x/interfaces'
import type { Change, Item, SpokenItem, ToolItem } from './item.ts'

/** What a transcript is brought up to date with. */
export interface Standing {
  /** The person's side of the chat. */
  readonly messages: readonly ChatMessage[]
  readonly pending: readonly PendingApproval[]
}

/**
 * The chat as a page shows it. Whole messages come from the history alone, so that a turn which was resumed in another
 * process, and whose events were sent there, is shown as well; events add what a history has not yet: pieces of the answer,
 * and which tool runs.
 */
export class Transcript {
  readonly #items: Item[] = []
  readonly #tell: (change: Change) => void
  /** Messages of the history that are items. */
  #applied = 0
  /** Index of the answer that is being written. */
  #live: number | null = null

  /** `tell` hears every change. */
  constructor(tell: (change: Change) => void) {
    this.#tell = tell
  }

  /** Every line. */
  get items(): readonly Item[] {
    return this.#items
  }

  /** Adds what the history has and this has not, and marks what waits for a decision. */
  sync({ messages, pending }: Standing): void {
    for (; this.#applied < messages.length; this.#applied++) this.#apply(messages[this.#applied]!)
    for (const { id, action } of pending) {
      if (action.type !== 'toolCall') continue
      const entry = this.#tool(action.callId)
      if (entry) this.#put(entry.index, { ...entry.item, state: 'waiting', approval: id })
    }
  }

  /** Adds what an event says and no history has. */
  take(event: XEvent): void {
    if (event.type === 'modelDelta') {
      if (event.event.type === 'start') this.#dropLive()
      if (event.event.type === 'textDelta' && event.event.index === 0) this.#write(event.event.text)
    } else if (event.type === 'executeFunction') {
      const entry = this.#tool(event.callId)
      const args = JSON.stringify(event.arguments)
      if (entry) this.#put(entry.index, { ...entry.item, arguments: args, state: 'running', approval: undefined })
    }
  }

  /** Takes the question away that a tool call waited with. */
  decided(approval: string): void {
    for (const [index, item] of this.#items.entries()) {
      if (item.kind !== 'tool' || item.approval !== approval) continue
      this.#put(index, { ...item, state: 'called', approval: undefined })
    }
  }

  /** What is being written stays as it is, and the reason is told. */
  interrupted(reason: string): void {
    this.#endLive()
    this.add({ kind: 'note', text: reason })
  }

  /** Adds a line, and gives its index. */
  add(item: Item): number {
    const index = this.#items.push(item) - 1
    this.#tell({ type: 'item', index, item })
    return index
  }

  /** Puts a question's answer beside it. */
  answered(index: number, answer: string | null): void {
    const item = this.#items[index]
    if (item?.kind === 'question' && item.answer === undefined) this.#put(index, { ...item, answer })
  }

  #apply({ name, content, tool_calls: calls = [], tool_responses: responses }: ChatMessage): void {
    if (responses) {
      for (const { tool_call_id: id, content: result } of responses) {
        const entry = this.#tool(id)
        if (entry) this.#put(entry.index, { ...entry.item, state: 'done', result: result ?? '', approval: undefined })
      }
      return
    }
    const text = typeof content === 'string' ? content : ''
    if (name === 'user') {
      this.add({ kind: 'user', text })
      return
    }
    if (this.#live !== null) {
      this.#put(this.#live, { kind: 'assistant', text })
      this.#live = null
    } else if (text) this.add({ kind: 'assistant', text })
    for (const {
      id = '',
      function: { name: called, arguments: args },
    } of calls) {
      this.add({ kind: 'tool', call: id, name: called, arguments: args, state: 'called' })
    }
  }

  #write(text: string): void {
    if (this.#live === null) {
      this.#live = this.add({ kind: 'assistant', text, live: true })
      return
    }
    const item = this.#items[this.#live] as SpokenItem
    this.#items[this.#live] = { ...item, text: item.text + text }
    this.#tell({ type: 'text', index: this.#live, text })
  }

  /** Another model begins the answer anew. */
  #dropLive(): void {
    if (this.#live !== null) this.#put(this.#live, { kind: 'assistant', text: '', live: true })
  }

  #endLive(): void {
    if (this.#live === null) return
    const { text } = this.#items[this.#live] as SpokenItem
    this.#put(this.#live, { kind: 'assistant', text })
    this.#live = null
  }

  #tool(call: string | null | undefined): { index: number; item: ToolItem } | undefined {
    const index = this.#items.findLastIndex((item) => item.kind === 'tool' && item.call === call)
    return index === -1 ? undefined : { index, item: this.#items[index] as ToolItem }
  }

  #put(index: number, item: Item): void {
    if (JSON.stringify(this.#items[index]) === JSON.stringify(item)) return
    this.#items[index] = item
    this.#tell({ type: 'item', index, item })
  }
}
