import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Slow test files, in the order in which they start: files that mostly wait come before files that compute. Vitest orders
 * the rest by the durations of earlier runs, or by size.
 */
const SLOW_FILES: readonly RegExp[] = [
  /\/conformance\/src\/billing-(?:blocking-)?faults\.test\.ts$/u,
  /\/load\/src\/outage\/outage\.test\.ts$/u,
  /\/host-servers\/src\/\w+\/chaos\.test\.ts$/u,
  /\/host-servers\/src\/\w+\/(?:contract|faults)\.test\.ts$/u,
  /\/web-chat\/src\/load\.test\.ts$/u,
  /\/cli\/src\/chat\.test\.ts$/u,
  /\/web-chat\/src\/states\.test\.ts$/u,
  /\/growth\/readers\.test\.ts$/u,
  /\/studio-page\/src\/browser\.test\.ts$/u,
  /\/exec\/src\/red-team\.test\.ts$/u,
  /\/exec\/src\/contract\/container\.test\.ts$/u,
  /\/exec\/src\/contract\/wasm\.test\.ts$/u,
  /\/exec\/src\/wasm\/pyodide\.test\.ts$/u,
  /\/exec\/src\/wasm\/engines\.test\.ts$/u,
  /\/exec\/src\/wasm\/python-images\.test\.ts$/u,
  /\/exec\/src\/red-team\/busy\.test\.ts$/u,
  /\/exec\/src\/red-team\/(?:changeset|memory|given-directory|visible)\.test\.ts$/u,
  /\/exec\/src\/contract\//u,
  /\/gvisor\.test\.ts$/u,
  /\/exec\/src\/death\.test\.ts$/u,
]

/** Starts the slowest test files first, so that none runs alone at the end while other cores are idle. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = SLOW_FILES.findIndex((pattern) => pattern.test(moduleId))
      return at === -1 ? SLOW_FILES.length : at
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
