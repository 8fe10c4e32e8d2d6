import type { XEvent } from '@x/interfaces'
import { EventFold } from '@x/kernel/events'
import type { UiError } from './ui-message-chunk.ts'

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

/** How the outermost span of a run has ended. */
interface RunEnd {
  readonly outcome: string
  readonly error: UiError | null
  readonly terminationReason: string | null
}

const OPEN_END: RunEnd = { outcome: 'ok', error: null, terminationReason: null }
const UNKNOWN_ERROR: UiError = { code: null, message: 'the run has failed' }

/** Why work ends that is still under way when the run has ended. */
export const STOPPED: UiError = { code: 'aborted', message: 'the call was stopped' }

/** Reads the events of a run for front ends: what belongs to the conversation, and what to agents inside it. */
export class RunPlaces {
  readonly fold: EventFold = new EventFold()
  readonly #places = new Map<string, Place>()
  /** Replies whose text a call of a model has told. */
  readonly #told = new Set<string>()
  /** The end of the last outermost span; null while one is under way. */
  #end: RunEnd | null = null

  /** Takes an event; call it before asking for its place. */
  add(event: XEvent): void {
    this.fold.add(event)
    if (event.parentId === null && 'id' in event) {
      const terminationReason = event.type === 'chatEnd' ? event.terminationReason : null
      this.#end = 'outcome' in event ? { outcome: event.outcome, error: event.error, terminationReason } : null
    }
    if (event.type !== 'modelCallStart') return
    for (const { kind, id } of this.#around(event.parentId)) {
      if (kind === 'tool') return
      if (kind === 'reply') this.#told.add(id)
    }
  }

  /** True if the run waits for decisions. */
  get isWaiting(): boolean {
    return this.#end?.outcome === 'suspended' && this.fold.value.approvals.length > 0
  }

  /** True if the run has neither failed nor been stopped. */
  get isSound(): boolean {
    return !['error', 'aborted'].includes(this.endWith(null).outcome)
  }

  /** Returns how the run ends, also by an error that its events do not tell. */
  endWith(error: UiError | null): RunEnd & { readonly error: UiError } {
    const { outcome, error: told, terminationReason } = this.#end ?? OPEN_END
    if (!error) return { outcome, error: told ?? UNKNOWN_ERROR, terminationReason }
    return { outcome: error.code === 'aborted' ? 'aborted' : 'error', error, terminationReason: null }
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
  if (owner?.kind !== 'chat' && owner?.kind !== 'reply') return HIDDEN
  const agent = owner.kind === 'chat' ? (owner.start ?? owner.end)?.recipient : owner.start?.agent
  return { level: 'agent', owner: owner.id, agent: agent ?? '', tool: spans[tool]?.id ?? null }
}
