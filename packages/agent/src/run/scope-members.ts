import type {
  Agent,
  Budget,
  EventBody,
  EventOrigin,
  HookName,
  Listener,
  MaybePromise,
  OpenCall,
  Run,
  RunScope,
  XEvent,
} from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import type { RecordedCall } from './recorder.ts'

/** Services that all scopes of a run share. */
export interface RunServices {
  /** Types of events that somebody listens to; null: all. */
  readonly types: ReadonlySet<string> | null
  /** True if somebody listens to the starts and ends of spans. */
  readonly spans: boolean
  /** True if events are printed on the console. */
  readonly prints: boolean
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
  /** The identifier of a run without a journal, in all the world. */
  readonly runId: () => string
  /** Takes a place in a scope for a call outside the program. */
  readonly open: (scope: RunScope, run: Run, call: RecordedCall & { readonly closed?: boolean }) => OpenCall
}

/** The budget of a chat and everything inside it. */
export interface ChatBudget extends Budget {
  /** True once it has refused a call: the chat is what could be had for it. */
  readonly usedUp: boolean
}

/**
 * The places of what begins in a scope: `1` for a chat, `1.3` for the fourth thing in it. A chat that is resumed gives the
 * same places to the same steps.
 */
export class Places {
  readonly place: string
  next: number
  spans = 0
  /** Uses of hook points since the last place was taken. */
  hooks: Partial<Record<HookName, number>> | null = null

  constructor(place: string) {
    this.place = place
    this.next = place === '' ? 1 : 0
  }

  /** Takes the next place. */
  take(): string {
    this.hooks = null
    return this.at(this.next++)
  }

  /** The next place, without taking it. */
  get upcoming(): string {
    return this.at(this.next)
  }

  /** The identifier of a span without a place of its own. */
  takeSpan(): string {
    return this.span(this.spans++)
  }

  /** The identifier of the span of a number. */
  span(number: number): string {
    return this.at(`span${number}`)
  }

  at(index: number | string): string {
    return this.place === '' ? String(index) : `${this.place}.${index}`
  }
}

/** A span that is under way: its start is sent once it is known that no earlier run has sent it. */
export interface OpenSpan {
  readonly id: string
  readonly parent: OpenSpan | null
  /** The start, until it is sent. */
  start: XEvent | null
}

/** The facts of a scope that its events depend on. */
interface SendingScope {
  readonly services: RunServices
  readonly chatId: string | null
  readonly places: Places
  readonly isRecorded: boolean
  /** True while this run repeats what an earlier one has done: its events were sent then. */
  readonly isPast: boolean
}

/** Sends the events of a scope with their origin: the chat, and the agents in whose replies they happen. */
export class EventSender {
  readonly agentPath: readonly string[]
  /** True if nothing is sent, since it would be printed. */
  readonly isSilent: boolean
  /** The span around the next event. */
  span: OpenSpan | null
  readonly scope: SendingScope
  /** The paths to agents, which all events of an agent share. */
  paths: Map<string, readonly string[]> | undefined = undefined

  constructor(
    scope: SendingScope,
    outer: EventSender | null,
    change: { readonly agent?: Agent | undefined; readonly silent?: boolean | null | undefined },
  ) {
    this.scope = scope
    this.agentPath = (change.agent ? outer?.pathTo(change.agent.name) : outer?.agentPath) ?? []
    this.isSilent = scope.services.prints && ((outer?.isSilent ?? false) || change.silent === true)
    this.span = outer?.span ?? null
  }

  /** Tells whether somebody listens to events of a type. */
  takes(type: XEvent['type']): boolean {
    const { types } = this.scope.services
    return !this.isSilent && (types === null || types.has(type))
  }

  /** Sends an event with its origin to `next`; events that an earlier run has sent are not sent again. */
  send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void> {
    if (!this.takes(event.type)) return undefined
    if ('chatId' in event) {
      const error = this.foreignEvent(event)
      if (!error) return next(event)
      fail?.(error)
      throw error
    }
    if (!this.scope.isRecorded) return next(this.withOrigin(event))
    return this.scope.isPast ? undefined : this.sendBehindStarts(this.withOrigin(event), next)
  }

  /** The event with its origin. */
  withOrigin(event: EventBody): XEvent {
    return { ...event, chatId: this.scope.chatId, agentPath: this.pathTo(event.agent) }
  }

  /** The origin of the events of an agent; undefined where a journal decides whether they are sent. */
  origin(agent: string | null): EventOrigin | undefined {
    const { isRecorded, chatId } = this.scope
    return isRecorded ? undefined : { chatId, agentPath: this.pathTo(agent) }
  }

  /** The names of the agents in whose replies an agent acts, its own last; one list for all of its events. */
  pathTo(agent: string | null): readonly string[] | null {
    if (agent === null) return this.agentPath.length > 0 ? this.agentPath : null
    const known = this.paths?.get(agent)
    if (known) return known
    const path = Object.freeze([...this.agentPath, agent])
    this.paths ??= new Map()
    this.paths.set(agent, path)
    return path
  }

  /** Sends the starts of spans that were held back first: an earlier run has sent them, and this one goes on with them. */
  sendBehindStarts(event: XEvent, next: Listener): MaybePromise<void> {
    const starts: XEvent[] = []
    // The innermost span may be the one whose own start this event is.
    for (let { span } = this; span; span = span.parent) {
      if (!span.start) continue
      starts.unshift({ ...span.start, resumed: true } as XEvent)
      span.start = null
    }
    if (starts.length === 0) return next(event)
    return sendInOrder([...starts, event], next)
  }

  /**
   * The error for an event of a chat that is not part of this run: somebody passed `emit` on without `run`. Such a chat
   * counts from `1` like the outermost one; its agents do not answer inside a reply of this one.
   */
  foreignEvent({ chatId, agentPath, agent }: XEvent): XError | undefined {
    // An event of this scope bears the very list that is kept for its agent.
    if (chatId === null || (agent !== null && agentPath === this.paths?.get(agent))) return undefined
    const { chatId: ownId, places } = this.scope
    if (chatId.startsWith(`${places.place}.`)) return undefined
    if (chatId === ownId && this.agentPath.every((name, depth) => agentPath?.[depth] === name)) return undefined
    return new XError(
      'invalid-argument',
      `events of a chat \`${chatId}\` that is not part of the run were sent to its \`emit\`: pass \`{ run }\` to what starts that chat`,
      { details: { chatId } },
    )
  }
}

function sendInOrder([first, ...rest]: readonly XEvent[], next: Listener): MaybePromise<void> {
  if (!first) return undefined
  const sent = next(first)
  return isThenable(sent) ? sent.then(() => sendInOrder(rest, next)) : sendInOrder(rest, next)
}
