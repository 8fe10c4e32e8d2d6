/**
 * Compares searches over programs with single attempts at equal numbers of calls. The writer is a stand-in with assumed
 * rates: this measures the search, not a language model.
 *
 *   pnpm bench program-search [-- --seeds 1,2,3]
 */
import { createCodeExecutor } from '@x/exec'
import {
  abMcts,
  bestFirst,
  gradedMcts,
  reflectiveMcts,
  search,
  searchMethod,
  seededRandom,
  type Method,
} from '@x/reasoning'
import { parseArgs } from 'node:util'
import { PROBLEMS, programParts, WRITER_RATES, TestRunner } from '../src/index.ts'

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '1,2,3,4,5,6,7,8,9,10' } } })
const seeds = values.seeds.split(',').map(Number)

/** Budgets of calls of the writer; one more call is reserved for the answer, which costs none here. */
const BUDGET_CALLS = [1, 2, 5, 10, 20, 40] as const
const maxDepth = 12

/** Writes programs until the calls are used up or one passes: best of n by tests. */
const bestOfPrograms = searchMethod(function* (search) {
  for (;;) {
    const [programs = []] = yield* search.expand([search.root])
    for (const program of programs) {
      const [answer] = yield* search.answer([program])
      if (answer && search.isVerified(answer)) return answer
    }
  }
})

const METHOD_ROWS: readonly (readonly [string, Method])[] = [
  ['best of n by tests', bestOfPrograms],
  ['best_first', bestFirst({ maxDepth, expansions: 1000, widen: 8 })],
  ['graded_mcts', gradedMcts({ maxDepth, nsim: 1000 })],
  ['ab_mcts', abMcts({ maxDepth, nsim: 1000 })],
  ['reflective_mcts (LATS)', reflectiveMcts({ maxDepth: 4, nsim: 1000, samples: 3 })],
]

await using executor = createCodeExecutor('wasm', { timeout: 5 })
const runner = new TestRunner(executor)
console.log('This measures the search, not a language model: the writer is a stand-in with these assumed rates:')
console.log(JSON.stringify(WRITER_RATES))
console.log(
  `${PROBLEMS.length} problems, ${seeds.length} seeds; solved: all tests pass, those that the search does not see included; in brackets: those it sees\n`,
)
console.log('| solved % at calls      |', BUDGET_CALLS.map((calls) => `${calls}`.padStart(11)).join(' |'), '|')
console.log('| ---------------------- |', BUDGET_CALLS.map(() => '----------:').join(' |'), '|')
for (const [name, method] of METHOD_ROWS) {
  const cells: string[] = []
  for (const calls of BUDGET_CALLS) {
    let [right, passing] = [0, 0]
    for (const seed of seeds) {
      const luck = seededRandom(seed)
      for (const problem of PROBLEMS) {
        const parts = programParts(problem, runner, { seed })
        const { answer } = await search(problem.task, {
          ...parts,
          method,
          budget: { calls: calls + 1 },
          concurrency: 1,
          // Without it all searches would draw the same random numbers.
          random: (name) => luck(`${problem.task}|${name}`),
        })
        if (answer === null) continue
        passing += (await runner.run(problem, answer)).passed === 1 ? 1 : 0
        right += (await runner.isRight(problem, answer)) ? 1 : 0
      }
    }
    const percent = (count: number): string => ((100 * count) / seeds.length / PROBLEMS.length).toFixed(0)
    cells.push(`${percent(right)} (${percent(passing)})`.padStart(11))
  }
  console.log(`| ${name.padEnd(22)} |`, cells.join(' |'), '|')
}
console.log(`\n${runner.runs} test runs in a sandbox (${executor.isolation}); equal programs were run once`)
