import { createCodeExecutor } from '@x/exec'
import { bestFirst, search } from '@x/reasoning'
import { afterAll, describe, expect, it } from 'vitest'
import { PROBLEMS, programParts, programWriter, WRITER_RATES, TestRunner } from './index.ts'

const executor = createCodeExecutor('wasm', { timeout: 20 })
const runner = new TestRunner(executor)
afterAll(() => executor.close())

describe('the problems', () => {
  it('have passing solutions that contain the slips', async () => {
    for (const problem of PROBLEMS) {
      expect([problem.name, await runner.isRight(problem, problem.solution)]).toEqual([problem.name, true])
      for (const [right, wrong] of problem.slips) {
        const program = problem.solution.replace(right, wrong)
        expect(problem.solution).toContain(right)
        expect([wrong, problem.solution.includes(wrong), program.includes(right)]).toEqual([wrong, false, false])
        expect(program.replace(wrong, right)).toBe(problem.solution)
        expect([program, await runner.isRight(problem, program)]).toEqual([program, false])
      }
    }
  })
})

describe('the writer', () => {
  const [problem] = PROBLEMS as [(typeof PROBLEMS)[number]]
  const { root } = { root: { parent: null, trajectory: '', content: problem.task } as never }
  const written = (sample: number): string => {
    const request = { question: problem.task, node: root, context: null, repair: null, sample }
    const made = programWriter(problem).propose(request, undefined as never) as { text: string }
    return made.text
  }

  it('writes right, nearly right and wrong programs at its rates', () => {
    const programs = Array.from({ length: 2000 }, (_, sample) => written(sample))
    const errors = programs.map((text) => problem.slips.filter(([right]) => !text.includes(right)).length)
    const share = (count: number): number => errors.filter((each) => each === count).length / programs.length
    expect(share(0)).toBeCloseTo(WRITER_RATES.right, 1)
    expect(share(1)).toBeCloseTo(WRITER_RATES.nearlyRight, 1)
  })

  it('writes the same program for the same sample', () => {
    expect(written(3)).toBe(written(3))
    expect(new Set([0, 1, 2, 3, 4, 5, 6, 7].map(written)).size).toBeGreaterThan(3)
  })
})

describe('a search over programs', () => {
  it('finds a passing program by the tests that it may run', async () => {
    const [problem] = PROBLEMS as [(typeof PROBLEMS)[number]]
    const method = bestFirst({ maxDepth: 12, expansions: 100, widen: 8 })
    const result = await search(problem.task, { ...programParts(problem, runner, { seed: 2 }), method })
    expect(result.status).toBe('verified')
    expect((await runner.run(problem, result.answer!)).passed).toBe(1)
    expect(result.used.calls).toBeGreaterThan(1)
  })

  it('believes no line that a program prints, and lets it use any name', async () => {
    const [problem] = PROBLEMS as [(typeof PROBLEMS)[number]]
    const lines = problem.tests.map(() => `console.log('ok      ' + 1)`).join('\n')
    expect(await runner.run(problem, `${lines}\nprocess.exit(0)`)).toMatchObject({ passed: 0 })
    const named = `const tests = 1\nconst print = 2\n${problem.solution}`
    expect(await runner.run(problem, named)).toEqual({ passed: 1, failures: '' })
  })

  it('reports failures, and survives programs that do not end or do not parse', async () => {
    const [problem] = PROBLEMS as [(typeof PROBLEMS)[number]]
    expect(await runner.run(problem, 'function roman() { return 7 }')).toEqual({
      passed: 0,
      failures: expect.stringContaining('roman("III") is 7 and has to be 3'),
    })
    expect(await runner.run(problem, 'function roman( {')).toEqual({
      passed: 0,
      failures: expect.stringContaining('did not run to its end'),
    })
  })
})
