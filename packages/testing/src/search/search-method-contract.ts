import type { ContractRunner } from '../contracts/contract-runner.ts'
import { CONTRACT_PARTS, numberOf } from './contract-parts.ts'
import { ContractJournal, ContractRun, type CallKind, type Disturbance } from './contract-run.ts'
import type {
  ContractMethod,
  ContractNode,
  ContractParts,
  ContractSearchOptions,
  ContractSearchResult,
  SearchMethodContract,
} from './contract-search.ts'
import { driveStrategy } from './drive-strategy.ts'

/** Options that a test gives to a search; the suite adds the method and the parts. */
type SearchSettings<M> = Omit<ContractSearchOptions<M>, keyof ContractParts | 'method'>

/** Parts without useful answers. */
const USELESS_PARTS: readonly (readonly [string, Partial<ContractParts>])[] = [
  ['no options', { proposer: { propose: () => ({ text: '', reflection: '', options: [] }) } }],
  ['options that cannot be read', { proposer: { propose: () => ({ text: 'well', reflection: '', options: [] }) } }],
  [
    'the same option again and again',
    { proposer: { propose: () => ({ text: 's', reflection: '', options: [{ content: 's' }] }) } },
  ],
  ['no grades', gradesOf(null)],
  ['empty answers', { answerer: { answer: () => ({ text: ' ' }) } }],
]

const WRONG_GRADES = [-3, 1.5, 7, Infinity, -Infinity, NaN]

/**
 * Checks the promises of a search with any method: one tree for any order of replies, budgets that hold, an end after an
 * abort or failed calls, a journal that any search can continue, and answers that somebody wrote.
 */
export function searchMethodContract<M extends ContractMethod>(
  runner: ContractRunner,
  contract: SearchMethodContract<M>,
): void {
  const trial = new SearchTrial(contract)
  runner.describe(`search method contract: ${contract.name}`, () => {
    checkResults(runner, trial)
    checkBudgets(runner, trial)
    checkFaults(runner, trial)
    checkStrategy(runner, trial)
  })
}

/** A search that has ended, with its calls. */
interface EndedSearch {
  readonly run: ContractRun
  readonly result: ContractSearchResult
}

/** Runs searches with the method and the parts of a contract. */
class SearchTrial<M extends ContractMethod> {
  readonly method: M
  readonly question: string
  readonly parts: ContractParts
  readonly #contract: SearchMethodContract<M>

  constructor(contract: SearchMethodContract<M>) {
    const { method, question = 'Which way leads out?', parts = CONTRACT_PARTS } = contract
    this.method = method
    this.question = question
    this.parts = parts
    this.#contract = contract
  }

  async search(settings: SearchSettings<M> = {}, disturbance: Disturbance = {}): Promise<EndedSearch> {
    const run = new ContractRun(this.parts, disturbance)
    const options = { ...run.parts, ...settings, method: this.method, signal: run.signal }
    const result = await this.#contract.search(this.question, options)
    // A blocking search would not even be stopped, and as many budgets as calls would take hours.
    if (run.isEndless) throw new Error(`a search by \`${this.#contract.name}\` makes calls without end`)
    return { run, result }
  }

  /** Runs a search without a disturbance; returns its result as text. */
  async searchWhole(settings: SearchSettings<M> = {}): Promise<string> {
    return shapeOf((await this.search(settings)).result)
  }

  /** Runs a blocking search without a disturbance; returns its result as text. */
  searchSync(): string {
    const { parts } = new ContractRun(this.parts)
    return shapeOf(this.#contract.searchSync(this.question, { ...parts, method: this.method }))
  }
}

/** Returns the faults of a search that has ended. */
function findFaults({ run, result }: EndedSearch): string[] {
  const faults: string[] = []
  if (result.answer !== null && !run.written.has(result.answer)) faults.push(`nobody wrote the answer ${result.answer}`)
  for (const { id, grade, value } of result.trees.flatMap(nodesOf)) {
    const isRight = (number: number): boolean => number >= 0 && number <= 1
    if (!isRight(value) || (grade !== null && !isRight(grade))) faults.push(`node ${id} has a grade out of range`)
  }
  return faults
}

/** Checks that a search ends with a written answer, and with the same tree in every run. */
function checkResults<M extends ContractMethod>({ test, expect }: ContractRunner, trial: SearchTrial<M>): void {
  // What the first search of all has found: one that keeps something for the next ones differs from them.
  let first: string | undefined
  test('ends with an answer that was written', async () => {
    const ended = await trial.search()
    first = shapeOf(ended.result)
    expect(findFaults(ended)).toEqual([])
    expect(ended.result.answer).not.toBe(null)
    expect(ended.result.used.calls).toBe(ended.run.calls)
  })

  test('gives the same tree in every run, side by side, and in a blocking search', async () => {
    const expected = await trial.searchWhole()
    expect(expected).toBe(first ?? expected)
    expect(await Promise.all([trial.searchWhole(), trial.searchWhole(), trial.searchWhole()])).toEqual([
      expected,
      expected,
      expected,
    ])
    expect(trial.searchSync()).toBe(expected)
  })

  test('gives the same tree whatever the order of the replies', async () => {
    const expected = await trial.searchWhole()
    for (const concurrency of [1, 3, 64]) {
      for (const order of [1, 2, 3]) {
        expect(shapeOf((await trial.search({ concurrency }, { order })).result)).toBe(expected)
      }
    }
  })

  test('ends with an answer that the verifier accepts, and says so of no other', async () => {
    const all = await trial.search({ verifier: () => true })
    expect([all.result.status, findFaults(all)]).toEqual(['verified', []])
    const none = await trial.search({ verifier: () => false })
    expect(none.result.status).not.toBe('verified')
    expect(findFaults(none)).toEqual([])
    const accepted = new Set([...none.run.written].slice(1))
    const some = await trial.search({ verifier: (answer) => accepted.has(answer) })
    expect(findFaults(some)).toEqual([])
    if (some.result.status === 'verified') expect([...accepted]).toContain(some.result.answer)
  })
}

/** Checks budgets, aborts and journals. */
function checkBudgets<M extends ContractMethod>({ test, expect }: ContractRunner, trial: SearchTrial<M>): void {
  const { method, question } = trial

  test('keeps to every budget of calls', async () => {
    const { run } = await trial.search()
    const canConclude = typeof method(taskOf({ question })).conclude === 'function'
    for (let calls = 0; calls <= run.calls; calls++) {
      const ended = await trial.search({ budget: { calls } }, { order: calls })
      expect(findFaults(ended)).toEqual([])
      expect([calls, ended.run.calls <= calls]).toEqual([calls, true])
      if (canConclude && calls > 0) expect([calls, ended.result.answer]).not.toEqual([calls, null])
    }
  })

  test('asks for nothing after an abort, and goes on with the journal', async () => {
    const expected = await trial.searchWhole()
    const { run } = await trial.search()
    for (let abortAt = 1; abortAt <= run.calls; abortAt++) {
      const journal = new ContractJournal()
      const stopped = await trial.search({ journal, concurrency: 1 }, { order: abortAt, abortAt })
      expect(findFaults(stopped)).toEqual([])
      expect(stopped.run.calls).toBe(abortAt)
      const next = await trial.search({ journal })
      expect(shapeOf(next.result)).toBe(expected)
    }
  })

  test('goes on from every part of its journal and asks for nothing twice', async () => {
    const journal = new ContractJournal()
    const expected = await trial.searchWhole({ journal })
    const { rows } = journal
    for (let length = 0; length <= rows.length; length++) {
      const { run, result } = await trial.search(
        { journal: new ContractJournal(rows.slice(0, length)) },
        { order: length },
      )
      expect(shapeOf(result)).toBe(expected)
      expect([length, run.calls]).toEqual([length, rows.length - length])
    }
  })

  test('goes on after budgets that were too small', async () => {
    const expected = await trial.searchWhole()
    const journal = new ContractJournal()
    const { run } = await trial.search()
    for (let calls = 1; calls < run.calls; calls++) await trial.search({ journal, budget: { calls } })
    expect(shapeOf((await trial.search({ journal })).result)).toBe(expected)
  })
}

/** Checks calls that fail, useless replies and grades out of range. */
function checkFaults<M extends ContractMethod>({ test, expect }: ContractRunner, trial: SearchTrial<M>): void {
  const { parts } = trial

  for (const kind of ['expand', 'grade', 'answer'] as const) {
    test(`ends when calls of the kind \`${kind}\` fail`, async () => {
      const failing: ((callKind: CallKind, call: number) => boolean)[] = [
        (callKind) => callKind === kind,
        (callKind, call) => callKind === kind && call % 2 === 0,
        (callKind, call) => callKind === kind && call > 3,
      ]
      for (const fails of failing) expect(findFaults(await trial.search({}, { order: 1, fails }))).toEqual([])
    })
  }

  for (const [what, change] of USELESS_PARTS) {
    test(`ends when it is given ${what}`, async () => {
      for (const repair of [true, false]) expect(findFaults(await trial.search({ repair }, { change }))).toEqual([])
    })
  }

  test('keeps grades that are out of range within 0 and 1', async () => {
    for (const grade of WRONG_GRADES) {
      expect(findFaults(await trial.search({}, { change: gradesOf(grade) }))).toEqual([])
      expect(findFaults(await trial.search({}, { change: gradedOptions(parts, grade) }))).toEqual([])
    }
  })
}

/** Checks the strategy by itself, without a search. */
function checkStrategy<M extends ContractMethod>({ test, expect }: ContractRunner, trial: SearchTrial<M>): void {
  const { method, question, parts } = trial

  test('asks for a job once, gives the same list until it is told something, and ignores what it was told before', async () => {
    expect(await driveStrategy(method(taskOf({ question })), { parts })).toEqual([])
  })

  test('can be one of several: its ids and samples are its own', async () => {
    for (const task of [
      { id: 't1/', sample: 1, stride: 3 },
      { id: 't0/t2/', sample: 6, stride: 9 },
    ]) {
      expect(await driveStrategy(method(taskOf({ question, ...task })), { parts, task })).toEqual([])
    }
  })
}

/** Makes the task of a search without a verifier; its random numbers depend on their positions alone. */
const taskOf = (task: { question: string; id?: string; sample?: number; stride?: number }) => ({
  id: '',
  sample: 0,
  stride: 1,
  ...task,
  random: (position: string) => numberOf(position, 1000) / 1000,
  verified: false,
})

const shapeOf = ({ answer, status, trees }: ContractSearchResult): string =>
  JSON.stringify([status, answer, trees], null, 1)

function nodesOf(root: ContractNode): ContractNode[] {
  const nodes = [root]
  // The list grows during the loop.
  for (const { children } of nodes) nodes.push(...children)
  return nodes
}

/** Makes a grader that gives every node this grade. */
function gradesOf(value: number | null): Partial<ContractParts> {
  return { grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value, details: 'well' })) }) } }
}

/** Makes a proposer that gives its options this grade. */
const gradedOptions = ({ proposer }: ContractParts, grade: number): Partial<ContractParts> => ({
  proposer: {
    async propose(request, run) {
      const made = await proposer.propose(request, run)
      return { ...made, options: made.options.map((option) => ({ ...option, grade })) }
    },
  },
})
