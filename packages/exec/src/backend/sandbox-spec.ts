import type { Workspace } from './workspace.ts'

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
const PATH = '/usr/local/bin:/usr/bin:/bin'

/** Gives the environment of code in a sandbox. */
export const environment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH,
  HOME: '/workspace',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  ...env,
})
