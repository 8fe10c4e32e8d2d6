import type { ChangeRules } from '../changes/changeset.ts'
import type { Workspace } from './workspace.ts'
import type { Visible } from './programs.ts'

/** Description of a sandbox that runs command lines. */
export interface SandboxSpec {
  readonly kind: 'bubblewrap' | 'unshare'
  /** Directory in which code works, made for the executor. */
  readonly workspace: Workspace
  /** Directory of the user, of which code gets a copy; null for none. */
  readonly given: string | null
  /** Rules for the changes that come back to the directory of the user. */
  readonly rules: ChangeRules
  readonly network: 'none' | 'host'
  /** Further paths of the host that code may read. */
  readonly readOnly: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** `PATH` of the program, searched for interpreters outside the system directories. */
  readonly hostPath: string
}

/** `PATH` of code in a sandbox. */
const SANDBOX_PATH = '/usr/local/bin:/usr/bin:/bin'

/** Returns the environment of code in a sandbox. */
export const environment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: SANDBOX_PATH,
  HOME: '/workspace',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  ...env,
})

/** Part of the machine that one block sees, and the system calls that it may make. */
export interface View {
  readonly programs: Visible
  /** Work directory, as the tool that starts the sandbox sees it. */
  readonly workspace: string
  /** Filter of system calls; null if there is none for this architecture. */
  readonly filter: Uint8Array | null
}

/** How a sandbox is started: a command line, bytes for its descriptors from 3 on, and its environment. */
export interface SandboxCommand {
  readonly argv: readonly string[]
  readonly inputs: readonly Uint8Array[]
  readonly env: Readonly<Record<string, string>>
}
