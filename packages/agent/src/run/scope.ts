import type {
  Agent,
  Budget,
  CacheStore,
  EventBody,
  EventOrigin,
  ExternalCall,
  HookName,
  JournalKind,
  Listener,
  MaybePromise,
  OpenCall,
  Run,
  RunScope,
  SharedVariables,
  XEvent,
} from '@x/interfaces'
import { isThenable, type Steps, XError } from '@x/kernel'
import { scopeOf, within } from '@x/kernel/run'
import type { Chat } from '../memory/state.ts'
import type { AddedToReply } from '../options/operations.ts'
import type { RecordedCall, ScopeJournal } from './recorder.ts'

/** Differences of a scope inside another. */
interface ScopeChange {
  readonly chat?: Chat | undefined
  readonly chatId?: string | undefined
  readonly place?: string | undefined
  readonly journal?: ScopeJournal | null | undefined
  readonly budget?: ChatBudget | null | undefined
  /** The agent in whose reply everything inside happens. */
  readonly agent?: Agent | undefined
  readonly silent?: boolean | null | undefined
  readonly streams?: boolean | undefined
  readonly variables?: SharedVariables | undefined
  readonly additions?: AddedToReply | undefined
  /** The kind of a call that is kept as a whole: nothing inside it is kept. */
  readonly callKind?: JournalKind | undefined
}

/** Everything that a chat, a reply or a call hands down to what happens inside it. */
export class Scope implements RunScope {
  /** Shared by the whole run: its time, its identifier, the wishes of its listeners. */
  readonly services: RunServices
  /** The chat; null outside of chats. */
  readonly chat: Chat | null
  readonly chatId: string | null
  /** The place of this scope in the run, and the next ones inside. */
  readonly places: Places
  /** Where answers are kept and recalled, and who takes part; null: nowhere. */
  readonly journal: ScopeJournal | null
  /** Limits the spending of everything inside; null: no limit. */
  readonly budget: ChatBudget | null
  /** Sends events with their origin. */
  readonly events: EventSender
  /** True if models answer piece by piece, in tools too: somebody reads a stream of events. */
  readonly streams: boolean
  /** The context variables that tools and hooks get; null: none. */
  readonly variables: SharedVariables | null
  /** Additions to one reply of an agent. */
  readonly additions: AddedToReply | null
  readonly callKind: JournalKind | null
  readonly outer: Scope | null

  constructor(services: RunServices, outer: Scope | null, change: ScopeChange) {
    this.services = services
    this.outer = outer
    this.chat = change.chat ?? outer?.chat ?? null
    this.chatId = change.chatId ?? outer?.chatId ?? null
    this.places = change.place === undefined && outer ? outer.places : new Places(change.place ?? '')
    const journal = change.journal === undefined ? (outer?.journal ?? null) : change.journal
    this.journal = change.callKind ? null : journal
    this.budget = change.budget === undefined ? (outer?.budget ?? null) : change.budget
    this.streams = change.streams ?? outer?.streams ?? false
    this.variables = change.variables ?? outer?.variables ?? null
    this.additions = change.additions ?? outer?.additions ?? null
    this.callKind = change.callKind ?? outer?.callKind ?? null
    this.events = new EventSender(this, outer?.events ?? null, change)
  }

  /** A scope inside this one. */
  inner(change: ScopeChange): Scope {
    return new Scope(this.services, this, change)
  }

  get isRecorded(): boolean {
    return this.journal !== null
  }

  /** True while an earlier run has come further than this one here. */
  get isPast(): boolean {
    const { journal, places, outer } = this
    if (!journal) return false
    if (journal.recorder.isPast(places.place, places.next)) return true
    return outer?.journal?.recorder === journal.recorder && outer.isPast
  }

  get agentPath(): readonly string[] {
    return this.events.agentPath
  }

  get cache(): CacheStore | null {
    return this.chat?.cache ?? null
  }

  get spanId(): string | null {
    return this.events.span?.id ?? null
  }

  newSpanId(): string {
    return this.places.takeSpan()
  }

  now(): number {
    return this.services.now()
  }

  takes(type: XEvent['type']): boolean {
    return this.events.takes(type)
  }

  origin(agent: string | null): EventOrigin | undefined {
    return this.events.origin(agent)
  }

  send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void> {
    return this.events.send(event, next, fail)
  }

  open(run: Run, call: ExternalCall): OpenCall | undefined {
    if (this.callKind) return undefined
    return this.services.open(this, run, { label: `a call of kind ${call.kind}`, ...call, closed: true })
  }
}

/** The scope of a run; every operation of an agent makes one. */
export const scopeIn = (run: Run): Scope => scopeOf(run) as Scope

/** Runs steps in a scope of their own. */
export const inScope = <T>(scope: Scope, steps: Steps<T>): Steps<T> => within(scope, steps)

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
