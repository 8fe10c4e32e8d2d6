import type {
  Agent,
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
import { isThenable, XError, type Steps } from '@x/kernel'
import { scopeOf, within } from '@x/kernel/run'
import type { ActiveChat } from '../memory/state.ts'
import type { AddedToReply } from '../options/operations.ts'
import type { ChatBudget } from './chat-budget.ts'
import { type Participants, participantsIn, type RecordedCall, type Recorder } from './recorder.ts'

/** The means that all scopes of a run share. */
export interface RunServices {
  /** Types of events that somebody listens to; null: all. */
  readonly types: ReadonlySet<string> | null
  /** Whether the start and end of anything are listened to. */
  readonly spans: boolean
  /** Whether what is sent is printed on the console. */
  readonly prints: boolean
  readonly now: () => number
  /** Names a run without a journal. */
  readonly runId: () => string
  /** Takes a place for a call of something outside. */
  readonly open: (scope: Scope, run: Run, call: RecordedCall & { readonly closed?: boolean }) => OpenCall
}

/** A span that is under way: its start is sent when it is known that it was not sent before. */
export interface OpenSpan {
  readonly id: string
  readonly parent: OpenSpan | null
  /** The start, until it is sent. */
  start: XEvent | null
}

/** Differences of a scope inside another. */
interface ScopeChange {
  readonly place?: string | undefined
  readonly chatId?: string | undefined
  /** The agent in whose reply it happens. */
  readonly agent?: Agent | undefined
  readonly budget?: ChatBudget | null | undefined
  readonly chat?: ActiveChat | undefined
  readonly participants?: Participants | null | undefined
  readonly recorder?: Recorder | null | undefined
  /** The kind of call that nothing is kept inside of, since it is kept as a whole. */
  readonly callKind?: JournalKind | undefined
  readonly streams?: boolean | undefined
  readonly silent?: boolean | null | undefined
  readonly variables?: SharedVariables | undefined
  readonly added?: AddedToReply | undefined
}

/** Chat, path, budget, journal and places, as a chat hands them down to everything in it. */
export class Scope implements RunScope {
  readonly means: RunServices
  readonly chatId: string | null
  readonly agentPath: readonly string[]
  readonly budget: ChatBudget | null
  /** The chat itself; a run outside of chats has none. */
  readonly chat: ActiveChat | null
  /** How many chats it is inside of. */
  readonly depth: number
  /** Place in the run: `1` for a chat, `1.3` for what came third in it. */
  readonly place: string
  /** Where answers are kept and recalled; null: nowhere. */
  readonly recorder: Recorder | null
  /** Whether a stream of events is read: models then answer piece by piece, inside tools too. */
  readonly streams: boolean
  /** Whether nothing is sent, since it would be printed. */
  readonly silent: boolean
  /** The agents that take part, if there is a journal. */
  readonly participants: Participants | null
  /** Counts what began here, so that each has a place of its own: the same one in every run of the chat. */
  readonly counts: { next: number; spans: number; hooks: Partial<Record<HookName, number>> | null }
  readonly callKind: JournalKind | null
  /** The context variables that tools and hooks are given; null: none. */
  readonly variables: SharedVariables | null
  /** What is added to the reply of an agent. */
  readonly added: AddedToReply | null
  readonly #outer: Scope | null
  #paths: Map<string, readonly string[]> | undefined
  /** What is under way around the next event. */
  span: OpenSpan | null

  constructor(means: RunServices, outer: Scope | null, change: ScopeChange) {
    this.means = means
    this.chatId = change.chatId ?? outer?.chatId ?? null
    this.agentPath = (change.agent ? outer?.pathTo(change.agent.name) : outer?.agentPath) ?? []
    this.budget = change.budget === undefined ? (outer?.budget ?? null) : change.budget
    this.chat = change.chat ?? outer?.chat ?? null
    this.depth = (outer?.depth ?? 0) + (change.chat ? 1 : 0)
    this.place = change.place ?? outer?.place ?? ''
    this.recorder = change.recorder === undefined ? (outer?.recorder ?? null) : change.recorder
    this.streams = change.streams ?? outer?.streams ?? false
    this.silent = means.prints && ((outer?.silent ?? false) || change.silent === true)
    this.participants = change.participants === undefined ? (outer?.participants ?? null) : change.participants
    if (change.callKind) {
      this.recorder = null
      this.participants = null
    }
    this.counts =
      change.place === undefined && outer ? outer.counts : { next: this.place === '' ? 1 : 0, spans: 0, hooks: null }
    this.callKind = change.callKind ?? outer?.callKind ?? null
    this.variables = change.variables ?? outer?.variables ?? null
    this.added = change.added ?? outer?.added ?? null
    this.#outer = outer
    this.span = outer?.span ?? null
  }

  /** A scope inside this one. */
  inner(change: ScopeChange): Scope {
    return new Scope(this.means, this, change)
  }

  /** The scope of a run whose answers are kept elsewhere than those around it: its places count from the beginning. */
  recordedRun(recorder: Recorder | null, length: number, budget: ChatBudget | null): Scope {
    return this.inner({ place: '', recorder, participants: recorder && participantsIn(null, length), budget })
  }

  get spanId(): string | null {
    return this.span?.id ?? null
  }

  newSpanId(): string {
    return this.spanIdAt(this.counts.spans++)
  }

  spanIdAt(index: number): string {
    return this.placeAt(`span${index}`)
  }

  get cache(): CacheStore | null {
    return this.chat?.cache ?? null
  }

  /** Takes the place of what begins next. */
  nextPlace(): string {
    this.counts.hooks = null
    return this.placeAt(this.counts.next++)
  }

  /** The place of what begins next, without taking it. */
  get upcomingPlace(): string {
    return this.placeAt(this.counts.next)
  }

  placeAt(index: number | string): string {
    return this.place === '' ? String(index) : `${this.place}.${index}`
  }

  takes(type: XEvent['type']): boolean {
    return !this.silent && (this.means.types === null || this.means.types.has(type))
  }

  now(): number {
    return this.means.now()
  }

  /** Whether an earlier run has come further than this one here: its events were sent then. */
  get isPast(): boolean {
    const { recorder } = this
    if (!recorder) return false
    if (recorder.isPast(this.place, this.counts.next)) return true
    return this.#outer?.recorder === recorder && this.#outer.isPast
  }

  open(run: Run, call: ExternalCall): OpenCall | undefined {
    if (this.callKind) return undefined
    return this.means.open(this, run, { label: `a call of kind ${call.kind}`, ...call, closed: true })
  }

  /** Sends an event with its origin; what an earlier run has sent is not sent again. */
  send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void> {
    if (!this.takes(event.type)) return undefined
    if ('chatId' in event) {
      const foreign = this.#foreign(event)
      if (!foreign) return next(event)
      fail?.(foreign)
      throw foreign
    }
    if (!this.recorder) return next(this.stamped(event))
    return this.isPast ? undefined : this.#sendBehindStarts(this.stamped(event), next)
  }

  /** An event with its origin. */
  stamped(event: EventBody): XEvent {
    return { ...event, chatId: this.chatId, agentPath: this.pathTo(event.agent) }
  }

  origin(agent: string | null): EventOrigin | undefined {
    return this.recorder ? undefined : { chatId: this.chatId, agentPath: this.pathTo(agent) }
  }

  /** The names of the agents in whose reply something of an agent happens, its own last; one list for all its events. */
  pathTo(agent: string | null): readonly string[] | null {
    if (agent === null) return this.agentPath.length > 0 ? this.agentPath : null
    const known = this.#paths?.get(agent)
    if (known) return known
    const path = Object.freeze([...this.agentPath, agent])
    this.#paths ??= new Map()
    this.#paths.set(agent, path)
    return path
  }

  /** Starts of spans that were held back go first: an earlier run has sent them, and this one goes on with them. */
  #sendBehindStarts(event: XEvent, next: Listener): MaybePromise<void> {
    const starts: XEvent[] = []
    // The innermost may be one whose own start this is.
    for (let { span } = this; span; span = span.parent) {
      if (!span.start) continue
      starts.unshift({ ...span.start, resumed: true } as XEvent)
      span.start = null
    }
    if (starts.length === 0) return next(event)
    return inOrder([...starts, event], next)
  }

  /**
   * An event of a chat that is not part of this run means that somebody passed `emit` on without `run`. Such a chat counts
   * from `1` like the outermost one; its agents do not answer inside a reply of this one.
   */
  #foreign({ chatId, agentPath, agent }: XEvent): XError | undefined {
    // An own event bears the very list that is kept for its agent.
    if (chatId === null || (agent !== null && agentPath === this.#paths?.get(agent))) return undefined
    if (chatId.startsWith(`${this.place}.`)) return undefined
    if (chatId === this.chatId && this.agentPath.every((name, depth) => agentPath?.[depth] === name)) return undefined
    return new XError(
      'invalid-argument',
      `events of a chat \`${chatId}\` that is not part of the run were sent to its \`emit\`: pass \`{ run }\` to what starts that chat`,
      { details: { chatId } },
    )
  }
}

/** Sends events one after the other. */
function inOrder([first, ...rest]: readonly XEvent[], next: Listener): MaybePromise<void> {
  if (!first) return undefined
  const sent = next(first)
  return isThenable(sent) ? sent.then(() => inOrder(rest, next)) : inOrder(rest, next)
}

/** The scope of a run; every operation of an agent makes one. */
export const scopeIn = (run: Run): Scope => scopeOf(run) as Scope

/** Runs steps in a scope of their own. */
export const inScope = <T>(scope: Scope, steps: Steps<T>): Steps<T> => within(scope, steps)
