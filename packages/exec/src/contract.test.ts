import { codeExecutorContract } from '@x/testing'
import { describe, expect, test, vi } from 'vitest'
import { ways } from './ways.fake.ts'

// Python in WebAssembly is loaded anew for every executor, which a busy machine takes its time for.
vi.setConfig({ testTimeout: 120_000 })

const ISOLATION = {
  local: 'host',
  bubblewrap: 'sandbox',
  unshare: 'sandbox',
  quickjs: 'wasm',
  pyodide: 'wasm',
  container: 'container',
} as const

for (const { kind, language, missing, create } of await ways()) {
  describe.skipIf(missing !== null)(`${kind}${missing === null ? '' : `: ${missing}`}`, () => {
    codeExecutorContract(
      { describe, test, expect },
      {
        create: ({ timeout, outputBytes }) => create({ timeout, limits: { outputBytes } }),
        language,
        isolation: ISOLATION[kind],
        files: kind !== 'quickjs',
      },
    )
  })
}
