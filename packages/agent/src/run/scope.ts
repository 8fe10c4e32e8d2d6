import type {
  Agent,
  CacheStore,
  EventBody,
  EventOrigin,
  ExternalCall,
  JournalKind,
  Listener,
  MaybePromise,
  OpenCall,
  Run,
  RunScope,
  SharedVariables,
  XEvent,
} from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { scopeOf, within } from '@x/kernel/run'
import type { Chat } from '../memory/state.ts'
import type { AddedToReply } from '../options/operations.ts'
import type { ScopeJournal } from './recorder.ts'
import { type ChatBudget, EventSender, Places, type RunServices } from './scope-members.ts'

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
