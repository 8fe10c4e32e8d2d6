import { codeExecutorContract } from '@x/testing'
import { describe, expect, test, vi } from 'vitest'
import { ways, type WayKind } from '../executor-matrix.fake.ts'

const EXPECTED_ISOLATIONS = {
  local: 'host',
  bubblewrap: 'sandbox',
  unshare: 'sandbox',
  quickjs: 'wasm',
  pyodide: 'wasm',
  container: 'container',
} as const

/** Runs the suite of code executors with some ways to run code. Files of tests are run side by side, and its tests are not. */
export async function contractOf(kinds: readonly WayKind[]): Promise<void> {
  // Python in WebAssembly is loaded anew for every executor, which a busy machine takes its time for.
  vi.setConfig({ testTimeout: 120_000 })
  for (const { kind, language, missing, create } of await ways(kinds)) {
    describe.skipIf(missing !== null)(`${kind}${missing === null ? '' : `: ${missing}`}`, () => {
      codeExecutorContract(
        { describe, test, expect },
        {
          create: ({ timeout, outputBytes }) => create({ timeout, limits: { outputBytes } }),
          language,
          isolation: EXPECTED_ISOLATIONS[kind],
          files: kind !== 'quickjs',
        },
      )
    })
  }
}
