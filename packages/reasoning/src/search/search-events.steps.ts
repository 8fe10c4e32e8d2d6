import type { EventBody, OpenCall, Run, RunScope, SearchUsage, XEvent } from '@x/interfaces'
import { currentRun, wait, type Steps } from '@x/kernel'
import { inSpan, needsAwait, partRun, scopeOf, type Span } from '@x/kernel/run'
import { nodesOf, type SearchJob } from '../strategy/job.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { TreeChange } from '../tree/tree.ts'
import type { JobProblem } from './job-problems.ts'
import type { SearchResult } from './search-options.ts'

/** Events of which the parents are spans of the search. */
const SPAN_TYPES: readonly XEvent['type'][] = [
  ...(['searchStart', 'searchEnd', 'searchJobStart', 'searchJobEnd'] as const),
  ...(['modelCallStart', 'modelCallEnd', 'modelAttemptStart', 'modelAttemptEnd'] as const),
]

/** Events of the trees. */
const TREE_TYPES: readonly XEvent['type'][] = ['searchNode', 'searchGrade', 'searchFate', 'searchBest']

/** The event of a change of a tree. */
export type TreeEvent = Extract<EventBody, { type: 'searchNode' | 'searchGrade' | 'searchFate' }>

/** The best candidate of a search so far. */
export interface BestCandidate {
  readonly node: ThinkNode | null
  readonly grade: number | null
  readonly text: string | null
}

/** The result of a search, as the end of its span tells it. */
export type ToldResult = Pick<SearchResult, 'answer' | 'status' | 'used'> & Partial<Pick<SearchResult, 'beliefs'>>

/** The facts of a search, as its span tells them. */
interface SearchFacts {
  readonly question: string
  /** True if an earlier process has begun the search. */
  readonly resumed?: boolean | undefined
  /** True if an earlier process has told the search to its end. */
  readonly recalled?: boolean | undefined
  /** The usage so far; it grows during the search. */
  readonly used: SearchUsage
}

/** The outcome of a job, as the end of its span tells it. */
export interface EndedJob {
  readonly used: SearchUsage
  readonly problem: JobProblem | null
  readonly replayed: boolean
}

/**
 * Tells what a search does. All events go through the run in which the search is called; what its jobs start has the span of
 * the job as its parent. Events that nobody takes are not made.
 */
export class SearchEvents {
  /** The scope of what the search starts; undefined outside of runs. */
  readonly inner: RunScope | undefined
  /** True if the events of the trees have a listener. */
  readonly tellsTrees: boolean
  readonly #agent: string | null
  readonly #id: string
  readonly #outer: RunScope | undefined
  readonly #run: Run
  /** The run whose events have the search as their parent; null without a listener. */
  readonly #inside: Run | null
  readonly #tellsSpans: boolean
  /** Ids of the spans of jobs: a second attempt has another id. */
  readonly #jobIds = new Set<string>()

  /** `scopes` are those of the caller and of the call of the search. */
  constructor(run: Run, agent: string | null, open: OpenCall | undefined, scopes: readonly (RunScope | undefined)[]) {
    const [outer, called = outer] = scopes
    this.#run = run
    this.#agent = agent
    this.#outer = outer
    this.#id = open?.spanId ?? outer?.newSpanId() ?? ''
    this.#tellsSpans = takesAny(outer, SPAN_TYPES)
    this.tellsTrees = takesAny(outer, TREE_TYPES)
    this.inner = this.#tellsSpans ? called?.inside(this.#id) : called
    const tells = this.#tellsSpans || this.tellsTrees || takesAny(outer, ['warning'])
    this.#inside = tells ? partRun(run, { scope: outer!.inside(this.#id) }).run : null
  }

  /** True if the listener wants again what an earlier process has told. */
  get tellsRecalled(): boolean {
    return this.#outer?.tellsRecalled ?? false
  }

  /** Runs the steps of the search as a span. */
  inSearch<T extends ToldResult>({ question, resumed, recalled, used }: SearchFacts, steps: Steps<T>): Steps<T> {
    if (!this.#tellsSpans) return steps
    const place = { id: this.#id, parentId: this.#outer!.spanId }
    const span: Span<T> = {
      ...place,
      common: { type: 'search', agent: this.#agent, ...(recalled && { recalled }) },
      atStart: { question, ...(resumed && { resumed }) },
      atEnd: (result) => ({
        status: result?.status ?? null,
        answer: result?.answer ?? null,
        used: { ...used },
        ...(result?.beliefs && { confidence: result.beliefs.confidence }),
      }),
      outcome: ({ status }) => (status === 'aborted' ? 'aborted' : 'ok'),
      now: () => this.#outer!.now(),
      send: (event) => this.#run.emit(event),
    }
    return inSpan(this.#run, span, steps)
  }

  /**
   * Runs the steps of a job as a span, with a part of `run` of its own; the steps return null if the search stops the job. A
   * job that an earlier process has told (`recalled`) is told again only to a listener that wants it.
   */
  inJob<T extends EndedJob>(
    job: SearchJob,
    { run, recalled }: { readonly run: Run; readonly recalled: boolean },
    ask: (run: Run) => Steps<T | null>,
  ): Steps<T | null> {
    if (!this.#tellsSpans || (recalled && !this.tellsRecalled)) return ask(run)
    let id = `${this.#id}.${job.id}`
    while (this.#jobIds.has(id)) id += '!'
    this.#jobIds.add(id)
    const { kind } = job
    const facts = { job: job.id, kind, ...(recalled && { recalled }) }
    const span: Span<T | null> = {
      id,
      parentId: this.#id,
      common: { type: 'searchJob', agent: this.#agent, ...facts },
      atEnd: (ended) => ({ nodes: nodesOf(job).map((node) => node.id), ...endOf(ended ?? null) }),
      outcome: (ended) => (!ended ? 'aborted' : ended.problem ? 'error' : 'ok'),
      now: () => this.#outer!.now(),
      send: (event) => this.#inside!.emit(event),
    }
    return inSpan(run, span, inPart(run, this.inner!.inside(id), ask))
  }

  /** Returns the event of a change of a tree. */
  eventOf({ type, node }: TreeChange): TreeEvent {
    const agent = this.#agent
    const { id, content, depth, grade, ratingDetails: details, fate } = node
    if (type === 'add') return { type: 'searchNode', agent, node: id, parent: node.parent?.id ?? null, content, depth }
    if (type === 'grade') return { type: 'searchGrade', agent, node: id, grade, details }
    return { type: 'searchFate', agent, node: id, fate }
  }

  /** Tells the best candidate. */
  best({ node, grade, text }: BestCandidate, recalled: boolean): Steps<void> {
    return this.send({ type: 'searchBest', agent: this.#agent, node: node?.id ?? null, text, grade }, recalled)
  }

  /** Sends a warning. */
  *warn(text: string): Steps<void> {
    if (this.#inside) yield* this.send({ type: 'warning', agent: this.#agent, text, topic: 'search' }, false)
  }

  /** Sends an event inside the search; `recalled` if an earlier process has sent it. */
  *send(event: EventBody, recalled: boolean): Steps<void> {
    const run = this.#inside!
    const sent = run.emit(recalled ? Object.assign(event, { recalled }) : event)
    if (needsAwait(run, sent)) yield* wait(sent, 'a listener')
  }
}

/** Tells a search again that an earlier process has told to its end, to a listener that wants it. */
export function* recallSearch(
  { agent, open }: { readonly agent: string; readonly open: OpenCall },
  { question, result }: { readonly question: string; readonly result: ToldResult },
): Steps<void> {
  const run = yield* currentRun()
  const events = new SearchEvents(run, agent, open, [scopeOf(run)])
  if (!events.tellsRecalled) return
  yield* events.inSearch({ question, recalled: true, used: result.used }, wait(result, 'a search'))
}

const takesAny = (scope: RunScope | undefined, types: readonly XEvent['type'][]): boolean =>
  scope !== undefined && types.some((type) => scope.takes(type))

const endOf = (ended: EndedJob | null): object => {
  const { used = null, problem = null, replayed = false } = ended ?? {}
  const error = problem && { code: problem.code, message: problem.message }
  return { used, failure: problem?.message ?? null, replayed, ...(error && { error }) }
}

/** Asks in a part of a run with another scope, which ends with the answer. */
function* inPart<T>(run: Run, scope: RunScope, ask: (run: Run) => Steps<T>): Steps<T> {
  const part = partRun(run, { scope })
  try {
    return yield* ask(part.run)
  } finally {
    part.end()
  }
}
