import type { BlockingBackend } from '../backend/blocking.ts'
import type { LimitedBackend } from './job.ts'
import type { PlanOptions } from './plan.ts'

/** The parts of an executor that the steps need to run blocks. */
export interface ExecutionContext {
  readonly plan: PlanOptions
  /** Opens the work directory, and the backend that runs jobs there. */
  open(): LimitedBackend
  /** Opens the backend of blocking calls for the same work directory. */
  openSync(): BlockingBackend
  /** Starts work when fewer jobs run than may run at once; `close` of the executor waits for its end. */
  schedule<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Gives what is to be warned of, once. */
  takeWarning(): string | undefined
  /** Tells the time in milliseconds. */
  now(): number
}
