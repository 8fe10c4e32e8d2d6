import type { EventOptions, Face, OpenCall, Run, RunScope, SearchStatus } from '@x/interfaces'
import { currentRun, isXError, pool, wait, type Steps } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import { EventCounter, EventScope, scopeOf, within } from '@x/kernel/run'
import { beam } from '../methods/beam.ts'
import type { AnswerJob, JobOutcome, JobRecord, MergeJob, SearchJob } from '../strategy/job.ts'
import { askedIn } from '../strategy/job-request.ts'
import { checkedRandom, seededRandom } from '../strategy/random.ts'
import type { Candidate, Strategy } from '../strategy/strategy.ts'
import { bestOf } from '../tree/terminal.ts'
import { SearchLedger, type Admission } from './budget.ts'
import type { RunJournal } from './chat-journal.ts'
import { checkStrategy } from './check-search.ts'
import { Fingerprints } from './fingerprints.ts'
import { combineOutcomes, FailedCalls, followUp, problemOf, tellError, VERIFIER_FAILED } from './job-problems.ts'
import { JobQueue } from './job-queue.ts'
import type { TellingParts } from './perform.ts'
import { performAnywhere, verifyAnywhere } from './perform-elsewhere.ts'
import { SearchEvents, type EndedJob } from './search-events.steps.ts'
import type { Clock, JobFailure, SearchParts, SearchResult } from './search-options.ts'
import { storedRecord, ToldTrees, type MakeStrategy } from './told-trees.ts'
import { TreeEvents } from './tree-events.steps.ts'

/** Thrown inside the pool to stop the jobs in flight; caught by `searchSteps`. */
const STOP_SIGNAL: unique symbol = Symbol('stop')

const DEFAULT_CONCURRENCY = 64

/** The place of a search in its run. */
export interface SearchCall {
  /** Name of the agent that answers by the search; null without one. */
  readonly agent: string | null
  /** The call of the search; undefined outside of agents. */
  readonly open: OpenCall | undefined
  /** The journal of the run; undefined if the run keeps nothing, or the search has a journal of its own. */
  readonly kept: RunJournal | undefined
}

/** The parts of a search, and the signal that stops it. */
type StoppableParts = SearchParts & { readonly signal?: AbortSignal | undefined }

/**
 * Runs a search: performs the jobs of a strategy, as many at once as the run and `concurrency` allow, and tells the strategy
 * the outcomes, until it has an answer, a budget is used up or `signal` fires.
 */
export function* searchSteps(question: string, parts: StoppableParts, call: SearchCall): Steps<SearchResult> {
  const run = yield* currentRun()
  const scopes = [scopeOf(run), call.open && scopeOf(call.open.run)]
  const events = new SearchEvents(run, call.agent, call.open, scopes)
  const search = new Search(question, parts, { events, kept: call.kept, open: call.open })
  search.queue.isSerial = run.face === 'sync' || parts.concurrency === 1
  const { ledger, isResumed } = search
  const facts = { question, resumed: isResumed, used: ledger.used }
  return yield* events.inSearch(facts, searchInTime(search, parts, run.face))
}

/** Runs a search as an operation inside another run, and then ends the call that it belongs to. */
export function* searchInRun(question: string, parts: StoppableParts, call: SearchCall): Steps<SearchResult> {
  try {
    const { face } = yield* currentRun()
    // A run that is stopped while it starts the search closes on this stack: the jobs of the search could not end before.
    if (face !== 'sync') yield* wait(Promise.resolve(), 'the start of a search')
    return yield* searchSteps(question, parts, call)
  } finally {
    call.open?.end()
  }
}

/** Performs the jobs of a search until it ends, and once its time is over those that the answer needs. */
function* searchInTime(search: Search, parts: StoppableParts, face: Face): Steps<SearchResult> {
  yield* search.tellTrees()
  const { concurrency = DEFAULT_CONCURRENCY } = parts
  const clock = parts.clock ?? platformClock()
  const start = clock.now()
  const { searchMs, allMs } = search.ledger
  const remainingMs = (): number => (search.concluded ? allMs : searchMs) - (clock.now() - start)
  let isOver = false
  // A timer may come a little before its time, by the clock.
  search.timeUp = () => isOver || remainingMs() <= 0
  search.isLate = () => clock.now() - start >= allMs
  do {
    isOver = false
    const stop = new AbortController()
    const end = (): void => {
      isOver = true
      stop.abort()
    }
    const cancelTimer = Number.isFinite(remainingMs()) && face !== 'sync' ? clock.after(remainingMs(), end) : undefined
    search.stop = parts.signal ? AbortSignal.any([parts.signal, stop.signal]) : stop.signal
    try {
      yield* search.perform(concurrency)
    } catch (error) {
      if (error !== STOP_SIGNAL) throw error
    } finally {
      cancelTimer?.()
    }
    yield* search.changes()
  } while (search.concludes())
  yield* search.warnOfFailures()
  return search.result
}

/** The listeners and the journal of the run that a search belongs to. */
interface SearchTelling {
  readonly events: SearchEvents
  readonly kept: RunJournal | undefined
  readonly open: OpenCall | undefined
}

/** A job with its record. */
interface AskedJob extends EndedJob {
  readonly record: JobRecord
}

/** The state of one run of a search. */
class Search {
  readonly ledger: SearchLedger
  /** True if the run has kept one of the first jobs: an earlier process has begun the search. */
  readonly isResumed: boolean
  readonly #question: string
  readonly #parts: StoppableParts & TellingParts
  readonly #makeStrategy: MakeStrategy
  readonly #strategy: Strategy
  readonly #events: SearchEvents
  readonly #trees: TreeEvents
  readonly #kept: RunJournal | undefined
  readonly #open: OpenCall | undefined
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
  /** The last answer that was sent to the verifier: the answer of a search that ends before any verdict. */
  #written: Candidate | null = null
  concluded = false
  timeUp: () => boolean = () => false
  /** True once the time for the answer is over too. */
  isLate: () => boolean = () => false
  stop: AbortSignal | undefined

  constructor(question: string, parts: StoppableParts, { events, kept, open }: SearchTelling) {
    this.#question = question
    this.#parts = { ...parts, onWritten: (job, text) => (this.#written = unverified(job, text)) }
    this.#events = events
    this.#kept = kept
    this.#open = open
    this.ledger = new SearchLedger(parts.budget ?? {})
    this.#fingerprints = new Fingerprints(parts)
    const random = checkedRandom(parts.random ?? seededRandom())
    const verified = parts.verifier !== undefined
    const { method = beam() } = parts
    this.#makeStrategy = () => method({ question, id: '', sample: 0, stride: 1, random, verified })
    this.#strategy = this.#makeStrategy()
    checkStrategy(this.#strategy)
    this.#trees = new TreeEvents(events, this.#strategy, kept)
    this.queue = new JobQueue(this.#strategy, (job) => this.#isStored(job))
    this.isResumed = kept !== undefined && this.#strategy.ask().some((job) => kept.get(job.id))
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

  /** Tells the trees before the first job. */
  tellTrees(): Steps<void> {
    const kept = this.isResumed ? this.#kept : undefined
    const { repair = true } = this.#parts
    return this.#trees.tellFirst(kept ? () => new ToldTrees(this.#makeStrategy, kept, repair) : null)
  }

  /** Performs jobs, at most `concurrency` at once, until none can start. */
  perform(concurrency: number): Steps<void> {
    const { inner } = this.#events
    const steps = pool(() => this.#nextJob(), concurrency)
    return inner ? within(inner, steps) : steps
  }

  /** Returns the steps of the next job; undefined if none can start now. */
  #nextJob(): Steps<void> | undefined {
    if (this.#strategy.answer || this.stop?.aborted) return undefined
    if (this.timeUp() || (this.#full && !this.concluded)) return undefined
    const job = this.queue.peek()
    if (!job) return undefined
    // What an earlier run has used counts before anything new is asked.
    if (this.#parts.budget && this.queue.isReplaying && !this.#isStored(job)) return undefined
    const admission = this.#admits(job)
    if (admission !== 'now') {
      // The end of a call in flight chooses anew.
      this.#full ||= admission === 'never'
      return undefined
    }
    this.queue.start(job)
    this.#running += 1
    // Counted before the call is made, since the next jobs may be chosen before that.
    this.ledger.begin()
    return this.#jobSteps(job)
  }

  #isStored(job: SearchJob): boolean {
    return storedRecord(job, this.#parts.journal) !== undefined
  }

  #admits(job: SearchJob): Admission {
    if (this.#isStored(job)) return 'now'
    const { reserve = 0, trees } = this.#strategy
    if (job.kind === 'expand' && !this.ledger.allowsNodes(trees)) return 'never'
    return this.ledger.admits(this.concluded || job.kind === 'answer' || job.kind === 'merge' ? 0 : reserve)
  }

  /** Asks a job, once more if the outcome has a problem, and tells the strategy the outcome. */
  *#jobSteps(job: SearchJob): Steps<void> {
    let { outcome, recalled } = yield* this.#askSteps(job)
    const { repair = true } = this.#parts
    const secondAttempt = followUp(job, outcome, repair)
    if (secondAttempt && this.#mayAsk(secondAttempt)) {
      this.ledger.begin()
      const second = yield* this.#askSteps(secondAttempt)
      outcome = combineOutcomes(outcome, second.outcome)
      recalled &&= second.recalled
    }
    this.#running -= 1
    this.queue.end(job)
    // Without `repair` an unreadable reply counts as 0, as in AG2, and is listed in the failures without a warning.
    this.#failedCalls.count(job, outcome, repair || outcome.kind === 'failed' ? problemOf(job, outcome) : null)
    this.#strategy.tell(job, outcome)
    if (recalled) this.#trees.hold(job.id)
    else yield* this.#trees.tellChanges(job.id)
    if (this.#strategy.answer && this.#running > 0) throw STOP_SIGNAL
  }

  /** True if a job may be asked again: not after an abort, a deadline or a spent budget. */
  #mayAsk(job: SearchJob): boolean {
    if (this.stop?.aborted || this.#spent || this.isLate()) return false
    return this.#admits(job) === 'now'
  }

  /** Gets the outcome of a job: from the record of an earlier run, or by performing the job. */
  *#askSteps(job: SearchJob): Steps<{ readonly outcome: JobOutcome; readonly recalled: boolean }> {
    const { id, kind } = job
    this.#open?.part(id).noteInput?.({
      question: this.#question,
      ...askedIn(job),
      ...this.#fingerprints.toldOf(kind),
    })
    const replayed = storedRecord(job, this.#parts.journal)
    const recalled = replayed !== undefined && this.#kept !== undefined
    const run = yield* currentRun()
    const asked = yield* this.#events.inJob(job, { run, recalled }, (part) => this.#recordSteps(job, replayed, part))
    if (!asked) throw STOP_SIGNAL
    const { record } = asked
    // A failed job is not stored, so that a run that continues asks again. The end of a job is told before it is stored.
    if (!replayed && record.outcome.kind !== 'failed') {
      yield* wait(this.#parts.journal?.set(id, this.#toStore(kind, record)), 'the journal of a search')
    }
    return { outcome: record.outcome, recalled }
  }

  /** Asks the journal of the run before something is asked for a job. */
  *#beforeCall({ id }: SearchJob): Steps<void> {
    const held = this.#open?.part(id).beforeCall?.()
    if (held) yield* wait(held, 'the journal of a chat')
  }

  /** Gets the record of a job, and counts it; null if the search stops the job. */
  *#recordSteps(job: SearchJob, replayed: JobRecord | undefined, run: Run): Steps<AskedJob | null> {
    const changes = replayed ? this.#fingerprints.check(job, replayed) : []
    const record = replayed ? yield* this.#replaySteps(job, replayed, run) : yield* this.#performSteps(job, run)
    if (!record) return null
    const { outcome, used, warnings = [] } = record
    if (replayed) this.ledger.end(used)
    // What has changed since the earlier process, it could not tell.
    yield* this.#warn(replayed ? changes : this.#fingerprints.checkNew(job, record), false)
    yield* this.#warn(warnings, replayed !== undefined && this.#kept !== undefined)
    const problem = problemOf(job, outcome)
    if (problem) this.#failures.push({ job: job.id, kind: job.kind, ...problem })
    return { record, used, problem, replayed: replayed !== undefined }
  }

  /** Returns the form of a record for the journal: without the verdict on an answer, which every run gives anew. */
  #toStore(kind: SearchJob['kind'], record: JobRecord): JobRecord {
    const { outcome } = record
    const stored = outcome.kind === 'answer' || outcome.kind === 'merge' ? { ...outcome, verdict: null } : outcome
    return { ...record, outcome: stored, ...this.#fingerprints.of(kind) }
  }

  /** Replays the record of an earlier run: verifies an answer again. */
  *#replaySteps(job: SearchJob, record: JobRecord, run: Run): Steps<JobRecord | null> {
    const { outcome } = record
    if ((job.kind !== 'answer' && job.kind !== 'merge') || (outcome.kind !== 'answer' && outcome.kind !== 'merge')) {
      return record
    }
    if (this.#parts.verifier) yield* this.#beforeCall(job)
    const verification = verifyAnywhere(job, { question: this.#question, text: outcome.text }, this.#parts, run)
    try {
      const pendingOutcome = run.face === 'sync' ? verification : abortable(Promise.resolve(verification), this.stop)
      return { ...record, outcome: yield* wait(pendingOutcome, 'the verifier of a search') }
    } catch (error) {
      if (this.stop?.aborted) return null
      throw error
    }
  }

  /** Performs a job; an error of a part fails the job, not the search. */
  *#performSteps(job: SearchJob, run: Run): Steps<JobRecord | null> {
    let ended = false
    try {
      yield* this.#beforeCall(job)
      const pendingRecord = performAnywhere(job, this.#question, this.#parts, run)
      const record = yield* wait(
        run.face === 'sync' ? pendingRecord : abortable(Promise.resolve(pendingRecord), this.stop),
        job.kind,
      )
      ended = true
      this.ledger.end(record.used)
      return record
    } catch (error) {
      if (this.stop?.aborted) return null
      ended = true
      const used = { calls: 1, promptTokens: 0, completionTokens: 0, cost: 0 }
      this.ledger.end(used)
      if (isXError(error, 'budget-exceeded')) this.#full = this.#spent = true
      const { code = 'failed', kind: errorKind } = isXError(error) ? error : {}
      const outcome = { kind: 'failed', code, message: tellError(error), ...(errorKind && { errorKind }) } as const
      return { outcome, used }
    } finally {
      if (!ended) this.ledger.drop()
    }
  }

  /** Warns of failed jobs: the answer alone would not show that it was found without grades. */
  warnOfFailures(): Steps<void> {
    return this.#warn(this.#failedCalls.warnings, false)
  }

  /** Sends each warning once; one that an earlier process has sent is not sent again. */
  *#warn(texts: readonly string[], isTold: boolean): Steps<void> {
    for (const text of texts) {
      if (this.#warnings.has(text)) continue
      this.#warnings.add(text)
      if (!isTold) yield* this.#events.warn(text)
    }
  }

  /** Tells the changes of the trees that no job has made. */
  changes(): Steps<void> {
    return this.#trees.tellChanges(null)
  }

  get result(): SearchResult {
    const { answer } = this.#strategy
    const found = answer?.text ? answer : this.#strategy.best()
    const best = found.text ? found : (this.#written ?? found)
    // A step is not an answer: without a written answer the result has none.
    const text = best.text || null
    const trees = this.#strategy.trees.map((tree) => tree.root)
    return {
      answer: text,
      status: this.#statusOf(text === null ? null : answer),
      reason: text === null ? this.#reason : null,
      verdict: text === null ? null : best.verdict,
      beliefs: this.#strategy.beliefs ?? null,
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

/** Makes the candidate of an answer whose verifier has not ended. */
const unverified = (job: AnswerJob | MergeJob, text: string): Candidate => ({
  text,
  node: job.kind === 'answer' ? bestOf(job.from) : null,
  verdict: { accepted: false, score: 0, reason: `${VERIFIER_FAILED}it gave no verdict before the search ended` },
  accepted: false,
})

/** The longest time of a timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Makes the default clock. */
const platformClock = (): Clock => ({
  now: () => performance.now(),
  after(ms, call) {
    // Less than nothing is left of a time that has run out before its timer was set.
    const timer = ms <= MAX_TIMER_MS ? setTimeout(call, Math.max(0, ms)) : undefined
    return () => clearTimeout(timer)
  },
})

/** Makes the scope of a search outside of runs, which gives the events their envelope; not heard if only its trace takes them. */
export const newEventScope = (
  events: EventOptions | undefined,
  of?: { readonly trace: RunScope['trace']; readonly isHeard: boolean },
): RunScope =>
  new EventScope(
    new EventCounter(
      () => Date.now(),
      () => crypto.randomUUID(),
    ),
    events,
    of,
  )
