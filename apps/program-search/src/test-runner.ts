import type { CodeExecutor } from '@x/interfaces'
import type { ProgramProblem, ProgramTest } from './problems.ts'

/** The result of the tests of a program. */
export interface TestReport {
  /** Share of the tests that passed, in [0, 1]. */
  readonly passed: number
  /** The failed tests, one line each. */
  readonly failures: string
}

/** Runs tests of programs in a sandbox; runs equal programs once. */
export class TestRunner {
  readonly #executor: CodeExecutor
  readonly #reports = new Map<string, Promise<TestReport>>()
  /** Marks the lines and names of the tests, so that no program has them. */
  readonly #mark = `x${crypto.randomUUID().replaceAll('-', '')}`

  constructor(executor: CodeExecutor) {
    this.#executor = executor
  }

  /** Number of programs run so far. */
  get runs(): number {
    return this.#reports.size
  }

  /** Runs the tests that the search may see. */
  run(problem: ProgramProblem, program: string): Promise<TestReport> {
    return this.#report(problem.name, program, problem.tests)
  }

  /** True if a program passes all tests, including those that the search does not see. */
  async isRight(problem: ProgramProblem, program: string): Promise<boolean> {
    const { passed } = await this.#report(problem.name, program, [...problem.tests, ...problem.heldOut])
    return passed === 1
  }

  #report(name: string, program: string, tests: readonly ProgramTest[]): Promise<TestReport> {
    const code = codeOf({ name, program, tests, mark: this.#mark })
    let report = this.#reports.get(code)
    if (!report) this.#reports.set(code, (report = this.#execute(code, tests.length)))
    return report
  }

  async #execute(code: string, count: number): Promise<TestReport> {
    const { output } = await this.#executor.executeCodeBlocks([{ language: 'javascript', code }])
    const lines = output
      .split('\n')
      .flatMap((line) => (line.startsWith(this.#mark) ? line.slice(this.#mark.length) : []))
    const failures = lines.filter((line) => line.startsWith('failed '))
    const rest = lines.length < count ? [`failed  the program did not run to its end: ${output.slice(-200)}`] : []
    const passed = (lines.length - failures.length) / count
    return { passed, failures: [...failures, ...rest].map((line) => line.slice(8)).join('\n') }
  }
}

/** A program with its tests. */
interface TestedProgram {
  readonly name: string
  readonly program: string
  readonly tests: readonly ProgramTest[]
  /** Begins the names of the code around the program, and its lines. */
  readonly mark: string
}

/** Returns the code that prints a line for each test; the tests come first, so that the program cannot change them. */
function codeOf({ name, program, tests, mark }: TestedProgram): string {
  return `const ${mark}tests = ${JSON.stringify(tests)}
const ${mark}print = console.log
${program}
for (const [args, result] of ${mark}tests) {
  const call = '${name}(' + args.map((arg) => JSON.stringify(arg)).join(', ') + ')'
  let given
  try { given = JSON.stringify(${name}(...args)) } catch (error) { given = String(error) }
  if (given === JSON.stringify(result)) ${mark}print('${mark}ok      ' + call)
  else ${mark}print('${mark}failed  ' + call + ' is ' + given + ' and has to be ' + JSON.stringify(result))
}`
}
