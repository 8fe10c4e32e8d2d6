import type { Workspace } from './workspace.ts'
import type { Visible } from './visible.ts'

/** Describes a sandboxed command line. */
export interface SandboxSpec {
  readonly kind: 'bubblewrap' | 'unshare'
  /** Directory that code works in, made for the executor. */
  readonly workspace: Workspace
  /** Directory of the user's that the code works on a copy of; null for none. */
  readonly given: string | null
  /** Directory for copies of what is guarded there, which code never gets to change. */
  readonly guard: string
  /** Guarded names of that directory that code may change. */
  readonly writable: readonly string[]
  readonly network: 'none' | 'host'
  /** Further paths of the host that code may read. */
  readonly readOnly: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** `PATH` of the program, where interpreters are looked for that the system's directories lack. */
  readonly hostPath: string
}

/** Paths of the sandbox's programs. */
const SANDBOX_PATH = '/usr/local/bin:/usr/bin:/bin'

/** Returns the environment of code in a sandbox. */
export const environment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: SANDBOX_PATH,
  HOME: '/workspace',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  ...env,
})

/** The part of the machine that one block sees, and what it may ask of the kernel. */
export interface View {
  readonly programs: Visible
  /** Work directory, as the process sees it that starts the sandbox. */
  readonly workspace: string
  /** Directory with copies of what is guarded. */
  readonly guard: string
  /** Names of it that are shown in the work directory and are read-only. */
  readonly guarded: readonly string[]
  /** Names in the work directory that do not exist and cannot be made. */
  readonly absent: readonly string[]
  /** Filter of system calls; null where none can be made. */
  readonly filter: Uint8Array | null
}
