import { expect } from 'vitest'
import type { ContractRunner } from './contract-runner.ts'

/** Runs a suite and returns the names of the tests that fail. */
export async function failing(suite: (runner: ContractRunner) => void): Promise<string[]> {
  const tests: { readonly name: string; readonly body: () => Promise<void> }[] = []
  suite({
    describe: (_, body) => body(),
    test: (name, body) => void tests.push({ name, body }),
    expect,
  })
  const failed: string[] = []
  for (const { name, body } of tests) await body().catch(() => failed.push(name))
  return failed
}
