import type { CodeBlock } from './approval.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ChatMessage } from './message.ts'
import type { RunOptions } from './run.ts'

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

/** What came out of one block. */
export interface BlockResult {
  /** Language it ran as. */
  readonly language: string
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly reason: StopReason
  /** Bytes of output that were left out between head and tail. */
  readonly truncatedBytes: number
  /** Time it took, in milliseconds. */
  readonly ms: number
  /** How far it was kept from the machine; absent when nothing ran. */
  readonly isolation?: Isolation | undefined
  /** File it was saved as, relative to the work directory. */
  readonly file?: string | undefined
}

/** Something in the work directory after a run. Links are listed and never followed. */
export interface Artifact {
  /** Path relative to the work directory. */
  readonly name: string
  /** Size in bytes. */
  readonly size: number
  readonly kind: 'file' | 'directory' | 'link' | 'other'
}

/** What came out of a run of code. */
export interface CodeResult {
  /** Exit code of the last block that ran; 0 for success. */
  exitCode: number
  /** What the code printed. */
  output: string
  /** File the first block was saved as, if any. */
  codeFile?: string | undefined
  /** One row per block that ran. */
  blocks?: readonly BlockResult[] | undefined
  /** What lies in the work directory afterwards. */
  artifacts?: readonly Artifact[] | undefined
}

/** Reads code out of texts. */
export interface CodeReader {
  /** The code blocks of a message's content. */
  extractCode(content: ChatMessage['content']): CodeBlock[]
  /** Guesses the language of code without a label. */
  inferLang(code: string): string
}

/** How far code is kept from the machine, weakest first. */
export type Isolation = 'host' | 'sandbox' | 'wasm' | 'container'

/** Runs code blocks. */
export interface CodeExecutor {
  readonly codeReader: CodeReader
  /** What was obtained; where it differs by language, the weakest. */
  readonly isolation: Isolation
  /** Runs the blocks in order and stops at the first that fails. */
  executeCodeBlocks(blocks: readonly CodeBlock[], options?: RunOptions): MaybePromise<CodeResult>
  /** The same, blocking. */
  executeCodeBlocksSync?(blocks: readonly CodeBlock[], options?: Pick<RunOptions, 'run' | 'emit'>): CodeResult
  /** Forgets what earlier runs left. */
  restart?(): MaybePromise<void>
  close?(): MaybePromise<void>
}

/** Options of one run of code in the older style. */
export interface RunCodeOptions extends RunOptions {
  /** Language of the code; default `python`. */
  readonly lang?: string | undefined
  /** File name to save the code as. */
  readonly filename?: string | undefined
  /** Seconds the code may take. */
  readonly timeout?: number | undefined
  readonly workDir?: string | undefined
  readonly useDocker?: boolean | string | undefined
}

/** Runs one piece of code in the older style, made from the legacy keys. */
export interface CodeRunner {
  readonly codeReader: CodeReader
  /** Docker image, whether to use one, or null when code execution is off. */
  readonly useDocker: boolean | string | null
  runCode(code: string, options: RunCodeOptions): MaybePromise<[exitCode: number, logs: string, image: string | null]>
  /** The same, blocking. */
  runCodeSync?(code: string, options: RunCodeOptions): [exitCode: number, logs: string, image: string | null]
}

/** How far back a message with code is looked for: a number of messages, or back to the agent's own last one. */
export type LastNMessages = number | 'auto'

/** Where an agent's code runs. */
export type CodeExecutionConfig =
  | { executor: CodeExecutor; lastNMessages?: LastNMessages | undefined }
  | { runner: CodeRunner; lastNMessages?: LastNMessages | undefined }
