import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that take long though their files are small: without earlier runs to go by, large files are started first. */
const SLOW: readonly RegExp[] = [/\/exec\/src\/contract\//u, /\/gvisor\.test\.ts$/u]

/** Starts the slowest files of tests first, so that none of them is left for the end, when other cores have nothing to do. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.some((pattern) => pattern.test(moduleId))
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
