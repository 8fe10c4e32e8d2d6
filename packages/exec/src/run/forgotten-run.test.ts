import type { Run, RunOptions } from '@x/interfaces'
import { currentRun, runAsync, wait, type Steps } from '@x/kernel'
import { expect, onTestFinished, test } from 'vitest'
import { createCustomExecutor } from '../create-custom-executor.ts'
import type { Backend } from '../custom/backend.ts'
import type { BlockExecutor } from '../executor.ts'

const BLOCKS = [{ language: 'javascript', code: '1' }]

const operations: Record<string, (executor: BlockExecutor, options: RunOptions) => unknown> = {
  executeCodeBlocks: async (executor, options) => await executor.executeCodeBlocks(BLOCKS, options),
  executeCodeBlocksSync: (executor, options) => executor.executeCodeBlocksSync(BLOCKS, options),
}

const forgets: Record<string, (run: Run) => RunOptions> = {
  'the signal': ({ signal }) => ({ signal }),
  'the emit': ({ emit }) => ({ emit }),
}

const cases = Object.keys(operations).flatMap((name) => Object.keys(forgets).map((what) => [name, what] as const))

function executor(): BlockExecutor {
  const createBackend = (): Backend => ({ fault: () => null, run: () => ({ exitCode: 0 }) })
  const executor = createCustomExecutor({ isolation: 'container', specVersion: 1, createBackend })
  onTestFinished(async () => await executor.close())
  return executor
}

test.each(cases)('%s ends a run whose `run` was forgotten beside %s, whoever catches', async (name, what) => {
  function* outer(): Steps<string> {
    const run = yield* currentRun()
    try {
      yield* wait(operations[name]!(executor(), forgets[what]!(run)), 'code')
    } catch {
      // The run has ended all the same.
    }
    return 'went on'
  }
  await expect(runAsync(outer())).rejects.toMatchObject({ code: 'invalid-argument' })
})

test('code that gets the run is part of it', async () => {
  function* outer(): Steps<unknown> {
    const run = yield* currentRun()
    return yield* wait(executor().executeCodeBlocks(BLOCKS, { run, signal: run.signal }), 'code')
  }
  expect(await runAsync(outer())).toMatchObject({ exitCode: 0 })
})
