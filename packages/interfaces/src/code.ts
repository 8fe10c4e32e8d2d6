import type { CodeBlock } from './approval.ts'
import type { CodeChange, CodeResult, Isolation } from './code-result.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ChatMessage } from './message.ts'
import type { RunContext, RunOptions } from './run.ts'

/** Extracts code from texts. */
export interface CodeReader {
  /** Returns the code blocks of a message's content. */
  extractCode(content: ChatMessage['content']): CodeBlock[]
  /** Guesses the language of code without a label. */
  inferLang(code: string): string
}

/**
 * Chooses the changes of code that come back to the user's directory: `all`, those without a risk mark (`safe`), `none`, or
 * those with certain names. It gets the changes that can come back, and the same with the changed lines as a text to show.
 */
type ChooseChanges = (
  changeset: { readonly changes: readonly CodeChange[]; readonly diff: string },
  context: RunContext,
) => MaybePromise<'all' | 'safe' | 'none' | readonly string[]>

/** Options of one execution of code. */
interface CodeExecutionOptions extends RunOptions {
  /**
   * Asks a person which changes come back to a directory of the user's, in an executor that does not choose itself. Default:
   * nobody can be asked.
   */
  readonly chooseChanges?: ChooseChanges | undefined
}

/** Runs code blocks. */
export interface CodeExecutor {
  readonly codeReader: CodeReader
  /** The isolation of the executor; if languages differ, the weakest. */
  readonly isolation: Isolation
  /** Runs the blocks in order and stops at the first that fails. */
  executeCodeBlocks(blocks: readonly CodeBlock[], options?: CodeExecutionOptions): MaybePromise<CodeResult>
  /** The same, blocking. */
  executeCodeBlocksSync?(
    blocks: readonly CodeBlock[],
    options?: Pick<CodeExecutionOptions, 'run' | 'emit' | 'events' | 'chooseChanges'>,
  ): CodeResult
  /** Clears the state of earlier runs. */
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

/** Runs one piece of code in the older style; it is made from the legacy keys. */
export interface CodeRunner {
  readonly codeReader: CodeReader
  /** A Docker image, whether to use Docker, or null if code execution is off. */
  readonly useDocker: boolean | string | null
  runCode(code: string, options: RunCodeOptions): MaybePromise<[exitCode: number, logs: string, image: string | null]>
  /** The same, blocking. */
  runCodeSync?(code: string, options: RunCodeOptions): [exitCode: number, logs: string, image: string | null]
}

/** How far back to search for code: a number of messages, or `auto` for back to the agent's own last message. */
export type LastNMessages = number | 'auto'

/** Where an agent's code runs. */
export type CodeExecutionConfig =
  | { executor: CodeExecutor; lastNMessages?: LastNMessages | undefined }
  | { runner: CodeRunner; lastNMessages?: LastNMessages | undefined }
