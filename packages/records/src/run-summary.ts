import type { CallInput, EmbedResponse, SearchUsage, SpanOutcome, XEvent } from '@x/interfaces'
import { platformNow } from './platform.ts'

/** The calls of one model for one agent on one day, and their cost. */
export interface ModelSpending {
  /** Day in UTC, such as `2026-01-31`. */
  readonly day: string
  readonly agent: string | null
  readonly model: string
  /** Requests that were sent. */
  readonly calls: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** US dollars; requests of unknown price count nothing. */
  readonly cost: number
  /** Requests of unknown price; absent for none, and for runs that an earlier release has recorded. */
  readonly unpriced?: number | undefined
}

/** The facts of a run that are known without its record. Times are in milliseconds since 1970. */
export interface RunSummary {
  /** Time of the first event. */
  readonly began: number
  /** Time of the last event. */
  readonly last: number
  /** The first message, or the beginning of it. */
  readonly title: string
  /** Names of the agents, in the order in which they came. */
  readonly agents: readonly string[]
  /**
   * How the outermost span ended, the worst end of several chats; null while one is under way, or after the process ended without
   * its end.
   */
  readonly outcome: SpanOutcome | null
  /** The error of that end. */
  readonly error: string | null
  /** Messages that were received. */
  readonly messages: number
  /** Calls of tools. */
  readonly tools: number
  readonly events: number
  readonly spent: readonly ModelSpending[]
  /** Why the run cannot be repeated; null if it can. */
  readonly problem: string | null
}

/** The addition of a part of a run to its summary. */
export type SummaryPart = Omit<RunSummary, 'outcome'> & {
  /** As of the run; undefined if the part has no outermost span that begins or ends. */
  readonly outcome?: RunSummary['outcome'] | undefined
}

/** The last time that a date can have, in milliseconds since 1970. */
const MAX_TIME_MS = 8.64e15

/** True for a time from 1970 on, in milliseconds. */
export const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= MAX_TIME_MS

/**
 * Returns an event with the time of now in place of one that is none, such as a clock of the program may give: it could not be
 * written, and neither could the runs beside it.
 */
export const withTime = (event: XEvent): XEvent => (isTime(event.time) ? event : { ...event, time: platformNow() })

/** Most agents that a summary names. */
const MAX_NAMED_AGENTS = 20
/** Most characters of a title. */
const MAX_TITLE_LENGTH = 200

/** Adds up the events of a run between two writes. */
export class SummaryCount {
  #sum: MutablePart | null = null
  #spent: MutableSpending[] = []
  #problem: string | null = null
  /** Ids of the outermost spans that have begun and not ended. */
  readonly #outermost = new Set<string>()
  /** The end of an outermost span that is the end of the run, unless another one follows. */
  #end: EndEvent | null = null
  /** Ids of questions to models whose attempts were counted. */
  readonly #attempted = new Set<string>()
  /** Ids of the jobs of a search that are under way. */
  readonly #jobs = new Set<string>()
  /** Jobs that parts perform, which are runs of their own. */
  readonly #performed = new Set<string>()
  /** The day of the last spending: most follow on the same day. */
  #day = { number: NaN, text: '' }
  readonly #redact: (text: string) => string

  /** Takes a function that returns a text as it is written. */
  constructor(redact = (text: string): string => text) {
    this.#redact = redact
  }

  /** Counts an event. */
  add(told: XEvent): void {
    const event = withTime(told)
    const { time, type } = event
    const sum = (this.#sum ??= { ...NOTHING, began: time, last: time })
    sum.events++
    if (time < sum.began) sum.began = time
    if (time > sum.last) sum.last = time
    if (type === 'chatStart') {
      sum.title ||= shortened(this.#redact(textOf(event.message)))
      sum.agents = joinAgents(sum.agents, [event.agent, event.recipient].map(this.#redact))
    }
    if (type === 'searchStart') sum.title ||= shortened(this.#redact(event.question))
    // An earlier process, or the run that this one was forked from, has counted what is recalled.
    if (event.recalled) return
    if (type === 'receivedMessage') sum.messages++
    else if (type === 'toolStart') sum.tools++
    else if (type === 'modelAttemptEnd') this.#spentBy(event)
    else if (type === 'modelCallEnd') this.#spentWithoutAttempt(event)
    else if (type === 'searchJobStart') this.#jobs.add(event.id)
    else if (type === 'searchJobEnd') this.#spentBySearch(event)
    if (event.parentId === null && 'id' in event) this.#noteOutermost(event, sum)
  }

  /** Takes what a part of the run is asked: one that performs a job of a search has a run of its own, which counts it. */
  addPart(asked: CallInput): void {
    const job = performedJob(asked)
    if (job !== undefined) this.#performed.add(job)
  }

  /** Counts the vectors in an answer that the run keeps: no event tells of them. */
  addAnswer(answer: unknown, time: number): void {
    if (typeof answer !== 'object' || answer === null || !('embeddings' in answer)) return
    const { embeddings, cachedCount, model, usage, cost, unpriced } = answer as EmbedResponse
    const paid = { agent: null, time, usage: { ...usage, completionTokens: 0 }, cost: unpriced ? null : cost }
    this.#spend(paid, model, cachedCount < embeddings.length ? 1 : 0)
  }

  /** Notes why the run cannot be repeated. */
  fail(reason: string): void {
    this.#problem ??= reason
  }

  /** Returns what was counted since the last call; null if there is nothing. */
  take(now: number): SummaryPart | null {
    const problem = this.#problem
    const spent = this.#spent
    const sum = this.#sum ?? (problem === null && spent.length === 0 ? null : partWithoutEvents(now))
    this.#sum = null
    this.#spent = []
    this.#problem = null
    return sum && { ...sum, spent, problem }
  }

  #spentBy(event: EventOf<'modelAttemptEnd'>): void {
    const { parentId, responseModel, model, sendings } = event
    if (parentId !== null) this.#attempted.add(parentId)
    this.#spend(event, responseModel ?? model, sendings)
  }

  /** A model of the program's own tells no attempts. */
  #spentWithoutAttempt(event: EventOf<'modelCallEnd'>): void {
    const { id, parentId, model, usage, cached } = event
    const isCounted = this.#attempted.delete(id)
    if (parentId !== null && this.#jobs.has(parentId) && (isCounted || usage)) this.#attempted.add(parentId)
    if (!isCounted && usage) this.#spend(event, model, cached ? 0 : 1)
  }

  /** A search on a model of the program's own tells no calls of it. */
  #spentBySearch(event: EventOf<'searchJobEnd'>): void {
    const { id, job, used, replayed, agent, time } = event
    this.#jobs.delete(id)
    if (this.#attempted.delete(id) || this.#performed.delete(job) || !used || replayed || used.cached) return
    this.#spend({ agent, time, usage: used, cost: used.cost }, used.model ?? null, used.calls)
  }

  #spend({ agent, time, usage, cost }: PaidEvent, model: string | null, calls: number): void {
    if (calls === 0) return
    const number = Math.floor(time / MS_PER_DAY)
    if (number !== this.#day.number) this.#day = { number, text: new Date(time).toISOString().slice(0, 10) }
    const day = this.#day.text
    const [by, name] = [agent === null ? null : this.#redact(agent), this.#redact(model ?? 'unknown')]
    const { promptTokens = 0, completionTokens = 0 } = usage ?? {}
    addSpending(this.#spent, {
      day,
      agent: by,
      model: name,
      calls,
      promptTokens,
      completionTokens,
      cost: cost ?? 0,
      // Without tokens there is no answer that could cost something.
      ...(usage && cost === null && { unpriced: calls }),
    })
  }

  /** The outermost spans of a run follow each other, or run at once as the chats of a queue do. */
  #noteOutermost(event: Extract<XEvent, { id: string }>, sum: MutablePart): void {
    if ('ms' in event) {
      this.#outermost.delete(event.id)
      // A chat that fails stops those beside it: its error is the cause. Attempts at an answer follow each other.
      const isBeside = event.type === 'chatEnd' && this.#end?.type === 'chatEnd'
      if (!isBeside || SEVERITY[event.outcome] > SEVERITY[this.#end!.outcome]) this.#end = event
    } else this.#outermost.add(event.id)
    const end = this.#outermost.size > 0 && this.#end?.outcome === 'ok' ? null : this.#end
    sum.outcome = end?.outcome ?? null
    sum.error = end?.error ? this.#redact(end.error.message) : null
  }
}

/**
 * Returns the job of a search that a part performs, from what the part is asked; undefined for other parts, also for one that
 * verifies an answer that was `written` before.
 */
export function performedJob({ input }: CallInput): string | undefined {
  const given = [input, ...Object.values(input ?? {})] as readonly ({ id?: unknown; written?: unknown } | null)[]
  const request = given.find((each) => each?.written === null && typeof each.id === 'string')
  return request?.id as string | undefined
}

/** Severity of the ends of chats: the highest is that of their run. */
const SEVERITY: Readonly<Record<SpanOutcome, number>> = { ok: 0, suspended: 1, aborted: 2, error: 3 }

type EndEvent = Extract<XEvent, { id: string; ms: number }>

/** The parts of an event that say what was paid. */
interface PaidEvent extends Pick<EventOf<'modelAttemptEnd'>, 'agent' | 'time' | 'cost'> {
  readonly usage: Pick<SearchUsage, 'promptTokens' | 'completionTokens'> | null
}

type MutablePart = { -readonly [K in keyof SummaryPart]: SummaryPart[K] }

const NOTHING: SummaryPart = {
  began: 0,
  last: 0,
  title: '',
  agents: [],
  error: null,
  messages: 0,
  tools: 0,
  events: 0,
  spent: [],
  problem: null,
}

/** Returns the summary of a part without events: one that has times is not taken for the oldest. */
export const partWithoutEvents = (now: number): SummaryPart => ({ ...NOTHING, began: now, last: now })

/** Adds a later summary to that of the same run so far. */
export function joinSummaries(before: RunSummary | null, later: SummaryPart): RunSummary {
  if (!before) return { ...later, outcome: later.outcome ?? null }
  return {
    // Earlier releases wrote no times for a beginning without events.
    began: Math.min(before.began || Infinity, later.began),
    last: Math.max(before.last, later.last),
    title: before.title || later.title,
    agents: joinAgents(before.agents, later.agents),
    outcome: later.outcome === undefined ? before.outcome : later.outcome,
    error: later.outcome === undefined ? before.error : later.error,
    messages: before.messages + later.messages,
    tools: before.tools + later.tools,
    events: before.events + later.events,
    spent: later.spent.length > 0 ? joinSpending(before.spent, later.spent) : before.spent,
    problem: before.problem ?? later.problem,
  }
}

/** Adds the names of agents to those that came before. */
function joinAgents(before: readonly string[], later: readonly string[]): readonly string[] {
  const added = later.filter((name) => !before.includes(name))
  return added.length > 0 ? [...before, ...added].slice(0, MAX_NAMED_AGENTS) : before
}

/** Adds up spending by day, agent and model. */
function joinSpending(before: readonly ModelSpending[], later: readonly ModelSpending[]): readonly ModelSpending[] {
  const sum = before.map((each) => ({ ...each }))
  for (const each of later) addSpending(sum, each)
  return sum
}

/** Adds spending to a sum, whose parts it changes. */
function addSpending(sum: MutableSpending[], later: ModelSpending): void {
  const known = sum.find(({ day, agent, model }) => day === later.day && agent === later.agent && model === later.model)
  if (!known) {
    sum.push({ ...later })
    return
  }
  known.calls += later.calls
  known.promptTokens += later.promptTokens
  known.completionTokens += later.completionTokens
  known.cost += later.cost
  if (later.unpriced !== undefined) known.unpriced = (known.unpriced ?? 0) + later.unpriced
}

type MutableSpending = { -readonly [K in keyof ModelSpending]: ModelSpending[K] }

type EventOf<T extends XEvent['type']> = Extract<XEvent, { type: T }>

const MS_PER_DAY = 86_400_000

/** Returns the text of a first message. */
function textOf(message: EventOf<'chatStart'>['message']): string {
  const content = typeof message === 'string' ? message : message?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => (part.type === 'text' ? part.text : '')).join(' ') : ''
}

/** Returns the beginning of a text as a title. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  return line.length > MAX_TITLE_LENGTH ? `${beginningOf(line, MAX_TITLE_LENGTH - 1)}…` : line
}

/** Returns at most so many characters of a text, and no half of one that takes two. */
export const beginningOf = (text: string, length: number): string => text.slice(0, length).replace(/\p{Cs}$/u, '')
