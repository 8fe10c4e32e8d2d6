import type { Artifact, ErrorCode } from '@x/interfaces'
import type { Job, OutputChunk, Outcome } from '../run/job.ts'

/** State of the thread while it starts, or while somebody waits for its answer. */
export const WAITING = 0

/** State of the thread when it has answered. */
export const READY = 1

/** State of the thread when it has ended. */
export const ENDED = 2

/** A request that another thread waits for. */
export type Question = { type: 'run'; job: Job } | { type: 'artifacts' | 'restart' | 'close' }

/** The answer to a request. */
export interface Answer {
  readonly chunks?: OutputChunk[]
  readonly outcome?: Outcome
  readonly artifacts?: Artifact[]
  readonly error?: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> }
}
