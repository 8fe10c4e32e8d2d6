import type { CodeBlock, CodeExecutor, CodeReader, CodeResult, CodeRunner, RunCodeOptions } from '@x/interfaces'
import type { Recorder } from './recorder.ts'
import type { GivenAgent } from './trace.ts'

/** A runner of the older style with the results of a script. */
export function scriptRunner(
  results: NonNullable<GivenAgent['run_code']>,
  { useDocker, codeReader }: Pick<CodeRunner, 'useDocker' | 'codeReader'>,
  recorder: Recorder,
): CodeRunner {
  let turn = 0
  return {
    codeReader,
    useDocker,
    runCode(code: string, { lang, filename }: RunCodeOptions) {
      recorder.callFunction('run_code', { code, lang, filename: filename ?? null })
      const [exitCode, logs, image] = results[turn++] ?? results.at(-1) ?? [0, '', null]
      return [exitCode, logs, image]
    },
  }
}

/** One result of a scripted executor. */
export interface GivenCodeResult {
  readonly exit_code: number
  readonly output: string
}

/** An executor with the results of a script; its calls are recorded under the agent's name. */
export function scriptExecutor(
  results: readonly GivenCodeResult[],
  { agent, codeReader }: { agent: string; codeReader: CodeReader },
  recorder: Recorder,
): CodeExecutor {
  let turn = 0
  const run = (blocks: readonly CodeBlock[]): CodeResult => {
    recorder.callFunction(agent, { blocks: blocks.map(({ language, code }) => ({ language, code })) })
    const result = results[turn++] ?? results.at(-1)
    return { exitCode: result?.exit_code ?? 0, output: result?.output ?? '' }
  }
  return { codeReader, isolation: 'host', executeCodeBlocks: run, executeCodeBlocksSync: run }
}
