/** How code is isolated from the machine, weakest first. */
export type Isolation = 'host' | 'sandbox' | 'wasm' | 'container'

/** Why a block of code ended. */
export type StopReason =
  | 'exit'
  | 'saved'
  | 'timeout'
  | 'output-limit'
  | 'memory'
  | 'processes'
  | 'disk'
  | 'unsupported-language'
  | 'bad-filename'
  | 'engine'

/** The result of one block. */
export interface BlockResult {
  /** Language as which the block ran. */
  readonly language: string
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly reason: StopReason
  /** Bytes of output that were dropped between head and tail. */
  readonly truncatedBytes: number
  /** Duration in milliseconds. */
  readonly ms: number
  /** How the code was isolated from the machine; absent if nothing ran. */
  readonly isolation?: Isolation | undefined
  /** File of the block, relative to the work directory. */
  readonly file?: string | undefined
}

/** An entry of the work directory after a run. Links are listed and never followed. */
export interface Artifact {
  /** Path relative to the work directory. */
  readonly name: string
  /** Size in bytes. */
  readonly size: number
  readonly kind: 'file' | 'directory' | 'link' | 'other'
}

/** The result of a run of code. */
export interface CodeResult {
  /** Exit code of the last block that ran; 0 for success. */
  exitCode: number
  /** Output of the code. */
  output: string
  /** File of the first block, if any. */
  codeFile?: string | undefined
  /** One row per block that ran. */
  blocks?: readonly BlockResult[] | undefined
  /** Entries of the work directory afterwards. */
  artifacts?: readonly Artifact[] | undefined
  /**
   * The changes of the code in a directory of the user's, by name, at most 1,000 changes; absent without such a directory, and
   * if nothing changed.
   */
  changes?: readonly CodeChange[] | undefined
}

/** A change of a file, directory or link in a directory of the user's, and what became of it. */
export interface CodeChange {
  /** Path relative to the directory. */
  readonly name: string
  readonly kind: 'added' | 'changed' | 'removed'
  readonly entry: 'file' | 'directory' | 'link'
  /** Where a link leads that was added or changed. */
  readonly target?: string | undefined
  /** Why the change is a risk: which programs of the user act on the file by themselves. Absent without a mark. */
  readonly risk?: string | undefined
  /** Why the change is not in the user's directory; later blocks see it. Absent if it is there. */
  readonly held?: string | undefined
  /** True for caches that ordinary runs write all the time; the output does not tell them. */
  readonly isRoutine?: boolean | undefined
}
