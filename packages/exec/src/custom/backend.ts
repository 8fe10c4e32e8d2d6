import type { Artifact, Isolation, MaybePromise, StopReason } from '@x/interfaces'
import type { Job, OutputChunk } from '../run/job.ts'
import type { ExecutionLimits } from '../run/limits.ts'

/** Connects a running job with the executor: one way the output, the other way the order to stop. */
export interface JobControl {
  /** Fires when the job has to end: its time is up, it printed too much, or the caller stopped it. */
  readonly signal: AbortSignal
  /** Reports a piece of output as it comes. The executor keeps its head and its tail. */
  onOutput(chunk: OutputChunk): void
}

/** The result of a job as a backend reports it. */
export interface JobResult {
  /** 0 for success. Ignored when the executor stopped the job. */
  readonly exitCode: number
  /** All that was printed on `stdout`; ignored when pieces of that stream were reported by `onOutput`. */
  readonly stdout?: string | undefined
  /** All that was printed on `stderr`; ignored when pieces of that stream were reported by `onOutput`. */
  readonly stderr?: string | undefined
  /** Why the backend ended the job, such as `memory`; default `exit`. */
  readonly reason?: StopReason | undefined
  /** Isolation of this job, where it differs from the backend's. */
  readonly isolation?: Isolation | undefined
  /** Path of the saved file as people may be told, from a backend that keeps the files itself. */
  readonly savedAs?: string | null | undefined
}

/**
 * Runs single jobs somewhere. A minimal backend has `fault` and `run`; everything else (names of files, limits of time
 * and output, order, events, the blocking call) is the executor's work.
 */
export interface Backend {
  /** Isolation that was obtained; default: the `isolation` of its factory. */
  readonly isolation?: Isolation | undefined
  /**
   * Says why a language cannot run here; null when it can. Called before the first job of a language, and again after
   * an answer that was not null, a restart, and a job that did not end by itself. May take up to two minutes, to start a
   * machine or to fetch an image.
   */
  fault(runtime: Job['runtime']): MaybePromise<string | null>
  /**
   * Runs a job to its end and resolves when nothing of it is left, also when `control.signal` fires; then it has five
   * seconds. An error that it throws becomes a block that failed with reason `engine`; an `XError` reaches the caller.
   */
  run(job: Job, control: JobControl): MaybePromise<JobResult>
  /**
   * Lists the files that code left. A backend with this method keeps the files itself: `run` saves `job.code` as
   * `job.file` first, and only that when `job.saveOnly` is set. Without it the executor saves each block in the work
   * directory of this machine and lists that directory.
   */
  artifacts?(): MaybePromise<Artifact[]>
  /** Forgets what earlier jobs left, where there is something. */
  restart?(): MaybePromise<void>
  /** Releases everything that it holds. Called once, after the last job. */
  close?(): MaybePromise<void>
}

/** Facts about the executor that a backend is made for: plain data. */
export interface BackendContext<Settings = undefined> {
  /** Name of the executor. The backend of blocking calls has the same one, so that both can share a container or a session. */
  readonly id: string
  /** Absolute path of the work directory on this machine, which exists. Links in the path are resolved. */
  readonly workDir: string
  readonly limits: ExecutionLimits
  /** The `settings` that the executor was made with. */
  readonly settings: Settings
}

/** Makes backends of one kind: the value that a package exports for `createCustomExecutor`. */
export interface BackendFactory<Settings = undefined> {
  /** How far the backends keep code from the machine. Do not promise more than they do. */
  readonly isolation: Isolation
  /** Version of this interface. */
  readonly specVersion: 1
  /** Jobs that one backend can run at once; default 8. Further ones wait, and their time begins when they start. */
  readonly concurrency?: number | undefined
  /**
   * Module that exports this value, by which the thread of blocking calls imports it. Without it the executor runs
   * asynchronous calls only.
   */
  readonly module?:
    | {
        /** Name of the package. */
        readonly specifier: string
        /** Name of the export. */
        readonly export: string
        /** Address of the module (`import.meta.url`); default: looked up by the package's name. */
        readonly url?: string | undefined
      }
    | undefined
  /** Makes a backend. Called with the first job; start nothing expensive here but in `fault`. */
  createBackend(context: BackendContext<Settings>): Backend
}
