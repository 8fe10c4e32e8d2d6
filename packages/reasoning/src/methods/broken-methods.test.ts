import { searchMethodContract, type ContractRunner, type SearchMethodContract } from '@x/testing'
import { describe, expect, test } from 'vitest'
import {
  OpenJobs,
  search,
  searchMethod,
  searchSync,
  Tree,
  type Candidate,
  type Method,
  type SearchJob,
  type Strategy,
  type ThinkNode,
} from '../index.ts'
import type { SearchTask } from '../strategy/strategy.ts'
import type { JobOutcome } from '../strategy/job.ts'

type Parts = SearchMethodContract<Method>

/** Runs the suite with a method and returns the names of the tests that fail. */
async function failing(method: Method, engine: Pick<Parts, 'search'> = { search }): Promise<string[]> {
  const tests: [name: string, body: () => Promise<void>][] = []
  const runner: ContractRunner = {
    describe: (_, body) => body(),
    test: (name, body) => void tests.push([name, body]),
    expect,
  }
  searchMethodContract(runner, { name: 'broken', method, searchSync, ...engine })
  const failed: string[] = []
  for (const [name, body] of tests) await body().catch(() => failed.push(name))
  return failed
}

/** Expands the question, grades the options and answers from all of them; the best grade of an answer wins. */
class Plain implements Strategy {
  readonly tree: Tree
  readonly trees: Tree[]
  jobs: OpenJobs
  answer: Candidate | null = null
  readonly candidates = new Map<ThinkNode, Candidate>()

  constructor(task: SearchTask) {
    this.tree = new Tree({ question: task.question, id: task.id })
    this.trees = [this.tree]
    this.jobs = new OpenJobs(task)
    this.jobs.expand(this.tree.root)
  }

  ask(): readonly SearchJob[] {
    return this.jobs.list()
  }

  tell(job: SearchJob, outcome: JobOutcome): void {
    if (this.jobs.close(job)) this.take(job, outcome)
    if (this.jobs.size === 0) this.end()
  }

  take(job: SearchJob, outcome: JobOutcome): void {
    if (job.kind === 'expand') {
      const { options } = outcome.kind === 'expand' ? outcome : { options: [] }
      const nodes = options.map(({ content }) => this.tree.add(this.tree.root, content))
      for (const node of nodes) this.jobs.answer(node)
      if (nodes.length === 0) this.jobs.answer(this.tree.root)
    } else if (job.kind === 'answer' && outcome.kind === 'answer') {
      const { text, verdict } = outcome
      this.candidates.set(job.from[0]!, { text, node: job.from[0]!, verdict, accepted: verdict?.accepted ?? true })
    }
  }

  end(): void {
    this.answer = this.best()
  }

  best(): Candidate {
    const all = [...this.tree.root.walk()].flatMap((node) => this.candidates.get(node) ?? [])
    return all.find(({ accepted }) => accepted) ?? all[0] ?? { text: null, node: null, verdict: null, accepted: false }
  }

  get reserve(): number {
    return this.answer ? 0 : 1
  }

  conclude(): void {
    if (this.answer) return
    this.jobs.drop()
    if (this.candidates.size > 0) this.end()
    else this.jobs.answer(this.tree.root)
  }
}

const plain = (make: (task: SearchTask) => Plain): Method => make

test('a correct method passes', async () => {
  expect(await failing(plain((task) => new Plain(task)))).toEqual([])
})

describe('is found out:', () => {
  test.each<[string, RegExp, () => Method]>([
    [
      'a method that answers with a step',
      /^ends with an answer that was written/,
      () =>
        plain(
          (task) =>
            new (class extends Plain {
              override best(): Candidate {
                return { ...super.best(), text: this.tree.root.children[0]?.content ?? null }
              }
            })(task),
        ),
    ],
    [
      'a method that remembers from search to search',
      /^gives the same tree in every run/,
      () => {
        let searches = 0
        return searchMethod(function* (context) {
          searches += 1
          const [options] = yield* context.expand([context.root])
          return (yield* context.answer([options![searches % options!.length]!]))[0]
        })
      },
    ],
    [
      'a method that leaves out what an earlier search has reached',
      /^gives the same tree in every run/,
      () => {
        const reached = new Set<string>()
        return searchMethod(function* (context) {
          const [options = []] = yield* context.expand([context.root])
          const fresh = options.filter(({ content }) => !reached.has(content))
          for (const { content } of fresh) reached.add(content)
          yield* context.grade(fresh)
          return (yield* context.answer([fresh[0] ?? context.root]))[0]
        })
      },
    ],
    [
      'a method that takes what comes first',
      /^gives the same tree whatever the order/,
      () =>
        plain(
          (task) =>
            new (class extends Plain {
              override best(): Candidate {
                return [...this.candidates.values()][0] ?? super.best()
              }
            })(task),
        ),
    ],
    [
      'a method that accepts what the verifier refuses',
      /^ends with an answer that the verifier accepts/,
      () =>
        plain(
          (task) =>
            new (class extends Plain {
              override best(): Candidate {
                const candidate = super.best()
                return { ...candidate, verdict: candidate.verdict && { accepted: true, score: 1, reason: null } }
              }
            })(task),
        ),
    ],
    [
      'a method that cannot answer within a budget',
      /^keeps to every budget/,
      () =>
        plain(
          (task) =>
            new (class extends Plain {
              override get reserve(): number {
                return 0
              }
            })(task),
        ),
    ],
    [
      'a method that draws lots',
      /^goes on from every part of its journal/,
      () => {
        let draws = 0
        return plain(
          (task) =>
            new (class extends Plain {
              override take(job: SearchJob, outcome: JobOutcome): void {
                super.take(job, outcome)
                if (job.kind === 'expand' && draws++ % 2 === 1) this.jobs.answer(this.tree.root)
              }
            })(task),
        )
      },
    ],
    [
      'a method that gives two jobs one id',
      /^goes on after budgets/,
      () =>
        plain(
          (task) =>
            new (class extends Plain {
              override conclude(): void {
                if (this.answer) return
                this.jobs.drop()
                const { root } = this.tree
                this.jobs.post({ kind: 'answer', id: 'answer:0.0', from: [root], position: [9], level: 9, sample: 5 })
              }
            })(task),
        ),
    ],
    [
      'a method without an end',
      /^gives the same tree in every run, side by side, and in a blocking search/,
      () =>
        searchMethod(function* (context) {
          for (;;) yield* context.answer([context.root])
        }),
    ],
    [
      'a method that waits for a call that failed',
      /^ends when calls of the kind `answer` fail/,
      () =>
        searchMethod(function* (context) {
          for (;;) {
            const [answer] = yield* context.answer([context.root])
            if (answer) return answer
          }
        }),
    ],
    [
      'a method that waits for options',
      /^ends when calls of the kind `expand` fail/,
      () =>
        searchMethod(function* (context) {
          for (;;) {
            const [options = []] = yield* context.expand([context.root])
            if (options[0]) return options[0]
          }
        }),
    ],
    [
      'a method that waits for a grade',
      /^ends when calls of the kind `grade` fail/,
      () =>
        searchMethod(function* (context) {
          const [[option] = []] = yield* context.expand([context.root])
          for (;;) {
            const [grade = null] = yield* context.grade(option ? [option] : [])
            if (grade !== null) return option
          }
        }),
    ],
    [
      'a method that wants two options',
      /^ends when it is given the same option again and again/,
      () =>
        searchMethod(function* (context) {
          while (context.root.children.length < 2) yield* context.expand([context.root])
        }),
    ],
    [
      'a method that cannot do without options',
      /^ends when it is given no options/,
      () =>
        searchMethod(function* (context) {
          const [options = []] = yield* context.expand([context.root])
          const [answer] = yield* context.answer([options[0]!])
          return answer
        }),
    ],
    [
      'a method that adds grades up',
      /^keeps grades that are out of range/,
      () =>
        searchMethod(function* (context) {
          const [options = []] = yield* context.expand([context.root])
          const grades = yield* context.grade(options)
          context.root.value = grades.reduce<number>((sum, grade) => sum + (grade ?? 0), 0)
        }),
    ],
    [
      'a method that takes an outcome twice',
      /^asks for a job once/,
      () =>
        plain(
          (task) =>
            new (class extends Plain {
              override tell(job: SearchJob, outcome: JobOutcome): void {
                this.jobs.close(job)
                this.take(job, outcome)
                if (this.jobs.size === 0) this.end()
              }
            })(task),
        ),
    ],
    [
      'a method whose trees have one id',
      /^can be one of several/,
      () => plain((task) => new Plain({ ...task, id: '' })),
    ],
    [
      'a method that asks the same of all its trees',
      /^can be one of several/,
      () => plain((task) => new Plain({ ...task, sample: 0, stride: 1 })),
    ],
    [
      'a method that hides a job',
      /^asks for a job once/,
      () =>
        plain(
          (task) =>
            new (class extends Plain {
              override ask(): readonly SearchJob[] {
                return super.ask().slice(-1)
              }
            })(task),
        ),
    ],
  ])('%s', async (_, title, make) => {
    expect(await failing(make())).toContainEqual(expect.stringMatching(title))
  })
})

test('a search that continues after an abort fails the suite', async () => {
  const deaf: Parts['search'] = (question, options) => search(question, { ...options, signal: undefined })
  const failed = await failing(
    plain((task) => new Plain(task)),
    { search: deaf },
  )
  expect(failed).toEqual([expect.stringMatching(/^asks for nothing after an abort/)])
})
