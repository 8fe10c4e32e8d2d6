import type { Artifact, ErrorCode } from '@x/interfaces'
import type { Job, OutputChunk, Outcome } from '../run/job.ts'
import type { PythonImage } from '../wasm/python-images.ts'

/** State of the thread while it starts, or while it owes an answer. */
export const STATE_WAITING = 0

/** State of the thread once it has answered. */
export const STATE_READY = 1

/** State of the thread once it has ended. */
export const STATE_ENDED = 2

/** Request to the thread of blocking calls. */
export type Question = { type: 'run'; job: Job } | { type: 'artifacts' | 'restart' | 'close' }

/** Answer to a {@link Question}. */
export interface Answer {
  readonly chunks?: OutputChunk[]
  readonly outcome?: Outcome
  readonly artifacts?: Artifact[]
  /** Image that the thread has made since its last answer. */
  readonly image?: PythonImage
  readonly error?: { code: ErrorCode; message: string; details?: Readonly<Record<string, unknown>> }
}
