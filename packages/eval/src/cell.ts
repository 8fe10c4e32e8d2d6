import type {
  Budget,
  CacheStore,
  EventBody,
  EventOptions,
  Listener,
  MaybePromise,
  Reservation,
  ReserveOptions,
  Run,
  RunScope,
  RunTracer,
  Spending,
  XEvent,
} from '@x/interfaces'
import { currentRun, isThenable, isXError, runAsync, wait, XError } from '@x/kernel'
import { EventCounter, EventScope, partRun, scopeOf } from '@x/kernel/run'
import { type CellCalls, type EvalSpending, NOTHING_SPENT, sumOfSpending } from './answer-file.ts'
import { after, newId } from './platform.ts'

/** Limits and records of one cell. */
export interface CellOptions {
  readonly budget: Budget | undefined
  readonly calls: CellCalls
  /** Records the runs of the cell. */
  readonly tracer: RunTracer | undefined
  readonly signal: AbortSignal
  /** Seconds that the cell may take. */
  readonly timeout: number
  readonly now: () => number
}

/** The outcome of a cell: a value, or an error. */
export interface CellOutcome<T> {
  readonly value: T | undefined
  readonly error: unknown
  /** True if the budget of the evaluation refused a call: what came of it counts for nothing. */
  readonly isCut: boolean
  readonly spent: EvalSpending
  readonly ms: number
  /** Warnings of models and agents, such as that of an unknown price. */
  readonly warnings: ReadonlySet<string>
  /** Identifiers of the runs that the records have of it. */
  readonly runs: readonly string[]
}

const LATE = 'there was no answer within '

const lateMessage = (seconds: number): string => `${LATE}${seconds} seconds`

/** Reads the seconds that an answer had from the message of its error; `NaN` for any other error. */
export const secondsOfLate = (message: string): number =>
  message.startsWith(LATE) ? Number.parseFloat(message.slice(LATE.length)) : Number.NaN

/** Waits some seconds at most for what takes no signal. */
export async function inTime<T>(seconds: number, wanted: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const cancel = after(seconds * 1000, () => reject(new XError('timeout', lateMessage(seconds))))
  return await Promise.race([wanted, late]).finally(cancel)
}

/** Runs a program in a run of its own, whose budget is counted and whose model answers are kept. */
export async function runCell<T>(
  options: CellOptions,
  use: (run: Run, signal: AbortSignal) => MaybePromise<T>,
): Promise<CellOutcome<T>> {
  const { calls, timeout, now } = options
  const budget = new CountedBudget(options.budget)
  const stop = new AbortController()
  const warnings = new Set<string>()
  const emit = (event: XEvent): void => void (event.type === 'warning' && warnings.add(event.text))
  const runs = new Set<string>()
  const tracer = options.tracer && notingRuns(options.tracer, runs)
  let isLate = false
  const cancel = after(timeout * 1000, () => {
    isLate = true
    stop.abort()
  })
  const signal = AbortSignal.any([options.signal, stop.signal])
  const scope = new CellScope({ budget, calls, tracer, events: cellEvents(tracer, now) })
  function* steps() {
    return yield* wait(use(yield* currentRun(), signal), 'the answer of a contestant')
  }
  const began = now()
  const end = (value: T | undefined, error: unknown): CellOutcome<T> => ({
    value,
    error,
    isCut: budget.isRefused,
    ms: now() - began,
    warnings,
    runs: [...runs],
    // A budget is told no price that is not known.
    spent: sumOfSpending([budget.spent, { ...NOTHING_SPENT, unpriced: calls.kept.unpriced }, calls.recalled]),
  })
  try {
    return end(await runAsync<T, EventBody, XEvent>(steps(), { scope, signal, emit }), undefined)
  } catch (error) {
    const late = isLate && isXError(error, 'aborted')
    return end(undefined, late ? new XError('timeout', lateMessage(timeout)) : error)
  } finally {
    cancel()
    // What the program has started and not waited for ends with it.
    stop.abort()
  }
}

/** Makes a part of the run of a cell whose model answers are not kept: who asks there keeps them. */
export function keptByCaller(run: Run): ReturnType<typeof partRun> {
  const scope = scopeOf(run)
  return partRun(run, { scope: scope instanceof CellScope ? scope.keptByCaller() : scope })
}

/** Returns a tracer that notes the identifiers of the runs of which it is told something. */
const notingRuns = (tracer: RunTracer, runs: Set<string>): RunTracer => ({
  begin(context) {
    const trace = tracer.begin(context)
    const { takes, takesRecalled, skipsParts, propagates, calls, beside } = trace
    return {
      takes,
      takesRecalled,
      skipsParts,
      propagates,
      calls,
      beside,
      take(event) {
        if (event.runId !== null) runs.add(event.runId)
        trace.take(event)
      },
      contextOf: (spanId) => trace.contextOf(spanId),
      ...(trace.takeRequest && { takeRequest: trace.takeRequest.bind(trace) }),
      ...(trace.beginOperation && { beginOperation: trace.beginOperation.bind(trace) }),
    }
  },
})

/** Gives the events of a cell outside of agents their envelope, and records them as one run. */
function cellEvents(tracer: RunTracer | undefined, now: () => number): RunScope {
  const trace = tracer?.begin()
  trace?.calls?.fail('it is an answer of an evaluation without an agent, whose calls are not recorded')
  return new EventScope(new EventCounter(now, newId), undefined, { trace })
}

/** Parts of the scope of a cell. */
interface CellParts {
  readonly budget: Budget
  readonly calls: CellCalls | null
  readonly tracer: RunTracer | undefined
  readonly events: RunScope
  /** True if an operation in the cell has a listener of its own, who gets every event. */
  readonly isHeard?: boolean
}

/** The scope of a cell: budget, model answers and records. Without records, nobody takes its events but for warnings. */
class CellScope implements RunScope {
  readonly chatId = null
  readonly agentPath = null
  readonly callKind = null
  readonly budget: Budget
  readonly tracer: RunTracer | undefined
  readonly #parts: CellParts

  constructor(parts: CellParts) {
    this.budget = parts.budget
    this.tracer = parts.tracer
    this.#parts = parts
  }

  get cache(): CacheStore | null {
    return this.#parts.calls?.cache() ?? null
  }

  get spanId(): string | null {
    return this.#parts.events.spanId
  }

  get trace(): RunScope['trace'] {
    return this.#parts.events.trace
  }

  get tracesRequests(): boolean {
    return this.#parts.events.tracesRequests ?? false
  }

  /** The same without model answers. */
  keptByCaller(): CellScope {
    return new CellScope({ ...this.#parts, calls: null })
  }

  newSpanId(): string {
    return this.#parts.events.newSpanId()
  }

  inside(spanId: string): CellScope {
    return new CellScope({ ...this.#parts, events: this.#parts.events.inside(spanId) })
  }

  heard(options: EventOptions | undefined): CellScope {
    return new CellScope({ ...this.#parts, events: this.#parts.events.heard(options), isHeard: true })
  }

  takes(type: XEvent['type']): boolean {
    return type === 'warning' || this.#parts.isHeard === true || (this.trace?.takes.has(type) ?? false)
  }

  now(): number {
    return this.#parts.events.now()
  }

  send(event: EventBody | XEvent, next: Listener): MaybePromise<void> {
    return this.takes(event.type) ? this.#parts.events.send(event, next) : undefined
  }
}

/** Counts what a cell spends, within the budget of the evaluation. */
class CountedBudget implements Budget {
  spent: Spending = NOTHING_SPENT
  /** True once the budget around has refused a call for good. */
  isRefused = false
  readonly #around: Budget | undefined

  constructor(around: Budget | undefined) {
    this.#around = around
  }

  reserve(estimate: Spending, options?: ReserveOptions): MaybePromise<Reservation> {
    const refuse = (error: unknown): never => {
      this.isRefused ||= isXError(error, 'budget-exceeded') && !options?.waiter?.waiting
      throw error
    }
    try {
      const held = this.#around?.reserve(estimate, options)
      return isThenable(held) ? held.then((each) => this.#counted(each), refuse) : this.#counted(held)
    } catch (error) {
      return refuse(error)
    }
  }

  #counted(held: Reservation | undefined): Reservation {
    let isOpen = true
    return {
      ...(held?.amounts && { amounts: held.amounts }),
      ...(held?.maxTokens !== undefined && { maxTokens: held.maxTokens }),
      settle: (actual, answer) => {
        if (isOpen) this.spent = sumOfSpending([this.spent, actual])
        isOpen = false
        held?.settle(actual, answer)
      },
      release: () => held?.release(),
    }
  }
}
