import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files of tests that take long whatever their size, in the order in which they are started; without earlier runs to go
 * by, other large files follow. Those that wait much come before those that compute.
 */
const SLOW: readonly RegExp[] = [
  /\/exec\/src\/red-team\.test\.ts$/u,
  /\/exec\/src\/contract\/container\.test\.ts$/u,
  /\/exec\/src\/contract\/wasm\.test\.ts$/u,
  /\/exec\/src\/wasm\/pyodide\.test\.ts$/u,
  /\/exec\/src\/wasm\/engines\.test\.ts$/u,
  /\/exec\/src\/wasm\/python-images\.test\.ts$/u,
  /\/exec\/src\/red-team\/busy\.test\.ts$/u,
  /\/exec\/src\/contract\//u,
  /\/gvisor\.test\.ts$/u,
  /\/exec\/src\/death\.test\.ts$/u,
]

/** Starts the slowest files of tests first, so that none of them is left for the end, when other cores have nothing to do. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = SLOW.findIndex((pattern) => pattern.test(moduleId))
      return at === -1 ? SLOW.length : at
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
