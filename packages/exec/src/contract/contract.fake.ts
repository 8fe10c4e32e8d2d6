import { codeExecutorContract } from '@x/testing'
import { describe, expect, test, vi } from 'vitest'
import { executorMatrix, isolationOf, type MatrixKind } from '../executor-matrix.fake.ts'

/** Runs the suite of code executors for some kinds. Test files run in parallel, the tests of the suite do not. */
export async function contractOf(kinds: readonly MatrixKind[]): Promise<void> {
  // Each executor loads Python in WebAssembly anew, which is slow on a busy machine.
  vi.setConfig({ testTimeout: 120_000 })
  for (const { kind, language, missing, create } of await executorMatrix(kinds)) {
    describe.skipIf(missing !== null)(`${kind}${missing === null ? '' : `: ${missing}`}`, () => {
      codeExecutorContract(
        { describe, test, expect },
        {
          create: ({ timeout, outputBytes }) => create({ timeout, limits: { outputBytes } }),
          language,
          isolation: isolationOf(kind),
          files: kind !== 'quickjs',
        },
      )
    })
  }
}
