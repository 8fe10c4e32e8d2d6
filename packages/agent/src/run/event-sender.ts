import type {
  Agent,
  EventBody,
  EventOptions,
  JournalKind,
  Listener,
  MaybePromise,
  OpenCall,
  Run,
  RunScope,
  RunTrace,
  XEvent,
} from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { type EventCounter, shapeEvent } from '@x/kernel/run'
import { UNSILENCED_TOPICS } from '../console/console-io.ts'
import { notJson } from '../data/plain-json.ts'
import type { RecordedCall } from './recorder.ts'

/** Services that all scopes of a run share. */
export interface RunServices {
  /** Event types that have a listener; null: all. */
  readonly types: ReadonlySet<string> | null
  /** True if a listener or the trace takes the starts and ends of spans. */
  readonly spans: boolean
  /** True if a listener takes them, and not the trace alone. */
  readonly hearsSpans: boolean
  /** True if the trace alone takes them, and does without those that are parts of others: turns of a chat, calls of models. */
  readonly skipsParts: NonNullable<RunTrace['skipsParts']>
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
  /** The scope of another package in which the outermost operation of an agent was started; null for none. */
  readonly around: RunScope | null
}

/** Returns the services of an operation with a listener of its own, who gets every event. */
export const heardServices = (outer: RunServices, options: EventOptions | undefined): RunServices => ({
  ...outer,
  types: null,
  spans: true,
  hearsSpans: true,
  skipsParts: false,
  prints: false,
  options: options ?? outer.options,
})

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
export class ForeignSpan implements OpenSpan {
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
  readonly places: { readonly place: string }
  readonly isRecorded: boolean
  readonly callKind: JournalKind | null
  /** True while this run repeats steps of an earlier one, which has sent their events. */
  readonly isPast: boolean
}

/** The changes of an inner scope that an {@link EventSender} reads. */
interface SenderChange {
  readonly agent?: Agent | undefined
  readonly chat?: object | undefined
  readonly silent?: boolean | null | undefined
  readonly span?: OpenSpan | undefined
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

  constructor(scope: SendingScope, outer: EventSender | null, change: SenderChange) {
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
    if (!isRecorded || (isHeldBack(body) && !recalls)) return this.deliver(body, this.placeOf(body), listener)
    if (!this.scope.isPast) return this.sendBehindStarts(body, listener)
    return recalls ? this.deliver(recalledEvent(body), this.placeOf(body), listener) : undefined
  }

  /** Sends an event that nobody hears to the trace, which is told nothing of what an earlier process has done. */
  trace(event: EventBody): MaybePromise<void> {
    const { scope, span } = this
    const { counter, options, trace } = scope.services
    if (!trace?.takes.has(event.type)) return undefined
    if (scope.isRecorded && (options?.recalled || !isHeldBack(event))) {
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

  /** Apart from {@link sendBehindStarts}, so that most events make no closure. */
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

/** True for the start of a span that goes on, which is told once by its span. A search does not know whether it has ended. */
const isHeldBack = (event: EventBody): boolean => 'resumed' in event && event.type !== 'searchStart'

/** The listener of events that the trace alone takes. */
const ignoreEvent = (): undefined => undefined

function hasHeldStart(span: OpenSpan): boolean {
  for (let each: OpenSpan | null = span; each; each = each.parent) if (each.isHeld) return true
  return false
}

const recalledEvent = (event: EventBody): EventBody => Object.assign({ ...event }, { recalled: true })
