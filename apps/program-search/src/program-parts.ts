import type { SearchParts, ThinkNode } from '@x/reasoning'
import type { ProgramProblem } from './problems.ts'
import { programWriter, type WriterRates } from './stand-in.ts'
import type { TestRunner } from './test-runner.ts'

const PASS_DETAILS = 'all tests pass'

const NO_USAGE = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }

/**
 * Makes the parts of a search over programs: a step is a whole program, the grade is the share of passing tests, and the
 * answer is the last program of the path. Only the writer costs calls.
 */
export function programParts(
  problem: ProgramProblem,
  runner: TestRunner,
  options: { rates?: WriterRates; seed?: number } = {},
): SearchParts {
  const writer = programWriter(problem, options)
  return {
    proposer: {
      propose(request, run) {
        // A passing program needs no repair: its path ends without a call.
        if (request.node.ratingDetails !== PASS_DETAILS) return writer.propose(request, run)
        return { text: '', reflection: '', options: [{ content: 'TERMINATE', grade: 1 }], used: NO_USAGE }
      },
    },
    grader: {
      async grade({ nodes }) {
        const reports = await Promise.all(nodes.map(({ content }) => runner.run(problem, content)))
        return {
          used: NO_USAGE,
          grades: reports.map(({ passed, failures }) => ({ value: passed, details: failures || PASS_DETAILS })),
        }
      },
    },
    answerer: { answer: ({ from }) => ({ text: programOf(from[0]!), used: NO_USAGE }) },
    async verifier(program) {
      const { passed, failures } = await runner.run(problem, program)
      return { accepted: passed === 1, score: passed, reason: failures || PASS_DETAILS }
    },
  }
}

/** Returns the last program of a path. */
const programOf = (end: ThinkNode): string =>
  end.path.findLast((node) => node.parent && node.content !== 'TERMINATE')?.content ?? 'no program'
