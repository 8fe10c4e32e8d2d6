import type { Budget, BudgetCall } from '@x/interfaces'
import type { ContractRunner } from '@x/testing'
import { budgetContract } from '@x/testing/hosting'
import { describe, expect, test } from 'vitest'
import { createBudget, type BudgetOptions } from './budget.ts'

budgetContract(
  { describe, test, expect },
  { name: 'createBudget', create: (options) => ({ budget: createBudget(options), close() {} }) },
)

budgetContract(
  { describe, test, expect },
  {
    name: 'createBudget in a parent of the same limits',
    create: (options) => ({ budget: createBudget({ ...options, parent: createBudget(options) }), close() {} }),
  },
)

/** Runs the suite with a budget and returns the names of the tests that fail. */
async function failing(create: (options: BudgetOptions) => Budget): Promise<string[]> {
  const tests: [name: string, body: () => Promise<void>][] = []
  const runner: ContractRunner = {
    describe: (_, body) => body(),
    test: (name, body) => void tests.push([name, body]),
    expect,
  }
  budgetContract(runner, { name: 'broken', create: (options) => ({ budget: create(options), close() {} }) })
  const failed: string[] = []
  for (const [name, body] of tests) await body().catch(() => failed.push(name))
  return failed
}

/** Makes a budget that sees other facts of each call. */
function seeing(options: BudgetOptions, facts: Partial<BudgetCall>): Budget {
  const budget = createBudget(options)
  const seen = new WeakMap<BudgetCall, BudgetCall>()
  const see = (call: BudgetCall): BudgetCall => {
    const other = seen.get(call) ?? {
      ...{ model: call.model, maxTokens: call.maxTokens, maxOutput: call.maxOutput, ...facts },
      estimate: (...given) => call.estimate(...given),
    }
    seen.set(call, other)
    return other
  }
  return {
    get spent() {
      return budget.spent
    },
    reserve: (estimate, more) => budget.reserve(estimate, { ...more, call: more?.call && see(more.call) }),
  }
}

test.each<[string, (options: BudgetOptions) => Budget, RegExp]>([
  [
    'limits one amount alone',
    ({ cost, ...options }) => createBudget({ ...options, ...(options.tokens === undefined && { cost: cost! }) }),
    /limit of cost/u,
  ],
  [
    'takes a limit of 0 for none',
    ({ calls, ...options }) => createBudget({ tokens: 1e9, ...options, ...(calls && { calls }) }),
    /limit of 0/u,
  ],
  [
    'is strict about tokens alone',
    ({ strict, ...options }) => createBudget({ ...options, strict: strict === true && options.cost === undefined }),
    /money that is left/u,
  ],
  [
    'has no fixed cost',
    (options) =>
      createBudget({ ...options, ...(options.perCall && { perCall: { tokens: options.perCall.tokens ?? 0 } }) }),
    /fixed cost/u,
  ],
  ['takes all models for one', (options) => seeing(options, { model: 'm' }), /for that model alone/u],
  ['does not ask what a model can answer', (options) => seeing(options, { maxOutput: undefined }), /no more output/u],
])('a budget that %s is found out', async (_, create, name) => {
  expect(await failing(create)).toEqual(expect.arrayContaining([expect.stringMatching(name)]))
})
