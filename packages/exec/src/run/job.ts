import type { Artifact, Isolation, StopReason } from '@x/interfaces'
import type { ExecutionLimits } from './limits.ts'
import type { Runtime } from './languages.ts'

/** One block as a backend runs it: plain data, so that it can travel to another thread. */
export interface Job {
  readonly runtime: Runtime
  readonly code: string
  /** Path in the work directory that the code is saved as. */
  readonly file: string
  /** Whether the block is only saved. */
  readonly saveOnly: boolean
  readonly limits: ExecutionLimits
}

/** A piece of output as it comes. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** What came out of a job. */
export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly reason: StopReason
  readonly truncatedBytes: number
  /** Absent when nothing ran. */
  readonly isolation?: Isolation | undefined
  /** Where the file lies, as people may be told; null when the backend keeps no files. */
  readonly savedAs?: string | null | undefined
}

/** What a running job reports to and is stopped by. */
export interface Watch {
  readonly signal?: AbortSignal | undefined
  readonly onOutput?: ((chunk: OutputChunk) => void) | undefined
}

/** Something that can run jobs: the place where implementations differ. */
export interface Backend {
  /** How far it keeps code from the machine. */
  readonly isolation: Isolation
  /** Says why it cannot run a language here; null when it can. Really tries, once. */
  fault(runtime: Runtime): Promise<string | null>
  /** Runs a job to its end. Stopping it by the signal is an ordinary end. */
  run(job: Job, watch: Watch): Promise<Outcome>
  /** What lies in the work directory. */
  artifacts(): Promise<Artifact[]>
  /** Forgets what earlier runs left, where there is something. */
  restart?(): Promise<void>
  /** Lets everything go. */
  close(): Promise<void>
}

/** An outcome without output. */
export const failed = (reason: StopReason, stderr: string, exitCode: number = 1): Outcome => ({
  exitCode,
  stdout: '',
  stderr,
  reason,
  truncatedBytes: 0,
})
