import type { MaybePromise } from './maybe-promise.ts'
import type { RunOptions } from './run.ts'
import type { ChatMessage } from './message.ts'

/** A piece of code that a message holds. */
export interface CodeBlock {
  /** Language as written after the fence; empty when none was. */
  language: string
  code: string
}

/** What came out of a run of code. */
export interface CodeResult {
  /** Exit code of the last block that ran; 0 for success. */
  exitCode: number
  /** What the code printed. */
  output: string
  /** File the first block was saved as, if any. */
  codeFile?: string | undefined
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
  /** What was obtained. */
  readonly isolation: Isolation
  /** Runs the blocks in order and stops at the first that fails. */
  executeCodeBlocks(blocks: readonly CodeBlock[], options?: RunOptions): MaybePromise<CodeResult>
  /** The same, blocking. */
  executeCodeBlocksSync?(blocks: readonly CodeBlock[]): CodeResult
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
}

/** How far back a message with code is looked for: a number of messages, or back to the agent's own last one. */
export type LastNMessages = number | 'auto'

/** Where an agent's code runs. */
export type CodeExecutionConfig =
  | { executor: CodeExecutor; lastNMessages?: LastNMessages | undefined }
  | { runner: CodeRunner; lastNMessages?: LastNMessages | undefined }
