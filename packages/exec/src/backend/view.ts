import type { Visible } from './visible.ts'

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
