import type {
  Budget,
  CacheStore,
  EventBody,
  Listener,
  MaybePromise,
  Reservation,
  ReserveOptions,
  Run,
  RunScope,
  Spending,
  XEvent,
} from '@x/interfaces'
import { currentRun, isThenable, isXError, runAsync, wait, XError } from '@x/kernel'
import { type CellCalls, NOTHING_SPENT, sumOfSpending } from './answer-file.ts'
import { after } from './platform.ts'

/** Limits and records of one cell. */
export interface CellOptions {
  readonly budget: Budget | undefined
  readonly calls: CellCalls
  /** False if models are not given the answers of an earlier process: their caller keeps them. */
  readonly keepsCalls: boolean
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
  readonly spent: Spending
  readonly ms: number
  /** Warnings of models and agents, such as that of an unknown price. */
  readonly warnings: ReadonlySet<string>
}

/** Runs a program in a run of its own, whose budget is counted and whose model answers are kept. */
export async function runCell<T>(
  options: CellOptions,
  use: (run: Run, signal: AbortSignal) => MaybePromise<T>,
): Promise<CellOutcome<T>> {
  const { calls, keepsCalls, timeout, now } = options
  const budget = new CountedBudget(options.budget)
  const stop = new AbortController()
  const warnings = new Set<string>()
  const emit = (event: XEvent): void => void (event.type === 'warning' && warnings.add(event.text))
  let isLate = false
  const cancel = after(timeout * 1000, () => {
    isLate = true
    stop.abort()
  })
  const signal = AbortSignal.any([options.signal, stop.signal])
  const scope = new CellScope(budget, keepsCalls ? calls : null, now)
  function* steps() {
    return yield* wait(use(yield* currentRun(), signal), 'the answer of a contestant')
  }
  const began = now()
  const end = (value: T | undefined, error: unknown): CellOutcome<T> => ({
    ...{ value, error, isCut: budget.isRefused, ms: now() - began, warnings },
    spent: sumOfSpending([budget.spent, calls.recalled]),
  })
  try {
    return end(await runAsync<T, EventBody, XEvent>(steps(), { scope, signal, emit }), undefined)
  } catch (error) {
    const late = isLate && isXError(error, 'aborted')
    return end(undefined, late ? new XError('timeout', `there was no answer within ${timeout} seconds`) : error)
  } finally {
    cancel()
    // What the program has started and not waited for ends with it.
    stop.abort()
  }
}

/** The scope of a cell: budget and model answers. Nobody takes its events but for warnings. */
class CellScope implements RunScope {
  readonly chatId = null
  readonly agentPath = null
  readonly spanId = null
  readonly callKind = null
  readonly budget: Budget
  readonly #calls: CellCalls | null
  readonly #now: () => number
  #spans = 0

  constructor(budget: Budget, calls: CellCalls | null, now: () => number) {
    this.budget = budget
    this.#calls = calls
    this.#now = now
  }

  get cache(): CacheStore | null {
    return this.#calls?.cache() ?? null
  }

  newSpanId(): string {
    return `span${this.#spans++}`
  }

  inside(): this {
    return this
  }

  heard(): this {
    return this
  }

  takes(type: XEvent['type']): boolean {
    return type === 'warning'
  }

  now(): number {
    return this.#now()
  }

  send(event: EventBody | XEvent, next: Listener): MaybePromise<void> {
    return event.type === 'warning' ? next(event as XEvent) : undefined
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
