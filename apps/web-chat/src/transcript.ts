import { SILENT } from '@x/example-group'
import type { ChatMessage, PendingApproval, XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { approvalFields } from './approval-fields.ts'
import type { Change } from './change.ts'
import type { Item, SpokenItem, ToolItem } from './item.ts'
import type { Speakers } from './speakers.ts'

/** What a transcript is brought up to date with. */
export interface Standing {
  /** The person's side of the chat. */
  readonly messages: readonly ChatMessage[]
  readonly pending: readonly PendingApproval[]
}

/** Longest result of a tool that is shown whole, in characters. */
const LONGEST = 10_000

/**
 * The chat as a page shows it. Whole messages come from the history alone, so that a turn which was resumed in another
 * process, and whose events were sent there, is shown as well; events add what a history has not yet: pieces of the answer,
 * and which tool runs.
 */
export class Transcript {
  readonly #items: Item[] = []
  readonly #speakers: Speakers
  readonly #tell: (change: Change) => void
  /** Messages of the history that are items. */
  #applied = 0
  /** Index of the answer that is being written. */
  #live: number | null = null

  /** `tell` hears every change. */
  constructor(speakers: Speakers, tell: (change: Change) => void) {
    this.#speakers = speakers
    this.#tell = tell
  }

  /** Every line. */
  get items(): readonly Item[] {
    return this.#items
  }

  /** Adds what the history has and this has not, and marks what waits for a decision; tells whether there was a message. */
  sync({ messages, pending }: Standing): boolean {
    const isNew = this.#applied < messages.length
    for (; this.#applied < messages.length; this.#applied++) this.#apply(messages[this.#applied]!)
    for (const { id, action } of pending) {
      if (action.type !== 'toolCall') continue
      const entry = this.#tool(action.callId)
      const fields = approvalFields(action.arguments, this.#speakers.parametersOf(action.name))
      if (entry) this.#put(entry.index, { ...entry.item, state: 'waiting', approval: id, fields })
    }
    return isNew
  }

  /** Adds what an event says and no history has. */
  take(event: XEvent): void {
    if (event.type === 'modelDelta') {
      // Others, such as the choice of speakers and agents that a tool asks, are no part of the chat.
      if (!this.#speakers.names.includes(event.agent)) return
      const { type } = event.event
      if (event.event.type === 'start') this.#speakers.noteModel(event.agent, event.event.model)
      if (type === 'start' || (type === 'textWasReasoning' && event.event.index === 0)) this.#dropLive()
      if (event.event.type === 'textDelta' && event.event.index === 0) this.#write(event.agent, event.event.text)
    } else if (event.type === 'executeFunction') {
      const entry = this.#tool(event.callId)
      const args = JSON.stringify(event.arguments)
      if (entry) this.#put(entry.index, { ...decidedOn(entry.item), arguments: args, state: 'running' })
    }
  }

  /** Takes the question away that a tool call waited with. */
  decided(approval: string): void {
    for (const [index, item] of this.#items.entries()) {
      if (item.kind !== 'tool' || item.approval !== approval) continue
      this.#put(index, { ...decidedOn(item), state: 'called' })
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

  #apply({ name = '', content, tool_calls: calls = [], tool_responses: responses }: ChatMessage): void {
    if (responses) {
      for (const { tool_call_id: id, content: result } of responses) {
        const entry = this.#tool(id)
        if (entry)
          this.#put(entry.index, { ...decidedOn(entry.item), state: 'done', result: shortened(contentText(result)) })
      }
      return
    }
    const text = typeof content === 'string' ? content : ''
    if (name === this.#speakers.person) {
      this.#endLive()
      this.add(text === SILENT ? { kind: 'user', name, text: '', silent: true } : { kind: 'user', name, text })
      return
    }
    // In a chat of two, messages of the other side may go without a name.
    const by = name || this.#speakers.names[0]!
    const spoken = this.#spoken(by, withoutEnd(text))
    if (this.#live !== null) {
      this.#put(this.#live, spoken)
      this.#live = null
    } else if (text) this.add(spoken)
    for (const {
      id = '',
      function: { name: called, arguments: args },
    } of calls) {
      this.add({ kind: 'tool', call: id, by, name: called, arguments: args, state: 'called' })
    }
  }

  #spoken(name: string, text: string): SpokenItem {
    const model = this.#speakers.modelOf(name)
    return { kind: 'assistant', name, ...(model !== undefined && { model }), text }
  }

  #write(name: string, text: string): void {
    if (this.#live === null) {
      this.#live = this.add({ ...this.#spoken(name, text), live: true })
      return
    }
    const item = this.#items[this.#live] as SpokenItem
    this.#items[this.#live] = { ...item, text: item.text + text }
    this.#tell({ type: 'text', index: this.#live, text })
  }

  /** Another model begins the answer anew. */
  #dropLive(): void {
    if (this.#live === null) return
    const { name } = this.#items[this.#live] as SpokenItem
    this.#put(this.#live, { ...this.#spoken(name, ''), live: true })
  }

  #endLive(): void {
    if (this.#live === null) return
    const { live: _, ...item } = this.#items[this.#live] as SpokenItem
    this.#put(this.#live, item)
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

/** The call without what was to be decided on. */
function decidedOn({ approval: _approval, fields: _fields, ...item }: ToolItem): ToolItem {
  return item
}

/** A text without the word that ends a group's talk, which is for the program. */
const withoutEnd = (text: string): string => text.replace(/\s*\bTERMINATE\W*$/u, '')

const shortened = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length} characters)` : text
