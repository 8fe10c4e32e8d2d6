import type { SearchParts, ThinkNode } from '@x/reasoning'
import type { ProgramProblem } from './problems.ts'
import { programWriter, type WriterRates } from './stand-in.ts'
import type { TestRunner } from './test-runner.ts'

const PASSES = 'all tests pass'

const NO_CALL = { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0 }

/**
 * The parts of a search over programs: a step is a whole program, its grade the share of the tests that it passes, the
 * answer the last program of the path. Only the writer costs calls.
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
        // A program that passes needs no repair: its path ends, which costs no call.
        if (request.node.ratingDetails !== PASSES) return writer.propose(request, run)
        return { text: '', reflection: '', options: [{ content: 'TERMINATE', grade: 1 }], used: NO_CALL }
      },
    },
    grader: {
      async grade({ nodes }) {
        const reports = await Promise.all(nodes.map(({ content }) => runner.run(problem, content)))
        return {
          used: NO_CALL,
          grades: reports.map(({ passed, failures }) => ({ value: passed, details: failures || PASSES })),
        }
      },
    },
    answerer: { answer: ({ from }) => ({ text: programOf(from[0]!), used: NO_CALL }) },
    async verifier(program) {
      const { passed, failures } = await runner.run(problem, program)
      return { accepted: passed === 1, score: passed, reason: failures || PASSES }
    },
  }
}

/** The last program of a path. */
const programOf = (end: ThinkNode): string =>
  end.path.findLast((node) => node.parent && node.content !== 'TERMINATE')?.content ?? 'no program'
