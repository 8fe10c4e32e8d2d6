import type { Isolation } from '@x/interfaces'
import type { ExecutionLimits } from '../run/limits.ts'
import type { Backend } from './backend.ts'

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
