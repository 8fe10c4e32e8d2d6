import type {
  Agent,
  Budget,
  CacheStore,
  EventBody,
  EventOptions,
  ExternalCall,
  HookName,
  JournalKind,
  Listener,
  MaybePromise,
  OpenCall,
  Run,
  RunScope,
  RunTrace,
  SharedVariables,
  UsageSummary,
  XEvent,
} from '@x/interfaces'
import { isThenable, type Steps, XError } from '@x/kernel'
import { type EventCounter, scopeOf, shapeEvent, takesRequests, within } from '@x/kernel/run'
import { UNSILENCED_TOPICS } from '../console/console-io.ts'
import { notJson } from '../data/plain-json.ts'
import type { Chat } from '../memory/state.ts'
import { addSummaries } from '../memory/usage.ts'
import type { AddedToReply, RunToolError } from '../options/operations.ts'
import type { RecordedCall, ScopeJournal } from './recorder.ts'

/** Changes of an inner scope; everything else is taken from the outer scope. */
export interface ScopeChange {
  readonly chat?: Chat | undefined
  readonly chatId?: string | undefined
  readonly place?: string | undefined
  /** Makes the identifiers of spans inside a chat with a journal of its own differ from those outside. */
  readonly spanPrefix?: string | undefined
  readonly journal?: ScopeJournal | null | undefined
  readonly budget?: ChatBudget | null | undefined
  /** The agent whose reply makes the scope. */
  readonly agent?: Agent | undefined
  readonly silent?: boolean | null | undefined
  readonly streams?: boolean | undefined
  readonly variables?: SharedVariables | undefined
  readonly additions?: AddedToReply | undefined
  /** Kind of a call of which the journal keeps the answer and nothing inside. */
  readonly callKind?: JournalKind | undefined
  /** The span that everything inside happens in. */
  readonly span?: OpenSpan | undefined
  /** The operation whose scope this is, if a journal keeps what happens in it. */
  readonly operation?: Operation | undefined
  /** True if nobody is there to answer a question: it waits in the journal. */
  readonly unattended?: boolean | undefined
  /** Adds up what the answers inside used. */
  readonly tally?: UsageTally | undefined
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** No change. Each change is a copy with other values: all have one layout, so that the constructor of scopes stays fast. */
const NO_CHANGE: Writable<ScopeChange> = {
  chat: undefined,
  chatId: undefined,
  place: undefined,
  spanPrefix: undefined,
  journal: undefined,
  budget: undefined,
  agent: undefined,
  silent: undefined,
  streams: undefined,
  variables: undefined,
  additions: undefined,
  callKind: undefined,
  span: undefined,
  operation: undefined,
  unattended: undefined,
  tally: undefined,
}

/** A call of a tool that failed, as the result of a run tells it. */
export interface FailedCall {
  /** The result as the model reads it. */
  readonly text: string
  readonly error: RunToolError
}

/** Adds up what the answers inside a `run` used, those of agents in its tools included, and notes its calls that failed. */
export class UsageTally {
  /** The calls of this run that failed, by their identifiers. */
  failures: Map<string, FailedCall> | undefined
  /** Usage of the requests that were sent; answers from a cache are not among them. */
  readonly #used: (UsageSummary | null)[] = []
  readonly #outer: UsageTally | null

  constructor(outer: UsageTally | null) {
    this.#outer = outer
  }

  add(actual: UsageSummary | null): void {
    if (actual) this.#used.push(actual)
    this.#outer?.add(actual)
  }

  /** The sum so far. */
  get sum(): UsageSummary {
    return addSummaries(this.#used)
  }
}

/** An operation that a program has started with a `run`. Several of them may run at once, at places of one scope. */
interface Operation {
  /** Places of the operation that are not chats: those tell themselves that they have ended. */
  readonly places: string[]
}

/** Everything that a chat, a reply or a call passes down to the steps inside it. */
export class Scope implements RunScope {
  /** Services of the whole run: its clock, its identifier, the event types of its listeners. */
  readonly services: RunServices
  /** The chat; null outside of chats. */
  readonly chat: Chat | null
  readonly chatId: string | null
  /** The place of this scope in the run, and the counter of places inside. */
  readonly places: Places
  /** The journal of answers; null: nothing is kept. */
  readonly journal: ScopeJournal | null
  /** Limits the spending of everything inside; null: no limit. */
  readonly budget: ChatBudget | null
  /** Sends the events of this scope with their origin. */
  readonly events: EventSender
  /** True if models stream their answers, also inside tools: somebody reads the events as a stream. */
  readonly streams: boolean
  /** Context variables of tools and hooks; null: none. */
  readonly variables: SharedVariables | null
  /** Additions to one reply of an agent. */
  readonly additions: AddedToReply | null
  readonly callKind: JournalKind | null
  readonly unattended: boolean
  /** Null outside of a `run`. */
  readonly tally: UsageTally | null
  readonly outer: Scope | null
  /** The operation, in the scopes that share the places of the scope in which it was started; null in inner ones. */
  readonly operation: Operation | null
  /** True if an operation or chat with an end of its own has the place of this scope. */
  readonly #hasEnd: boolean

  constructor(services: RunServices, outer: Scope | null, change: ScopeChange) {
    this.services = services
    this.outer = outer
    this.chat = change.chat ?? outer?.chat ?? null
    this.chatId = change.chatId ?? outer?.chatId ?? null
    this.places =
      change.place === undefined && outer
        ? outer.places
        : new Places(change.place ?? '', change.spanPrefix ?? outer?.places.spanPrefix ?? '')
    const journal = change.journal === undefined ? (outer?.journal ?? null) : change.journal
    this.journal = change.callKind ? null : journal
    this.budget = change.budget === undefined ? (outer?.budget ?? null) : change.budget
    this.streams = change.streams ?? outer?.streams ?? false
    this.variables = change.variables ?? outer?.variables ?? null
    this.additions = change.additions ?? outer?.additions ?? null
    this.callKind = change.callKind ?? outer?.callKind ?? null
    this.unattended = change.unattended ?? outer?.unattended ?? false
    this.tally = change.tally ?? outer?.tally ?? null
    const hasOwnPlace = change.place !== undefined
    this.operation = hasOwnPlace ? null : (change.operation ?? outer?.operation ?? null)
    this.#hasEnd = hasOwnPlace && Boolean(change.chat ?? outer?.operation) && change.place !== ''
    if (this.#hasEnd && !change.chat) outer!.operation?.places.push(change.place!)
    this.events = new EventSender(this, outer?.events ?? null, change)
  }

  /** A scope inside this one. */
  inner(change: ScopeChange): Scope {
    return newScope(this.services, this, change)
  }

  /** The scope of one call inside this one. */
  ofCall(place: string, { agent, journal, callKind }: Pick<ScopeChange, 'agent' | 'journal' | 'callKind'>): Scope {
    const change = { ...NO_CHANGE }
    change.place = place
    change.agent = agent
    change.journal = journal
    change.callKind = callKind
    return new Scope(this.services, this, change)
  }

  inside(spanId: string): Scope {
    return this.inner({ span: new ForeignSpan(spanId, this.events.span) })
  }

  heard(options: EventOptions | undefined): Scope {
    return newScope(heardServices(this.services, options), this, {})
  }

  get tellsRecalled(): boolean {
    return this.services.options?.recalled === true
  }

  get isRecorded(): boolean {
    return this.journal !== null
  }

  /** True if questions wait for their answers in the journal. */
  get waits(): boolean {
    return this.journal?.recorder.waits ?? false
  }

  /** True if a journal may have answers of an earlier run. */
  get recalls(): boolean {
    return this.journal?.recorder.recalls ?? false
  }

  /** True while this run repeats steps of an earlier one. */
  get isPast(): boolean {
    const { journal, places, outer } = this
    if (!journal) return false
    const { recorder } = journal
    if (recorder.isPast(places.place, places.next)) return true
    if (outer?.journal?.recorder !== recorder) return false
    // What was kept behind it was kept at the same time if both ran at once.
    return (this.#hasEnd ? recorder.hasEnded(places.place) : undefined) ?? outer.isPast
  }

  /** Notes in the journal that the chat of this scope has ended. */
  end(): void {
    this.journal?.recorder.end(this.places.place)
  }

  /** Notes in the journal that the operation of this scope has ended. */
  endOperation(): void {
    for (const place of this.operation?.places ?? []) this.journal?.recorder.end(place)
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

  get trace(): RunTrace | undefined {
    return this.services.trace
  }

  get tracesRequests(): boolean {
    return takesRequests(this.services.trace, this.services.options)
  }

  get skipsParts(): boolean {
    return this.services.skipsParts
  }

  newSpanId(): string {
    return this.places.takeSpan()
  }

  now(): number {
    return this.services.counter.now()
  }

  takes(type: XEvent['type']): boolean {
    return this.events.takes(type)
  }

  hears(type: XEvent['type']): boolean {
    return this.events.isHeard(type)
  }

  send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void> {
    return this.events.send(event, next, fail)
  }

  open(run: Run, call: ExternalCall): OpenCall | undefined {
    if (this.callKind) return undefined
    return this.services.open(this, run, { label: `a call of kind ${call.kind}`, ...call, closed: true })
  }
}

/** Makes a scope inside another one, or the outermost one of an operation. */
export const newScope = (services: RunServices, outer: Scope | null, change: ScopeChange): Scope =>
  new Scope(services, outer, Object.assign({ ...NO_CHANGE }, change))

/** Returns the scope of a run; every operation of an agent makes one. */
export const scopeIn = (run: Run): Scope => scopeOf(run) as Scope

/** Runs steps in a scope. */
export const inScope = <T>(scope: Scope, steps: Steps<T>): Steps<T> => within(scope, steps)

/** Services that all scopes of a run share. */
export interface RunServices {
  /** Event types that have a listener; null: all. */
  readonly types: ReadonlySet<string> | null
  /** True if a listener or the trace takes the starts and ends of spans. */
  readonly spans: boolean
  /** True if a listener takes them, and not the trace alone. */
  readonly hearsSpans: boolean
  /** True if the trace alone takes them, and does without those that are parts of others: turns of a chat, calls of models. */
  readonly skipsParts: boolean
  /** Follows the run beside its listeners; undefined: nobody does. */
  readonly trace: RunTrace | undefined
  /** True if events are printed on the console. */
  readonly prints: boolean
  /** Numbers the events, and has the identifier of the run. */
  readonly counter: EventCounter
  /** Content of the events. */
  readonly options: EventOptions | undefined
  /** Opens a call of something outside in a scope. */
  readonly open: (scope: RunScope, run: Run, call: RecordedCall & { readonly closed?: boolean }) => OpenCall
}

/** Returns the services of an operation with a listener of its own, who gets every event. */
const heardServices = (outer: RunServices, options: EventOptions | undefined): RunServices => ({
  ...outer,
  types: null,
  spans: true,
  hearsSpans: true,
  skipsParts: false,
  prints: false,
  options: options ?? outer.options,
})

/** The budget of a chat and everything inside it. */
export interface ChatBudget extends Budget {
  /** True once the budget has refused a call: the chat then ends with the reason `budget`. */
  readonly usedUp: boolean
}

/**
 * Counts the places in a scope: `1` for a chat, `1.3` for the fourth call inside it. A resumed chat assigns the same places
 * to the same steps.
 */
export class Places {
  readonly place: string
  /** Beginning of the identifiers of spans. */
  readonly spanPrefix: string
  next: number
  spans = 0
  /** Number of uses of each hook point since the last place was taken. */
  hooks: Partial<Record<HookName, number>> | null = null

  constructor(place: string, spanPrefix: string) {
    this.place = place
    this.spanPrefix = spanPrefix
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

  /** Takes the next identifier of a span that has no place. */
  takeSpan(): string {
    return this.span(this.spans++)
  }

  /** Returns the identifier of a span by its number. */
  span(number: number): string {
    return this.spanPrefix + this.at(`span${number}`)
  }

  /** Returns the place at an index in this scope. */
  at(index: number | string): string {
    return this.place === '' ? String(index) : `${this.place}.${index}`
  }
}

/** A span under way. Its start is held back if an earlier process may have sent it. */
export interface OpenSpan {
  readonly id: string
  readonly parent: OpenSpan | null
  /** True until its start is sent, if it is held back. */
  readonly isHeld: boolean
  /** Time of the start that was sent. */
  began?: number
  /** Sends the start that is held back, or waits until it is sent. */
  tell(): MaybePromise<void>
}

/** A span that another package has begun. */
class ForeignSpan implements OpenSpan {
  readonly id: string
  readonly parent: OpenSpan | null
  readonly isHeld = false

  constructor(id: string, parent: OpenSpan | null) {
    this.id = id
    this.parent = parent
  }

  tell(): undefined {
    return undefined
  }
}

/** Sends the starts that are held back of a span and of those around it, outermost first. */
export function tellStarts(span: OpenSpan | null): MaybePromise<void> {
  const held: OpenSpan[] = []
  for (let each = span; each; each = each.parent) if (each.isHeld) held.unshift(each)
  return held.length > 0 ? tellInOrder(held) : undefined
}

function tellInOrder([first, ...rest]: readonly OpenSpan[]): MaybePromise<void> {
  const sent = first?.tell()
  if (rest.length === 0) return sent
  return isThenable(sent) ? sent.then(() => tellInOrder(rest)) : tellInOrder(rest)
}

type EventPlace = Parameters<EventCounter['place']>[1]

/** The parts of a scope that an {@link EventSender} reads. */
interface SendingScope {
  readonly services: RunServices
  readonly chatId: string | null
  readonly places: Places
  readonly isRecorded: boolean
  readonly callKind: JournalKind | null
  /** True while this run repeats steps of an earlier one, which has sent their events. */
  readonly isPast: boolean
}

/** Sends the events of a scope with their envelope: the run, the chat, and the path of agents whose replies lead here. */
export class EventSender {
  readonly agentPath: readonly string[]
  /** True if events would be printed and the scope is silent: nothing is sent. */
  readonly isSilent: boolean
  /** The innermost open span. */
  span: OpenSpan | null
  readonly scope: SendingScope
  /** Cache of the paths: all events of an agent share one list. */
  paths: Map<string, readonly string[]> | undefined = undefined
  /** The sender whose cache this one shares: the outermost one of the same chat and path. */
  readonly pathOwner: EventSender

  constructor(
    scope: SendingScope,
    outer: EventSender | null,
    change: Pick<ScopeChange, 'agent' | 'chat' | 'silent' | 'span'>,
  ) {
    this.scope = scope
    this.pathOwner = outer && !change.agent && !change.chat ? outer.pathOwner : this
    this.agentPath = (change.agent ? outer?.pathTo(change.agent.name) : outer?.agentPath) ?? []
    this.isSilent = scope.services.prints && ((outer?.isSilent ?? false) || change.silent === true)
    this.span = change.span ?? outer?.span ?? null
  }

  /** True if a listener or the trace takes events of this type. */
  takes(type: XEvent['type']): boolean {
    return this.isHeard(type) || this.isTraced(type)
  }

  isTraced(type: XEvent['type']): boolean {
    return this.scope.services.trace?.takes.has(type) ?? false
  }

  /** True if a listener takes events of this type. */
  isHeard(type: XEvent['type'], isUnsilenced = false): boolean {
    const { types } = this.scope.services
    return (!this.isSilent || isUnsilenced) && (types === null || types.has(type))
  }

  /** Adds the envelope to an event, and sends it to `listener` unless an earlier process has sent it. */
  send(event: EventBody | XEvent, listener: Listener, fail?: (error: unknown) => void): MaybePromise<void> {
    const isUnsilenced = event.type === 'warning' && UNSILENCED_TOPICS.has(event.topic)
    const isHeard = this.isHeard(event.type, isUnsilenced)
    if (!isHeard && !this.isTraced(event.type)) return undefined
    if ('runId' in event && event.runId !== undefined) {
      const error = this.foreignEvent(event)
      if (!error) return isHeard ? listener(event) : undefined
      fail?.(error)
      throw error
    }
    if (!isHeard) return this.trace(event)
    const body = event.type === 'custom' ? this.customEvent(event) : event
    const { isRecorded, services } = this.scope
    const recalls = services.options?.recalled === true
    // The start of a span that goes on is told once by its span, which has held it back.
    if (!isRecorded || ('resumed' in body && !recalls)) return this.deliver(body, this.placeOf(body), listener)
    if (!this.scope.isPast) return this.sendBehindStarts(body, listener)
    return recalls ? this.deliver(recalledEvent(body), this.placeOf(body), listener) : undefined
  }

  /** Sends an event that nobody hears to the trace, which is told nothing of what an earlier process has done. */
  trace(event: EventBody): MaybePromise<void> {
    const { scope, span } = this
    const { counter, options, trace } = scope.services
    if (!trace?.takes.has(event.type)) return undefined
    if (scope.isRecorded && (options?.recalled || !('resumed' in event))) {
      if (scope.isPast) return this.retrace(event)
      if (span && hasHeldStart(span)) return this.sendBehindStarts(event, ignoreEvent)
    }
    const placed = counter.place(event, this.placeOf(event))
    const shaped = options ? shapeEvent(placed, options) : placed
    if (shaped) this.tellTrace(shaped)
  }

  /** Tells a trace that wants it what an earlier process has told already. */
  retrace(event: EventBody): MaybePromise<void> {
    const { options, trace } = this.scope.services
    if (options?.recalled && trace?.takesRecalled) {
      return this.deliver(recalledEvent(event), this.placeOf(event), ignoreEvent)
    }
  }

  /** Tells the trace of an event. An earlier process has traced those that are recalled, unless the trace wants them again. */
  tellTrace(event: XEvent): void {
    const { trace } = this.scope.services
    if (trace?.takes.has(event.type) && (!event.recalled || trace.takesRecalled)) trace.take(event)
  }

  /** Sends an event as the options of the run want it. */
  deliver(event: EventBody, place: EventPlace, next: Listener): MaybePromise<void> {
    const { counter, options } = this.scope.services
    const placed = counter.place(event, place)
    const shaped = options ? shapeEvent(placed, options) : placed
    if (!shaped) return undefined
    this.tellTrace(shaped)
    return next(shaped)
  }

  /** Returns where an event happens. */
  placeOf({ agent = null }: EventBody): EventPlace {
    return { chatId: this.scope.chatId, agentPath: this.pathOf(agent), parentId: this.span?.id ?? null }
  }

  /** Returns the path of an event: inside a call of its model, code or person an agent is the last of the path already. */
  pathOf(agent: string | null): readonly string[] | null {
    const { agentPath } = this
    if (agent === null || (this.scope.callKind && agentPath.at(-1) === agent)) {
      return agentPath.length > 0 ? agentPath : null
    }
    return this.pathTo(agent)
  }

  /** Returns the path of names to an agent: the agents whose replies lead to it, and the agent itself last. */
  pathTo(agent: string): readonly string[] {
    const { pathOwner } = this
    const known = pathOwner.paths?.get(agent)
    if (known) return known
    const path = Object.freeze([...this.agentPath, agent])
    pathOwner.paths ??= new Map()
    pathOwner.paths.set(agent, path)
    return path
  }

  /** Checks an event of the program's own. Without an agent, its path is that of the replying agents. */
  customEvent(event: Extract<EventBody, { type: 'custom' }>): EventBody {
    const { name, data = null, agent = null } = event
    const problem = typeof name !== 'string' || name === '' ? 'its `name` is no text' : notJson(data, ['data'])
    if (problem !== undefined) {
      throw new XError('invalid-argument', `cannot send the event \`${name}\`: ${problem}; give plain JSON`)
    }
    return { type: 'custom', agent, name, data }
  }

  /** Sends an event after the span starts that were held back: the spans of an earlier run continue here, as `resumed`. */
  sendBehindStarts(event: EventBody, next: Listener): MaybePromise<void> {
    // Most spans have no held start.
    if (!this.span || !hasHeldStart(this.span)) return this.deliver(event, this.placeOf(event), next)
    return this.sendBehind(tellStarts(this.span), event, next)
  }

  sendBehind(told: MaybePromise<void>, event: EventBody, next: Listener): MaybePromise<void> {
    const send = (): MaybePromise<void> => this.deliver(this.retimed(event), this.placeOf(event), next)
    return isThenable(told) ? told.then(send) : send()
  }

  /** Gives a span event the time at which it is sent: it was made before the held starts, which come before it. */
  retimed(event: EventBody): EventBody {
    const { span } = this
    if (!('time' in event) || !('id' in event) || span?.id !== event.id) return event
    const time = this.scope.services.counter.now()
    if (!('ms' in event)) span.began = time
    return Object.assign(event, { time }, 'ms' in event && span.began !== undefined && { ms: time - span.began })
  }

  /**
   * Returns the error for an event of a chat outside this run: somebody passed `emit` on without `run`. Such a chat counts
   * its places from `1` like an outermost chat, and the path to its agents does not begin with the path of this scope.
   */
  foreignEvent({ chatId, agentPath, agent }: XEvent): XError | undefined {
    // An event of this scope has the list from the cache.
    if (chatId === null || (agent !== null && agentPath === this.pathOwner.paths?.get(agent))) return undefined
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

/** The listener of events that the trace alone takes. */
const ignoreEvent = (): undefined => undefined

function hasHeldStart(span: OpenSpan): boolean {
  for (let each: OpenSpan | null = span; each; each = each.parent) if (each.isHeld) return true
  return false
}

const recalledEvent = (event: EventBody): EventBody => Object.assign({ ...event }, { recalled: true })
