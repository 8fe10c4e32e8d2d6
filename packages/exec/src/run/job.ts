import type { Artifact, Isolation, StopReason } from '@x/interfaces'
import type { ExecutionLimits } from './limits.ts'
import type { Runtime } from './languages.ts'

/** One block as a backend runs it: plain data, so that it can travel to another thread. */
export interface Job {
  /** Language that the code runs as. */
  readonly runtime: Runtime
  readonly code: string
  /** Path of the code's file, relative to the work directory; it never leads out of it. */
  readonly file: string
  /** True if the block is to be saved and not to be run. */
  readonly saveOnly: boolean
  readonly limits: ExecutionLimits
}

/** A piece of output as it comes. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** The result of a job, complete and within the limits. */
export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly reason: StopReason
  readonly truncatedBytes: number
  /** Absent when nothing ran. */
  readonly isolation?: Isolation | undefined
  /** Path of the saved file as people may be told; null when the backend keeps no files. */
  readonly savedAs?: string | null | undefined
}

/** Takes the output of a running job, and stops the job. */
export interface Watch {
  readonly signal?: AbortSignal | undefined
  readonly onOutput?: ((chunk: OutputChunk) => void) | undefined
}

/** Runs jobs under their limits: the place where the ways to run code differ. */
export interface LimitedBackend {
  /** How far it keeps code from the machine. */
  readonly isolation: Isolation
  /** Returns why it cannot run a language here; null when it can. Really tries, once. */
  fault(runtime: Runtime): Promise<string | null>
  /** Runs a job to its end. A job that the signal stops has an outcome too. */
  run(job: Job, watch: Watch): Promise<Outcome>
  /** Lists what lies in the work directory. */
  artifacts(): Promise<Artifact[]>
  /** Forgets what earlier runs left, where there is something. */
  restart?(): Promise<void>
  /** Releases everything that it holds. */
  close(): Promise<void>
}

/** Makes an outcome without output on `stdout`. */
export const failed = (reason: StopReason, stderr: string, exitCode: number = 1): Outcome => ({
  exitCode,
  stdout: '',
  stderr,
  reason,
  truncatedBytes: 0,
})
