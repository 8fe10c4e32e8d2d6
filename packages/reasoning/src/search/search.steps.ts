import type { OpenCall, SearchEvent, SearchStatus } from '@x/interfaces'
import { face, isXError, pool, wait, XError, type Steps } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import { SearchLedger } from './budget.ts'
import { platformClock } from './clock.ts'
import type { SearchJob, JobRecord } from '../strategy/job.ts'
import { beam } from '../methods/beam.ts'
import { perform } from './perform.ts'
import { seededRandom } from '../strategy/random.ts'
import type { JobFailure, SearchParts, SearchResult } from './search-options.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { toTreeEvent } from './tree-event.ts'

/** Thrown inside the pool to stop the jobs in flight; caught by `searchSteps`. */
const STOP: unique symbol = Symbol('stop')

const DEFAULT_CONCURRENCY = 64

/** Converts an event of a search into an event of the caller; `undefined` drops it. */
type ToCallerEvent<E> = (event: SearchEvent) => E | undefined

function* send<E extends { readonly type: string }>(as: ToCallerEvent<E>, event: SearchEvent): Steps<void, E> {
  const made = as(event)
  if (made) yield made
}

/**
 * Runs a search: performs the jobs of a strategy, as many at once as the run and `concurrency` allow, and tells it the
 * outcomes, until it has an answer, a budget is used up or `signal` fires. `as` converts its events into those of the
 * caller.
 */
export function* searchSteps<E extends { readonly type: string }>(
  question: string,
  parts: SearchParts & { signal?: AbortSignal | undefined },
  as: ToCallerEvent<E>,
): Steps<SearchResult, E> {
  if (parts.concurrency !== undefined && !(parts.concurrency >= 1)) {
    throw new XError('invalid-argument', `a search has \`concurrency: ${parts.concurrency}\`: give at least 1`)
  }
  const search = new Search(question, parts)
  const { face: runFace } = yield* face()
  search.serial = runFace === 'sync' || parts.concurrency === 1
  yield* send(as, { type: 'searchStart', question })
  yield* search.changes(as)
  const { concurrency = DEFAULT_CONCURRENCY } = parts
  const clock = parts.clock ?? platformClock()
  const start = clock.now()
  const { searchMs, allMs } = search.ledger
  const left = (): number => (search.concluded ? allMs : searchMs) - (clock.now() - start)
  search.timeUp = () => left() <= 0
  do {
    const stop = new AbortController()
    const takeBack = Number.isFinite(left()) && runFace !== 'sync' ? clock.after(left(), () => stop.abort()) : undefined
    search.stop = parts.signal ? AbortSignal.any([parts.signal, stop.signal]) : stop.signal
    try {
      yield* pool(() => search.nextJob(as), concurrency)
    } catch (error) {
      if (error !== STOP) throw error
    } finally {
      takeBack?.()
    }
    yield* search.changes(as)
  } while (search.concludes())
  const result = search.result
  yield* send(as, { type: 'searchEnd', status: result.status, answer: result.answer, used: result.used })
  return result
}

/** The state of one run of a search. */
class Search {
  readonly ledger: SearchLedger
  readonly #question: string
  readonly #parts: SearchParts & { signal?: AbortSignal | undefined }
  readonly #strategy: Strategy
  readonly #started = new Set<string>()
  readonly #failures: JobFailure[] = []
  #running = 0
  /** Set when a budget is used up: the jobs in flight finish, then the strategy concludes. */
  #full = false
  #lastBest: string | null = null
  concluded = false
  serial = false
  timeUp: () => boolean = () => false
  stop: AbortSignal | undefined

  constructor(question: string, parts: SearchParts & { signal?: AbortSignal | undefined }) {
    this.#question = question
    this.#parts = parts
    this.ledger = new SearchLedger(parts.budget ?? {})
    const random = parts.random ?? seededRandom()
    this.#strategy = (parts.method ?? beam())({
      question,
      id: '',
      sample: 0,
      stride: 1,
      random,
      verified: parts.verifier !== undefined,
    })
  }

  /** Makes the strategy ask only for its answer once a budget is used up; false when there is nothing left to do. */
  concludes(): boolean {
    this.#full ||= this.timeUp()
    const { answer } = this.#strategy
    if (!this.#full || this.concluded || answer || this.#aborted) return false
    this.concluded = true
    this.#strategy.conclude?.()
    return this.#strategy.conclude !== undefined
  }

  get #aborted(): boolean {
    return this.#parts.signal?.aborted ?? false
  }

  nextJob<E extends { readonly type: string }>(as: ToCallerEvent<E>): Steps<void, E> | undefined {
    if (this.#strategy.answer || this.stop?.aborted) return undefined
    if (this.timeUp() || (this.#full && !this.concluded)) return undefined
    const job = this.#pick()
    if (!job) return undefined
    if (!this.#affords(job)) {
      this.#full = true
      return undefined
    }
    this.#started.add(job.id)
    this.#running += 1
    return this.#jobSteps(job, as)
  }

  /** The next job of the serial order; in a concurrent search the first job of the lowest level. */
  #pick(): SearchJob | undefined {
    const open = this.#strategy.ask().filter(({ id }) => !this.#started.has(id))
    if (this.serial) return open[0]
    let next = open[0]
    for (const job of open) if (job.level < next!.level) next = job
    return next
  }

  /** The record of a job from an earlier run; a journal of another method may use its id for another job. */
  #storedRecord(job: SearchJob): JobRecord | undefined {
    const record = this.#parts.journal?.get(job.id)
    const outcome = record?.outcome
    if (outcome?.kind !== job.kind) return undefined
    return job.kind === 'grade' && outcome.kind === 'grade' && outcome.grades.length !== job.nodes.length
      ? undefined
      : record
  }

  #affords(job: SearchJob): boolean {
    if (this.#storedRecord(job)) return true
    const { reserve = 0, trees } = this.#strategy
    const size = trees.reduce((sum, tree) => sum + tree.size, 0)
    if (job.kind === 'expand' && !this.ledger.allowsNodes(size)) return false
    return this.ledger.allows(this.concluded || job.kind === 'answer' || job.kind === 'merge' ? 0 : reserve)
  }

  *#jobSteps<E extends { readonly type: string }>(job: SearchJob, as: ToCallerEvent<E>): Steps<void, E> {
    const { id, kind } = job
    const { journal } = this.#parts
    yield* send(as, { type: 'jobStart', job: id, kind })
    const replayed = this.#storedRecord(job)
    const record = replayed ?? (yield* this.#recordSteps(job))
    // A failed job is not stored: the run that continues asks again.
    if (!replayed && record.outcome.kind !== 'failed') yield* wait(journal?.set(id, record), 'the journal of a search')
    if (replayed) {
      this.ledger.begin()
      this.ledger.end(record.used)
    }
    this.#running -= 1
    const { outcome, used } = record
    const failure = outcome.kind === 'failed' ? outcome.message : null
    if (outcome.kind === 'failed') this.#failures.push({ job: id, code: outcome.code, message: outcome.message })
    this.#strategy.tell(job, outcome)
    yield* send(as, { type: 'jobEnd', job: id, kind, used, failure, replayed: replayed !== undefined })
    yield* this.changes(as)
    if (this.#strategy.answer && this.#running > 0) throw STOP
  }

  /** Performs a job; an error of a part fails the job and not the search. */
  *#recordSteps(job: SearchJob): Steps<JobRecord, never> {
    const run = yield* face()
    this.ledger.begin()
    let ended = false
    try {
      const made = perform(job, this.#question, this.#parts, run)
      const record = yield* wait(run.face === 'sync' ? made : abortable(Promise.resolve(made), this.stop), job.kind)
      ended = true
      this.ledger.end(record.used)
      return record
    } catch (error) {
      if (this.stop?.aborted) throw STOP
      ended = true
      const used = { calls: 1, promptTokens: 0, completionTokens: 0, cost: 0 }
      this.ledger.end(used)
      if (isXError(error, 'budget-exceeded')) this.#full = true
      return { outcome: { kind: 'failed', ...describeError(error) }, used }
    } finally {
      if (!ended) this.ledger.drop()
    }
  }

  /** Sends the changes of the trees, and the best candidate when it has changed. */
  *changes<E extends { readonly type: string }>(as: ToCallerEvent<E>): Steps<void, E> {
    for (const tree of this.#strategy.trees)
      for (const change of tree.takeChanges()) yield* send(as, toTreeEvent(change))
    const { node, text } = this.#strategy.best()
    const best = `${node?.id}/${node?.grade}/${text}`
    if (best === this.#lastBest) return
    this.#lastBest = best
    yield* send(as, { type: 'bestChange', node: node?.id ?? null, text, grade: node?.grade ?? null })
  }

  get result(): SearchResult {
    const best = this.#strategy.answer ?? this.#strategy.best()
    const { node, verdict } = best
    const step = node?.parent ? node.content : null
    const answer = best.text ?? step
    return {
      answer,
      status: this.#status,
      reason: best.text === null ? this.#reason : null,
      verdict,
      node,
      trees: this.#strategy.trees.map((tree) => tree.root),
      used: this.ledger.used,
      failures: this.#failures,
    }
  }

  get #status(): SearchStatus {
    const { answer } = this.#strategy
    if (answer?.verdict?.accepted) return 'verified'
    if (this.#aborted && !answer) return 'aborted'
    if (this.#full) return 'budget'
    return answer?.accepted ? 'accepted' : 'exhausted'
  }

  get #reason(): string {
    if (this.#aborted) return 'the search was stopped before an answer was written'
    const [first] = this.#failures
    const more = this.#failures.length > 1 ? ` (and ${this.#failures.length - 1} further calls failed)` : ''
    if (first) return `${first.message}${more}`
    return this.#full ? 'the budget was used up before an answer was written' : 'nothing was left to try'
  }
}

function describeError(error: unknown): { code: string; message: string } {
  if (isXError(error)) return { code: error.code, message: error.message }
  return { code: 'failed', message: error instanceof Error ? error.message : String(error) }
}

/** Runs a search and ends the call of its run, if it is one. */
export function* untilEnd(
  steps: Steps<SearchResult, SearchEvent>,
  open: OpenCall | undefined,
): Steps<SearchResult, SearchEvent> {
  try {
    return yield* steps
  } finally {
    open?.end()
  }
}
