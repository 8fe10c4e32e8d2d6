import { tool } from '@x/agent'
import { createCodeExecutor } from '@x/exec'
import type { CodeExecutor, Tool } from '@x/interfaces'
import { z } from 'zod'

/** Most programs that a worker runs at once; further ones wait. */
const MAX_RUNNING = 4

/** Seconds for one program. */
const TIMEOUT_S = 20

const LIMITS = { memoryBytes: 256 * 2 ** 20, outputBytes: 16_384 }

/** Makes an executor that takes, for each language, the first way that isolates code on this machine. */
const isolatingExecutor = (): ReturnType<typeof createCodeExecutor> =>
  createCodeExecutor('auto', { timeout: TIMEOUT_S, limits: LIMITS })

/**
 * Makes the tool that runs code of the model. Every call has an executor,
 * and so a work directory, of its own: no chat sees the files of another one. Code gets no environment, no network and none
 * of the worker's files. Where nothing isolates it, the call fails with `no-sandbox`, and the model reads why.
 */
export function codeTool(createExecutor: () => CodeExecutor & AsyncDisposable = isolatingExecutor): Tool {
  const inTurn = atMost(MAX_RUNNING)
  return tool({
    name: 'run_code',
    description:
      'Runs a program in a sandbox and returns what it prints. It has no network and no files of the server, and nothing stays for the next call.',
    parameters: z.object({ language: z.enum(['javascript', 'typescript', 'python', 'sh']), code: z.string() }),
    execute: ({ language, code }, { run }) =>
      inTurn(async () => {
        await using executor = createExecutor()
        const { exitCode, output } = await executor.executeCodeBlocks([{ language, code }], { run })
        return exitCode === 0 ? output : `exit code ${exitCode}\n${output}`
      }),
  })
}

/** Returns a function that runs at most `count` jobs at once, and the others in the order of their calls. */
function atMost(count: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (job) => {
    if (running === count) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
