import type { OpenCall, SearchEvent, SearchStatus } from '@x/interfaces'
import { currentRun, isXError, pool, wait, type Steps } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import { beam } from '../methods/beam.ts'
import { nodesOf, type JobOutcome, type JobRecord, type SearchJob } from '../strategy/job.ts'
import { checkedRandom, seededRandom } from '../strategy/random.ts'
import type { Candidate, Strategy } from '../strategy/strategy.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { TreeChange } from '../tree/tree.ts'
import { SearchLedger } from './budget.ts'
import { checkStrategy } from './check-search.ts'
import { Fingerprints } from './fingerprints.ts'
import { combineOutcomes, FailedCalls, followUp, problemOf } from './job-problems.ts'
import { JobQueue } from './job-queue.ts'
import { performAnywhere, verifyAnywhere } from './perform-elsewhere.ts'
import type { Clock, JobFailure, SearchParts, SearchResult } from './search-options.ts'

/** Thrown inside the pool to stop the jobs in flight; caught by `searchSteps`. */
const STOP_SIGNAL: unique symbol = Symbol('stop')

const DEFAULT_CONCURRENCY = 64

/** Converts an event of a search into an event of the caller; `undefined` drops it. */
type ToCallerEvent<E> = (event: SearchEvent) => E | undefined

function* send<E extends { readonly type: string }>(as: ToCallerEvent<E>, event: SearchEvent): Steps<void, E> {
  const converted = as(event)
  if (converted) yield converted
}

/**
 * Runs a search: performs the jobs of a strategy, as many at once as the run and `concurrency` allow, and tells the strategy
 * the outcomes, until it has an answer, a budget is used up or `signal` fires. `as` converts the events of the search into
 * those of the caller.
 */
export function* searchSteps<E extends { readonly type: string }>(
  question: string,
  parts: SearchParts & { signal?: AbortSignal | undefined },
  as: ToCallerEvent<E>,
): Steps<SearchResult, E> {
  const search = new Search(question, parts)
  const { face: runFace } = yield* currentRun()
  search.queue.isSerial = runFace === 'sync' || parts.concurrency === 1
  yield* send(as, { type: 'searchStart', question })
  yield* search.changes(as)
  const { concurrency = DEFAULT_CONCURRENCY } = parts
  const clock = parts.clock ?? platformClock()
  const start = clock.now()
  const { searchMs, allMs } = search.ledger
  const remainingMs = (): number => (search.concluded ? allMs : searchMs) - (clock.now() - start)
  search.timeUp = () => remainingMs() <= 0
  search.isLate = () => clock.now() - start >= allMs
  do {
    const stop = new AbortController()
    const cancelTimer =
      Number.isFinite(remainingMs()) && runFace !== 'sync' ? clock.after(remainingMs(), () => stop.abort()) : undefined
    search.stop = parts.signal ? AbortSignal.any([parts.signal, stop.signal]) : stop.signal
    try {
      yield* pool(() => search.nextJob(as), concurrency)
    } catch (error) {
      if (error !== STOP_SIGNAL) throw error
    } finally {
      cancelTimer?.()
    }
    yield* search.changes(as)
  } while (search.concludes())
  yield* search.warnOfFailures(as)
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
  readonly queue: JobQueue
  readonly #failures: JobFailure[] = []
  readonly #failedCalls = new FailedCalls()
  readonly #warnings = new Set<string>()
  readonly #fingerprints: Fingerprints
  #running = 0
  /** True once a budget is used up: the jobs in flight finish, then the strategy concludes. */
  #full = false
  /** True once the budget of the run or of the model is used up: no job starts any more. */
  #spent = false
  #lastBest: { node: ThinkNode | null; grade: number | null; text: string | null } | null = null
  concluded = false
  timeUp: () => boolean = () => false
  /** True once the time for the answer is over too. */
  isLate: () => boolean = () => false
  stop: AbortSignal | undefined

  constructor(question: string, parts: SearchParts & { signal?: AbortSignal | undefined }) {
    this.#question = question
    this.#parts = parts
    this.ledger = new SearchLedger(parts.budget ?? {})
    this.#fingerprints = new Fingerprints(parts)
    const random = checkedRandom(parts.random ?? seededRandom())
    this.#strategy = (parts.method ?? beam())({
      question,
      id: '',
      sample: 0,
      stride: 1,
      random,
      verified: parts.verifier !== undefined,
    })
    checkStrategy(this.#strategy)
    this.queue = new JobQueue(this.#strategy)
  }

  /** Makes the strategy ask only for its answer once a budget is used up; returns false if nothing is left to do. */
  concludes(): boolean {
    this.#full ||= this.timeUp()
    const { answer } = this.#strategy
    if (!this.#full || this.concluded || answer || this.#aborted) return false
    this.concluded = true
    this.ledger.endAll()
    this.queue.requeue()
    this.#strategy.conclude?.()
    return this.#strategy.conclude !== undefined
  }

  get #aborted(): boolean {
    return this.#parts.signal?.aborted ?? false
  }

  /** Returns the steps of the next job; undefined if none can start now. */
  nextJob<E extends { readonly type: string }>(as: ToCallerEvent<E>): Steps<void, E> | undefined {
    if (this.#strategy.answer || this.stop?.aborted) return undefined
    if (this.timeUp() || (this.#full && !this.concluded)) return undefined
    const job = this.queue.peek()
    if (!job) return undefined
    if (!this.#affords(job)) {
      this.#full = true
      return undefined
    }
    this.queue.start(job)
    this.#running += 1
    // Counted before the call is made, since the next jobs may be chosen before that.
    this.ledger.begin()
    return this.#jobSteps(job, as)
  }

  /** Returns the record of a job from an earlier run. The journal of another method may use its id for another job. */
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
    if (job.kind === 'expand' && !this.ledger.allowsNodes(trees)) return false
    return this.ledger.allows(this.concluded || job.kind === 'answer' || job.kind === 'merge' ? 0 : reserve)
  }

  /** Asks a job, once more if the outcome has a problem, and tells the strategy the outcome. */
  *#jobSteps<E extends { readonly type: string }>(job: SearchJob, as: ToCallerEvent<E>): Steps<void, E> {
    let outcome = yield* this.#askSteps(job, as)
    const { repair = true } = this.#parts
    const secondAttempt = followUp(job, outcome, repair)
    if (secondAttempt && this.#mayAsk(secondAttempt)) {
      this.ledger.begin()
      outcome = combineOutcomes(outcome, yield* this.#askSteps(secondAttempt, as))
    }
    this.#running -= 1
    this.queue.end(job)
    // Without `repair` an unreadable reply counts as 0, as in AG2, and is listed in the failures without a warning.
    this.#failedCalls.count(job, repair || outcome.kind === 'failed' ? problemOf(job, outcome) : null)
    this.#strategy.tell(job, outcome)
    yield* this.changes(as)
    if (this.#strategy.answer && this.#running > 0) throw STOP_SIGNAL
  }

  /** True if a job may be asked again: not after an abort, a deadline or a spent budget. */
  #mayAsk(job: SearchJob): boolean {
    if (this.stop?.aborted || this.#spent || this.isLate()) return false
    return this.#affords(job)
  }

  /** Gets the outcome of a job: from the record of an earlier run, or by performing the job. */
  *#askSteps<E extends { readonly type: string }>(job: SearchJob, as: ToCallerEvent<E>): Steps<JobOutcome, E> {
    const { id, kind } = job
    const { journal } = this.#parts
    yield* send(as, { type: 'jobStart', job: id, kind })
    const replayed = this.#storedRecord(job)
    const record = replayed ? yield* this.#replaySteps(job, replayed) : yield* this.#recordSteps(job)
    const { outcome, used } = record
    // A failed job is not stored, so that a run that continues asks again.
    if (!replayed && outcome.kind !== 'failed') {
      yield* wait(journal?.set(id, this.#toStore(kind, record)), 'the journal of a search')
    }
    if (replayed) this.ledger.end(used)
    const modelWarnings = replayed ? [] : this.#fingerprints.checkNew(job, record)
    yield* this.#warn([...modelWarnings, ...(record.warnings ?? [])], as)
    const problem = problemOf(job, outcome)
    if (problem) this.#failures.push({ job: id, kind, ...problem })
    const failure = problem?.message ?? null
    const nodes = nodesOf(job).map((node) => node.id)
    yield* send(as, { type: 'jobEnd', job: id, kind, nodes, used, failure, replayed: replayed !== undefined })
    return outcome
  }

  /** Returns the form of a record for the journal: without the verdict on an answer, which every run gives anew. */
  #toStore(kind: SearchJob['kind'], record: JobRecord): JobRecord {
    const { outcome } = record
    const stored = outcome.kind === 'answer' || outcome.kind === 'merge' ? { ...outcome, verdict: null } : outcome
    return { ...record, outcome: stored, ...this.#fingerprints.of(kind) }
  }

  /** Replays the record of an earlier run: verifies an answer again, and warns of another model or method. */
  *#replaySteps(job: SearchJob, record: JobRecord): Steps<JobRecord, never> {
    const warnings = [...this.#fingerprints.check(job, record), ...(record.warnings ?? [])]
    const { outcome } = record
    if ((job.kind !== 'answer' && job.kind !== 'merge') || (outcome.kind !== 'answer' && outcome.kind !== 'merge')) {
      return { ...record, warnings }
    }
    const run = yield* currentRun()
    const verification = verifyAnywhere(job, { question: this.#question, text: outcome.text }, this.#parts, run)
    try {
      const pendingOutcome = run.face === 'sync' ? verification : abortable(Promise.resolve(verification), this.stop)
      return { ...record, outcome: yield* wait(pendingOutcome, 'the verifier of a search'), warnings }
    } catch (error) {
      throw this.stop?.aborted ? STOP_SIGNAL : error
    }
  }

  /** Performs a job; an error of a part fails the job, not the search. */
  *#recordSteps(job: SearchJob): Steps<JobRecord, never> {
    const run = yield* currentRun()
    let ended = false
    try {
      const pendingRecord = performAnywhere(job, this.#question, this.#parts, run)
      const record = yield* wait(
        run.face === 'sync' ? pendingRecord : abortable(Promise.resolve(pendingRecord), this.stop),
        job.kind,
      )
      ended = true
      this.ledger.end(record.used)
      return record
    } catch (error) {
      if (this.stop?.aborted) throw STOP_SIGNAL
      ended = true
      const used = { calls: 1, promptTokens: 0, completionTokens: 0, cost: 0 }
      this.ledger.end(used)
      if (isXError(error, 'budget-exceeded')) this.#full = this.#spent = true
      return { outcome: { kind: 'failed', ...describeError(error) }, used }
    } finally {
      if (!ended) this.ledger.drop()
    }
  }

  /** Warns of failed jobs: the answer alone would not show that it was found without grades. */
  warnOfFailures<E extends { readonly type: string }>(as: ToCallerEvent<E>): Steps<void, E> {
    return this.#warn(this.#failedCalls.warnings, as)
  }

  /** Sends each warning once. */
  *#warn<E extends { readonly type: string }>(texts: readonly string[], as: ToCallerEvent<E>): Steps<void, E> {
    for (const text of texts) {
      if (this.#warnings.has(text)) continue
      this.#warnings.add(text)
      yield* send(as, { type: 'searchWarning', text })
    }
  }

  /** Sends the changes of the trees, and the best candidate if it changed. */
  *changes<E extends { readonly type: string }>(as: ToCallerEvent<E>): Steps<void, E> {
    for (const tree of this.#strategy.trees)
      for (const change of tree.takeChanges()) yield* send(as, toTreeEvent(change))
    const { node, text } = this.#strategy.best()
    // Before the first step the best candidate is the question, which is not worth an event.
    if (text === null && !node?.parent) return
    const { grade = null } = node ?? {}
    const last = this.#lastBest
    if (last?.node === node && last.grade === grade && last.text === text) return
    this.#lastBest = { node, grade, text }
    yield* send(as, { type: 'bestChange', node: node?.id ?? null, text, grade })
  }

  get result(): SearchResult {
    const { answer } = this.#strategy
    const best = answer?.text ? answer : this.#strategy.best()
    // A step is not an answer: without a written answer the result has none.
    const text = best.text || null
    const trees = this.#strategy.trees.map((tree) => tree.root)
    return {
      answer: text,
      status: this.#statusOf(text === null ? null : answer),
      reason: text === null ? this.#reason : null,
      verdict: text === null ? null : best.verdict,
      node: best.node ?? (text === null ? (trees[0] ?? null) : null),
      trees,
      used: this.ledger.used,
      failures: this.#failures,
      warnings: [...this.#warnings],
    }
  }

  #statusOf(answer: Candidate | null): SearchStatus {
    if (answer?.verdict?.accepted) return 'verified'
    if (this.#aborted && !answer) return 'aborted'
    if (this.#full) return 'budget'
    return answer?.accepted ? 'accepted' : 'exhausted'
  }

  get #reason(): string {
    if (this.#aborted) return 'the search was stopped before an answer was written'
    const isAnswer = ({ kind }: JobFailure): boolean => kind === 'answer' || kind === 'merge'
    const failed = this.#failures.filter((failure) => failure.code !== 'invalid-result' || isAnswer(failure))
    const first = failed.find(isAnswer) ?? failed[0]
    const more = failed.length > 1 ? ` (and ${failed.length - 1} further calls failed)` : ''
    if (first) return `${first.message}${more}`
    return this.#full ? 'the budget was used up before an answer was written' : 'nothing was left to try'
  }
}

function describeError(error: unknown): { code: string; message: string } {
  if (isXError(error)) return { code: error.code, message: error.message }
  return { code: 'failed', message: error instanceof Error ? error.message : String(error) }
}

/** Runs a search, and then ends the recorded call that it belongs to, if any. */
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

/** Converts a change of a tree into an event. */
function toTreeEvent({ type, node }: TreeChange): SearchEvent {
  switch (type) {
    case 'add':
      return {
        type: 'nodeAdd',
        node: node.id,
        parent: node.parent?.id ?? null,
        content: node.content,
        depth: node.depth,
      }
    case 'grade':
      return { type: 'nodeGrade', node: node.id, grade: node.grade, details: node.ratingDetails }
    case 'fate':
      return { type: 'nodeFate', node: node.id, fate: node.fate }
  }
}

/** Makes the default clock. */
const platformClock = (): Clock => ({
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
})
