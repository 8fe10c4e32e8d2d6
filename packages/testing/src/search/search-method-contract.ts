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

/** What the tests set of a search; the suite has the method and the parts. */
type Settings<M> = Omit<ContractSearchOptions<M>, keyof ContractParts | 'method'>

/** Parts that say nothing of use. */
const USELESS: readonly (readonly [string, Partial<ContractParts>])[] = [
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
 * Checks what a search promises of any method: one tree whatever the order of the replies, budgets that hold, an end at an
 * abort and when calls fail, a journal that any search goes on with, and answers that somebody wrote.
 */
export function searchMethodContract<M extends ContractMethod>(
  { describe, test, expect }: ContractRunner,
  contract: SearchMethodContract<M>,
): void {
  const { method, question = 'Which way leads out?', parts = CONTRACT_PARTS } = contract

  async function searched(
    settings: Settings<M> = {},
    disturbance: Disturbance = {},
  ): Promise<{ run: ContractRun; result: ContractSearchResult }> {
    const run = new ContractRun(parts, disturbance)
    const result = await contract.search(question, { ...run.parts, ...settings, method, signal: run.signal })
    return { run, result }
  }

  /** The result of a search that nothing disturbs, as text. */
  const whole = async (settings: Settings<M> = {}): Promise<string> => shapeOf((await searched(settings)).result)

  /** Says what is wrong with the end of a search. */
  function wrongIn({ run, result }: { readonly run: ContractRun; readonly result: ContractSearchResult }): string[] {
    const wrong: string[] = []
    if (run.isEndless) wrong.push('it makes calls without end')
    if (result.answer !== null && !run.written.has(result.answer))
      wrong.push(`nobody wrote the answer ${result.answer}`)
    for (const { id, grade, value } of result.trees.flatMap(nodesOf)) {
      const isRight = (number: number): boolean => number >= 0 && number <= 1
      if (!isRight(value) || (grade !== null && !isRight(grade))) wrong.push(`node ${id} has a grade out of range`)
    }
    return wrong
  }

  describe(`search method contract: ${contract.name}`, () => {
    test('ends with an answer that was written', async () => {
      const ended = await searched()
      expect(wrongIn(ended)).toEqual([])
      expect(ended.result.answer).not.toBe(null)
      expect(ended.result.used.calls).toBe(ended.run.calls)
    })

    test('gives the same tree in every run, side by side, and in a blocking search', async () => {
      const expected = await whole()
      expect(await Promise.all([whole(), whole(), whole()])).toEqual([expected, expected, expected])
      const { parts: own } = new ContractRun(parts)
      expect(shapeOf(contract.searchSync(question, { ...own, method }))).toBe(expected)
    })

    test('gives the same tree whatever the order of the replies', async () => {
      const expected = await whole()
      for (const concurrency of [1, 3, 64]) {
        for (const order of [1, 2, 3]) {
          expect(shapeOf((await searched({ concurrency }, { order })).result)).toBe(expected)
        }
      }
    })

    test('ends with an answer that the verifier accepts, and says so of no other', async () => {
      const all = await searched({ verifier: () => true })
      expect([all.result.status, wrongIn(all)]).toEqual(['verified', []])
      const none = await searched({ verifier: () => false })
      expect(none.result.status).not.toBe('verified')
      expect(wrongIn(none)).toEqual([])
      const accepted = new Set([...none.run.written].slice(1))
      const some = await searched({ verifier: (answer) => accepted.has(answer) })
      expect(wrongIn(some)).toEqual([])
      if (some.result.status === 'verified') expect([...accepted]).toContain(some.result.answer)
    })

    test('keeps to every budget of calls', async () => {
      const { run } = await searched()
      const canConclude = typeof method(taskOf({ question })).conclude === 'function'
      for (let calls = 0; calls <= run.calls; calls++) {
        const ended = await searched({ budget: { calls } }, { order: calls })
        expect(wrongIn(ended)).toEqual([])
        expect([calls, ended.run.calls <= calls]).toEqual([calls, true])
        if (canConclude && calls > 0) expect([calls, ended.result.answer]).not.toEqual([calls, null])
      }
    })

    test('asks for nothing after an abort, and goes on with the journal', async () => {
      const expected = await whole()
      const { run } = await searched()
      for (let abortAt = 1; abortAt <= run.calls; abortAt++) {
        const journal = new ContractJournal()
        const stopped = await searched({ journal, concurrency: 1 }, { order: abortAt, abortAt })
        expect(wrongIn(stopped)).toEqual([])
        expect(stopped.run.calls).toBe(abortAt)
        const next = await searched({ journal })
        expect(shapeOf(next.result)).toBe(expected)
      }
    })

    test('goes on from every part of its journal and asks for nothing twice', async () => {
      const journal = new ContractJournal()
      const expected = await whole({ journal })
      const { rows } = journal
      for (let length = 0; length <= rows.length; length++) {
        const { run, result } = await searched(
          { journal: new ContractJournal(rows.slice(0, length)) },
          { order: length },
        )
        expect(shapeOf(result)).toBe(expected)
        expect([length, run.calls]).toEqual([length, rows.length - length])
      }
    })

    test('goes on after budgets that were too small', async () => {
      const expected = await whole()
      const journal = new ContractJournal()
      const { run } = await searched()
      for (let calls = 1; calls < run.calls; calls++) await searched({ journal, budget: { calls } })
      expect(shapeOf((await searched({ journal })).result)).toBe(expected)
    })

    for (const kind of ['expand', 'grade', 'answer'] as const) {
      test(`ends when calls of the kind \`${kind}\` fail`, async () => {
        const failing: ((its: CallKind, call: number) => boolean)[] = [
          (its) => its === kind,
          (its, call) => its === kind && call % 2 === 0,
          (its, call) => its === kind && call > 3,
        ]
        for (const fails of failing) expect(wrongIn(await searched({}, { order: 1, fails }))).toEqual([])
      })
    }

    for (const [what, change] of USELESS) {
      test(`ends when it is given ${what}`, async () => {
        for (const repair of [true, false]) expect(wrongIn(await searched({ repair }, { change }))).toEqual([])
      })
    }

    test('keeps grades that are out of range within 0 and 1', async () => {
      for (const grade of WRONG_GRADES) {
        expect(wrongIn(await searched({}, { change: gradesOf(grade) }))).toEqual([])
        expect(wrongIn(await searched({}, { change: gradedOptions(parts, grade) }))).toEqual([])
      }
    })

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
  })
}

/** A task of a search without a verifier, whose random numbers are those of their names. */
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

/** A grader that gives everything this grade. */
function gradesOf(value: number | null): Partial<ContractParts> {
  return { grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value, details: 'well' })) }) } }
}

/** A proposer that gives its options this grade. */
const gradedOptions = ({ proposer }: ContractParts, grade: number): Partial<ContractParts> => ({
  proposer: {
    async propose(request, run) {
      const made = await proposer.propose(request, run)
      return { ...made, options: made.options.map((option) => ({ ...option, grade })) }
    },
  },
})
