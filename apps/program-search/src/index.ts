export { programParts } from './program-parts.ts'
export { PROBLEMS } from './problems.ts'
export { programWriter, WRITER_RATES } from './stand-in.ts'
export { TestRunner } from './test-runner.ts'
