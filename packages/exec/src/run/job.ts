import type { Artifact, Isolation, StopReason } from '@x/interfaces'
import type { Change, Choice, Proposal } from '../changes/changeset.ts'
import type { ExecutionLimits } from './limits.ts'
import type { Runtime } from './languages.ts'

/** One block as a backend runs it: plain data, which can be sent to another thread. */
export interface Job {
  /** Language of the code. */
  readonly runtime: Runtime
  readonly code: string
  /** Path of the file of the code, relative to the work directory and always inside of it. */
  readonly file: string
  /** True if the block is only saved, and not run. */
  readonly saveOnly: boolean
  /** True if the block names its file; absent for a name that is made from the code. */
  readonly isNamed?: boolean
  /** True if somebody chooses which changes of a directory of the user's come back. */
  readonly asks?: boolean
  readonly limits: ExecutionLimits
}

/** Piece of output of a running job. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** Result of a job, complete and within the limits. */
export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly reason: StopReason
  readonly truncatedBytes: number
  /** Isolation of the job; absent if nothing ran. */
  readonly isolation?: Isolation | undefined
  /** Path of the saved file, to show to a person; null if the backend keeps no files. */
  readonly savedAs?: string | null | undefined
  /** The changes of the job in a directory of the user's. */
  readonly changes?: readonly Change[] | undefined
  /** The changes that wait for a choice; `settle` of the backend takes it. */
  readonly proposal?: Proposal | undefined
}

/** Receives the output of a running job, and can stop the job. */
export interface Watch {
  readonly signal?: AbortSignal | undefined
  readonly onOutput?: ((chunk: OutputChunk) => void) | undefined
}

/** Runs jobs under their limits. Each kind of executor implements this. */
export interface LimitedBackend {
  /** How the backend isolates code from the machine. */
  readonly isolation: Isolation
  /** Returns why the backend cannot run a language on this machine; null if it can. Really tries, once. */
  fault(runtime: Runtime): Promise<string | null>
  /** Runs a job to its end. A job that the signal stops has an outcome as well. */
  run(job: Job, watch: Watch): Promise<Outcome>
  /** Applies the choice on a proposal of a job; returns what became of its changes. */
  settle?(job: Job, id: number, choice: Choice): Promise<readonly Change[]>
  /** Lists the files of the work directory. */
  artifacts(): Promise<Artifact[]>
  /** Discards the state that earlier jobs left, in a backend that keeps state. */
  restart?(): Promise<void>
  /** Releases all resources. */
  close(): Promise<void>
}

/** Returns an outcome without output on `stdout`. */
export const failedOutcome = (reason: StopReason, stderr: string, exitCode: number = 1): Outcome => ({
  exitCode,
  stdout: '',
  stderr,
  reason,
  truncatedBytes: 0,
})
