import type { CodeExecutionConfig, CodeResult, CodeRunner, RunCodeOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { createCodeExecutor, CODE_EXECUTOR_OPTION_KINDS, type CodeExecutorOptions } from './create-code-executor.ts'
import type { ExecutorKind } from './backend/kinds.ts'
import type { BlockExecutor } from './executor.ts'
import { codeReader } from './read/code-reader.ts'
import { plainText } from './run/plain-text.ts'

/** Options of {@link codeExecutionConfig}: the legacy keys, and the options of the sandbox. */
export interface LegacyCodeOptions extends Omit<CodeExecutorOptions, 'reading' | 'inferLang' | 'execute' | 'image'> {
  /**
   * An image or `true` runs code in a container; `false` runs it with the programs of this machine in a sandbox, or on the
   * host itself with `trust: 'host'`. Default: the environment variable `AUTOGEN_USE_DOCKER`, else `true`, with a sandbox
   * in place of a container where no engine answers.
   */
  readonly useDocker?: boolean | string | undefined
  /** Time limit of a block, in seconds; default 600, as in the Python library. */
  readonly timeout?: number | undefined
  /** Number of recent messages that are searched for code; default `auto`. */
  readonly lastNMessages?: CodeExecutionConfig['lastNMessages']
}

const { reading: _, inferLang: __, execute: ___, image: ____, ...SANDBOX_OPTION_KINDS } = CODE_EXECUTOR_OPTION_KINDS

const LEGACY_CODE_OPTION_KINDS: OptionKinds<LegacyCodeOptions> = {
  ...SANDBOX_OPTION_KINDS,
  useDocker: kind.either(kind.flag, kind.text),
  lastNMessages: {
    ...kind.either(kind.whole(0), kind.oneOf('auto')),
    expected: "a whole number of at least 0, or 'auto'",
  },
}

/** Converts the legacy keys of a code execution config into a config for an agent. Nothing starts before code runs. */
export function codeExecutionConfig(
  options: LegacyCodeOptions = {},
): Extract<CodeExecutionConfig, { runner: CodeRunner }> & { runner: LegacyCodeRunner } {
  checkOptions(options, LEGACY_CODE_OPTION_KINDS, 'run `codeExecutionConfig`')
  const { lastNMessages, ...rest } = options
  return { runner: new LegacyCodeRunner(rest), ...(lastNMessages !== undefined && { lastNMessages }) }
}

/** Runs one piece of code as the Python library's `run_code`: the logs hold its output if it succeeds, else its errors. */
export class LegacyCodeRunner implements CodeRunner {
  readonly codeReader: CodeRunner['codeReader'] = codeReader({ reading: 'reference-legacy' })
  readonly useDocker: boolean | string
  readonly #options: LegacyCodeOptions
  readonly #dockerIsSet: boolean
  readonly #executors: Map<string, BlockExecutor> = new Map()

  constructor(options: Omit<LegacyCodeOptions, 'lastNMessages'> = {}) {
    this.#options = options
    const useDocker = options.useDocker ?? readUseDocker((options.hostEnv ?? process.env)['AUTOGEN_USE_DOCKER'])
    this.#dockerIsSet = useDocker !== undefined
    this.useDocker = useDocker ?? true
  }

  /** Runs code; returns its exit code, its logs, and null for the image, since no image is kept. */
  async runCode(
    code: string,
    options: RunCodeOptions = {},
  ): Promise<[exitCode: number, logs: string, image: string | null]> {
    const { run, signal, emit } = options
    return logsOf(await this.#executor(options).executeCodeBlocks([blockOf(code, options)], { run, signal, emit }))
  }

  /** {@link runCode}, blocking. */
  runCodeSync(code: string, options: RunCodeOptions = {}): [exitCode: number, logs: string, image: string | null] {
    const { run, emit } = options
    return logsOf(this.#executor(options).executeCodeBlocksSync([blockOf(code, options)], { run, emit }))
  }

  /** Closes the executors that were started. */
  async close(): Promise<void> {
    const executors = [...this.#executors.values()]
    this.#executors.clear()
    for (const executor of executors) await executor.close()
  }

  #executor({ workDir = this.#options.workDir, timeout, useDocker }: RunCodeOptions): BlockExecutor {
    const docker = useDocker ?? this.useDocker
    const seconds = timeout ?? this.#options.timeout ?? 600
    const key = JSON.stringify([workDir, seconds, docker])
    let executor = this.#executors.get(key)
    if (!executor) {
      const { useDocker: _, lastNMessages: __, ...options } = this.#options
      executor = createCodeExecutor(this.#kind(docker, useDocker !== undefined || this.#dockerIsSet), {
        ...options,
        workDir,
        timeout: seconds,
        ...(typeof docker === 'string' && { image: docker }),
      })
      this.#executors.set(key, executor)
    }
    return executor
  }

  #kind(docker: boolean | string, isSet: boolean): ExecutorKind {
    if (docker === false) return this.#options.trust === 'host' ? 'local' : 'sandbox'
    return isSet ? 'container' : 'auto'
  }
}

/** Returns the block for one piece of code, with the requested file name in its first line. */
function blockOf(code: string, { lang = 'python', filename }: RunCodeOptions): { language: string; code: string } {
  if (filename === undefined) return { language: lang, code }
  if (/[\r\n]/u.test(filename))
    throw new XError('invalid-argument', 'cannot run code: `filename` has more than one line. Give a name of one line')
  return {
    language: lang,
    code: code.startsWith(`# filename: ${filename}\n`) ? code : `# filename: ${filename}\n${code}`,
  }
}

function logsOf({ exitCode, output, blocks }: CodeResult): [exitCode: number, logs: string, image: null] {
  const [block] = blocks ?? []
  if (block?.reason === 'timeout') return [1, 'Timeout', null]
  if (block?.reason === 'unsupported-language' && block.isolation === undefined) return [1, output.trimStart(), null]
  if (exitCode !== 0) return [exitCode, plainText(block?.stderr || output), null]
  return [0, plainText(block?.stdout ?? output), null]
}

/** Reads `AUTOGEN_USE_DOCKER`; returns undefined if it is not set. */
function readUseDocker(value: string | undefined): boolean | undefined {
  const word = value?.toLowerCase()
  if (word === undefined || word === '' || word === 'none') return undefined
  if (['1', 'true', 'yes', 't'].includes(word)) return true
  if (['0', 'false', 'no', 'f'].includes(word)) return false
  throw new XError(
    'invalid-argument',
    'cannot read `AUTOGEN_USE_DOCKER`: its value is neither true nor false. Set it to `1` or `0`',
  )
}
