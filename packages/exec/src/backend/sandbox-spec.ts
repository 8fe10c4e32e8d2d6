/** Describes a sandboxed command line. */
export interface SandboxSpec {
  readonly kind: 'bubblewrap' | 'unshare'
  readonly workDir: string
  /** Whether the work directory was made for this executor, so that it may be given to an unprivileged user. */
  readonly ownWorkDir: boolean
  readonly network: 'none' | 'host'
  /** Further paths of the host that code may read. */
  readonly readOnly: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** `PATH` of the program, where interpreters are looked for that the system's directories lack. */
  readonly hostPath: string
}

/** Number of the user and the group that code in a sandbox runs as. */
export const NOBODY = 65_534

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
