import type { XEvent } from '@x/interfaces'
import { EventFold } from '@x/kernel/events'

type Span = NonNullable<ReturnType<EventFold['span']>>

/** Where an event happens, as a reader sees it. */
export type Place =
  /** In the conversation that the reader follows. */
  | { readonly level: 'main' }
  /** In an agent inside it: `owner` is the span of its chat or reply, `tool` that of the tool around it. */
  | { readonly level: 'agent'; readonly owner: string; readonly agent: string; readonly tool: string | null }
  /** Behind the scenes: calls of models that no agent replies with. */
  | { readonly level: 'hidden' }

const MAIN: Place = { level: 'main' }
const HIDDEN: Place = { level: 'hidden' }

/** Reads the events of a run for front ends: what belongs to the conversation, and what to agents inside it. */
export class RunPlaces {
  readonly fold: EventFold = new EventFold()
  readonly #places = new Map<string, Place>()
  /** Replies whose text a call of a model has told. */
  readonly #told = new Set<string>()

  /** Takes an event; call it before asking for its place. */
  add(event: XEvent): void {
    this.fold.add(event)
    if (event.type !== 'modelCallStart') return
    for (const { kind, id } of this.#around(event.parentId)) {
      if (kind === 'tool') return
      if (kind === 'reply') this.#told.add(id)
    }
  }

  /** Returns the place of what happens in a span. */
  placeIn(spanId: string | null): Place {
    if (spanId === null) return MAIN
    const known = this.#places.get(spanId)
    if (known) return known
    const place = placeOf(this.#around(spanId))
    this.#places.set(spanId, place)
    return place
  }

  /** True if the answer of a call of a model is what an agent says. */
  isSpoken({ parentId }: { readonly parentId: string | null }): boolean {
    return parentId === null || this.fold.span(parentId)?.kind === 'reply'
  }

  /** True if the reply of an agent is a text that no model has told: that of a function or of a search. */
  isUntold({ id, agent, parentId }: Extract<XEvent, { type: 'replyEnd' }>): boolean {
    if (this.#told.has(id)) return false
    // Who began a chat executes calls and code for the other.
    const chat = this.#around(parentId).find(({ kind }) => kind === 'chat')
    return !(chat?.kind === 'chat' && chat.start?.agent === agent)
  }

  #around(spanId: string | null): Span[] {
    const spans: Span[] = []
    for (let id = spanId; id !== null;) {
      const span = this.fold.span(id)
      if (!span) break
      spans.push(span)
      id = span.parentId
    }
    return spans
  }
}

function placeOf(spans: readonly Span[]): Place {
  const tool = spans.findIndex(({ kind }) => kind === 'tool')
  const within = tool === -1 ? spans : spans.slice(0, tool)
  const chats = within.filter(({ kind }) => kind === 'chat')
  if (tool === -1 && chats.length < 2) return MAIN
  const owner = chats[0] ?? within.findLast(({ kind }) => kind === 'reply')
  if (owner?.kind === 'chat') {
    const agent = owner.start?.recipient ?? owner.end?.recipient ?? ''
    return { level: 'agent', owner: owner.id, agent, tool: spans[tool]?.id ?? null }
  }
  if (owner?.kind !== 'reply') return HIDDEN
  return { level: 'agent', owner: owner.id, agent: owner.start?.agent ?? '', tool: spans[tool]?.id ?? null }
}
