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
  SteeringSource,
  UsageSummary,
  XEvent,
} from '@x/interfaces'
import { isThenable, type Steps } from '@x/kernel'
import { reserveInBoth } from '@x/kernel/limits'
import { scopeOf, tellsAll, within } from '@x/kernel/run'
import type { Chat } from '../memory/state.ts'
import { addSummaries } from '../memory/usage.ts'
import type { AddedToReply, RunToolError } from '../options/operations.ts'
import { EventSender, ForeignSpan, heardServices, type OpenSpan, type RunServices } from './event-sender.ts'
import { type ModelUse, noteUse, partOf, type ScopeJournal } from './recorder.ts'

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
  readonly operation?: ProgramOperation | undefined
  /** True if nobody is there to answer a question: it waits in the journal. */
  readonly unattended?: boolean | undefined
  /** Adds up what the answers inside used. */
  readonly tally?: UsageTally | undefined
  /** Messages for the run under way. */
  readonly steering?: SteeringSource | undefined
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
  steering: undefined,
}

/** A call of a tool that failed, as the result of a run tells it. */
export interface FailedCall {
  /** The result as the model reads it. */
  readonly text: string
  readonly error: RunToolError
}

/** Adds up what the answers inside a `run` used, those of agents in its tools included, and notes its calls that failed. */
export class UsageTally {
  /** The calls of this run that failed, by their identifiers, which models may use again; empty for a call without one. */
  failures: Map<string, FailedCall[]> | undefined
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

  /** Notes a call that failed. */
  noteFailure(callId: string | null, failed: FailedCall): void {
    const key = callId ?? ''
    const failures = (this.failures ??= new Map<string, FailedCall[]>())
    const known = failures.get(key)
    if (known) known.push(failed)
    else failures.set(key, [failed])
  }

  /** The sum so far. */
  get sum(): UsageSummary {
    return addSummaries(this.#used)
  }
}

/** An operation that a program has started with a `run`. Several of them may run at once, at places of one scope. */
interface ProgramOperation {
  /** Places of the operation without its chats, which tell their end themselves. */
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
  /** Messages for the run under way and those around it, outermost first; null: nobody steers them. */
  readonly steering: readonly SteeringSource[] | null
  readonly outer: Scope | null
  /** The operation, in the scopes that share the places of the scope in which it was started; null in inner ones. */
  readonly operation: ProgramOperation | null
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
    const steering = outer?.steering ?? null
    this.steering = change.steering ? [...(steering ?? []), change.steering] : steering
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
    return this.journal?.recorder.goesOn ?? false
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
    return this.chat?.cache ?? this.services.around?.cache ?? null
  }

  get spanId(): string | null {
    return this.events.span?.id ?? null
  }

  get trace(): RunTrace | undefined {
    return this.services.trace
  }

  get tracesRequests(): boolean {
    return this.services.trace?.takeRequest !== undefined && tellsAll(this.services.options)
  }

  get skipsParts(): NonNullable<RunTrace['skipsParts']> {
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

  part(run: Run, name: string): ReturnType<OpenCall['part']> | undefined {
    const { outer, places } = this
    if (!this.callKind || !outer) return undefined
    if (outer.callKind) return outer.part(run, name)
    return outer.journal ? partOf(outer.journal, run, places.place, name) : undefined
  }

  countUsage(used: ModelUse): void {
    this.tally?.add(used.actual)
    const journal = journalAround(this)
    if (journal) noteUse(journal.participants, null, used)
  }
}

/** The journal around the call, if any, that it keeps as a whole: what it keeps further out has the usage inside that call. */
const journalAround = ({ callKind, journal, outer }: Scope): ScopeJournal | null =>
  callKind && outer ? journalAround(outer) : journal

/** Makes a scope inside another one, or the outermost one of an operation. */
export const newScope = (services: RunServices, outer: Scope | null, change: ScopeChange): Scope =>
  new Scope(services, outer, Object.assign({ ...NO_CHANGE }, change))

/** Returns the scope of a run; every operation of an agent makes one. */
export const scopeIn = (run: Run): Scope => scopeOf(run) as Scope

/** Runs steps in a scope. */
export const inScope = <T>(scope: Scope, steps: Steps<T>): Steps<T> => within(scope, steps)

/** The budget of a chat and everything inside it. */
export interface ChatBudget extends Budget {
  /** True once the budget has refused a call: the chat then ends with the reason `budget`. */
  readonly usedUp: boolean
}

/** Combines the budget of a chat with the one around it: a call must fit into both and counts in both. Null without a budget. */
export function chatBudget(outer: ChatBudget | null, own: Budget | null | undefined): ChatBudget | null {
  if (!own) return outer
  let usedUp = false
  return {
    get spent() {
      return own.spent
    },
    get usedUp() {
      return usedUp
    },
    reserve(estimate, options) {
      const refuse = (error: unknown): never => {
        usedUp ||= !options?.waiter?.waiting
        throw error
      }
      try {
        const reserving = outer ? reserveInBoth([outer, own], estimate, options) : own.reserve(estimate, options)
        return isThenable(reserving) ? reserving.then(undefined, refuse) : reserving
      } catch (error) {
        return refuse(error)
      }
    },
  }
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
