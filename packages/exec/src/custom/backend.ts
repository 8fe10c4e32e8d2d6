import type { Artifact, Isolation, MaybePromise, StopReason } from '@x/interfaces'
import type { Walls } from '../backend/walls.ts'
import type { Job, OutputChunk } from '../run/job.ts'
import type { ExecutionLimits } from '../run/limits.ts'

/** Connects a running job with the executor: output goes to the executor, the order to stop comes from it. */
export interface JobControl {
  /** Aborts when the job has to end: its time is up, it printed too much, or the caller stopped it. */
  readonly signal: AbortSignal
  /** Reports a piece of output as it arrives. The executor keeps the head and the tail of the output. */
  onOutput(chunk: OutputChunk): void
}

/** Result of a job as a backend reports it. */
export interface JobResult {
  /** 0 for success. Ignored if the executor stopped the job. */
  readonly exitCode: number
  /** The whole output on `stdout`; ignored if `onOutput` reported pieces of that stream. */
  readonly stdout?: string | undefined
  /** The whole output on `stderr`; ignored if `onOutput` reported pieces of that stream. */
  readonly stderr?: string | undefined
  /** Why the backend ended the job, such as `memory`; default `exit`. */
  readonly reason?: StopReason | undefined
  /** Isolation of this job, if it differs from that of the backend. */
  readonly isolation?: Isolation | undefined
  /** Path of the saved file, to show to a person, from a backend that keeps the files itself. */
  readonly savedAs?: string | null | undefined
}

/**
 * Runs single jobs somewhere. A minimal backend has `fault` and `run`. The executor does everything else: file names, limits
 * on time and output, order, events, the blocking call.
 */
export interface Backend {
  /** Isolation that the backend obtained; default: the `isolation` of its factory. */
  readonly isolation?: Isolation | undefined
  /**
   * Returns why a language cannot run here; null if it can. Called before the first job of a language, and again after an
   * answer that was not null, after a restart, and after a job that did not end by itself. May take up to two minutes, to
   * start a machine or to pull an image.
   */
  fault(runtime: Job['runtime']): MaybePromise<string | null>
  /**
   * Runs a job and resolves when nothing of it is left. When `control.signal` aborts, it has five seconds to do so. A thrown
   * error becomes a block that failed with reason `engine`; an `XError` reaches the caller.
   */
  run(job: Job, control: JobControl): MaybePromise<JobResult>
  /**
   * Lists the files that code left. A backend with this method keeps the files itself: its `run` first saves `job.code` as
   * `job.file`, and does nothing else if `job.saveOnly` is set. Without this method the executor saves each block in the work
   * directory on this machine and lists that directory. Since the code has run, a thrown error becomes an empty list; an
   * `XError` reaches the caller.
   */
  artifacts?(): MaybePromise<Artifact[]>
  /** Discards the state that earlier jobs left, in a backend that keeps state. */
  restart?(): MaybePromise<void>
  /** Releases all resources. Called once, after the last job. */
  close?(): MaybePromise<void>
}

/** Facts about the executor of a backend: plain data. */
export interface BackendContext<Settings = undefined> {
  /** Id of the executor. The backend of blocking calls has the same id, so that both can share a container or a session. */
  readonly id: string
  /** Absolute path of the work directory on this machine, without links. The directory exists. */
  readonly workDir: string
  readonly limits: ExecutionLimits
  /** The `settings` of the executor. */
  readonly settings: Settings
}

/** Creates backends of one kind: the value that a package exports for `createCustomExecutor`. */
export interface BackendFactory<Settings = undefined> {
  /** How the backends isolate code from the machine. Do not promise more than they do. */
  readonly isolation: Isolation
  /** Walls that the backends keep, by name; default: none of them. Do not promise more than they do. */
  readonly walls?: Partial<Omit<Walls, 'program'>> | undefined
  /** Version of this interface. */
  readonly specVersion: 1
  /** Jobs that one backend can run at once; default 8. Further jobs wait, and their time begins when they start. */
  readonly concurrency?: number | undefined
  /**
   * Module that exports this value, from which the thread of blocking calls imports it. Without a module the executor
   * supports asynchronous calls only.
   */
  readonly module?:
    | {
        /** Name of the package. */
        readonly specifier: string
        /** Name of the export. */
        readonly export: string
        /** URL of the module (`import.meta.url`); default: the module is resolved by the name of the package. */
        readonly url?: string | undefined
      }
    | undefined
  /** Creates a backend. Called with the first job. Start expensive things in `fault` instead. */
  createBackend(context: BackendContext<Settings>): Backend
}
