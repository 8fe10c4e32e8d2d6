import type { AnswerVerdict } from '../strategy/job.ts'
import type { ThinkNode } from '../tree/think-node.ts'

/** One simulation of a Monte Carlo tree search: a walk to a leaf, the answer from there and its reward. */
export class Simulation {
  readonly index: number
  /** Earlier attempts and their ratings as text, or null. */
  readonly lessons: string | null
  /** `select`: walks by the bound; `roll`: walks at random; `wait`: has an open job; `done`: has a reward. */
  stage: 'select' | 'roll' | 'wait' | 'done' = 'select'
  readonly path: ThinkNode[] = []
  /** Number of simulations that reached the last node of the path before this one. */
  order = 0
  answer: ThinkNode | null = null
  verdict: AnswerVerdict | null = null
  reward = 0

  constructor(index: number, lessons: string | null) {
    this.index = index
    this.lessons = lessons
  }

  get at(): ThinkNode {
    return this.path.at(-1)!
  }

  get isDone(): boolean {
    return this.stage === 'done'
  }

  /** Rank of the answer: accepted ones first, then by reward; an answer without a reward comes last. */
  get rank(): number {
    return (this.verdict?.accepted ? 2 : 0) + (this.isDone ? this.reward : -1)
  }
}

/**
 * The simulations through one node, which arrive and leave in their order. Rewards are added in that order, and not in the
 * order in which they become known, since sums of floats depend on it.
 */
export class Visits {
  #visitors: Simulation[] = []
  doneCount = 0
  /** Number of visitors that have left, or are done. */
  #left = 0
  /** Number of leading visitors that are done, and the sum and the mean of their rewards. */
  #summed = 0
  #sum = 0
  #average = 0

  get visitors(): readonly Simulation[] {
    return this.#visitors
  }

  get size(): number {
    return this.#visitors.length
  }

  /** The first visitor that is still here. */
  get head(): Simulation | undefined {
    return this.#visitors[this.#left]
  }

  /** All visitors that are still here. */
  get waiting(): readonly Simulation[] {
    return this.#visitors.slice(this.#left)
  }

  /** Adds a visitor; returns the number of visitors before it. */
  enter(simulation: Simulation): number {
    return this.#visitors.push(simulation) - 1
  }

  /** Counts the head as left. */
  leave(): void {
    this.#left += 1
  }

  /** Counts one more reward. */
  count(): void {
    this.doneCount += 1
    this.#sumUp()
  }

  #sumUp(): void {
    for (let next = this.#visitors[this.#summed]; next?.isDone; next = this.#visitors[this.#summed]) {
      this.#summed += 1
      this.#sum += next.reward
      this.#average += (next.reward - this.#average) / this.#summed
    }
  }

  /** The sum of the rewards so far. */
  get total(): number {
    let sum = this.#sum
    for (const { reward } of this.#doneOutOfOrder()) sum += reward
    return sum
  }

  /** The mean of the rewards so far. */
  get mean(): number {
    let [mean, count] = [this.#average, this.#summed]
    for (const { reward } of this.#doneOutOfOrder()) mean += (reward - mean) / ++count
    return mean
  }

  /** The visitors that are done while an earlier one is not. */
  *#doneOutOfOrder(): Generator<Simulation, void, undefined> {
    let rest = this.doneCount - this.#summed
    for (let i = this.#summed; rest > 0; i++) {
      const visitor = this.#visitors[i]!
      if (!visitor.isDone) continue
      rest -= 1
      yield visitor
    }
  }

  /** Forgets the visitors after a simulation, and counts all rewards again. */
  recount(last: number = Infinity): void {
    this.#visitors = this.#visitors.filter(({ index }) => index <= last)
    this.#summed = this.#sum = this.#average = 0
    this.doneCount = this.#visitors.filter(({ isDone }) => isDone).length
    this.#sumUp()
  }
}

/** Maximum number of earlier attempts in a prompt. */
const MAX_PROMPT_ATTEMPTS = 5

/** Returns the index of the simulation of an answer; -1 for any other node. */
export const simulationOf = (node: ThinkNode): number => Number(node.id.split('@')[1] ?? -1)

/** Describes earlier attempts for the next simulation: their paths and the grader's replies; null without answers. */
export function describeAttempts(answers: readonly ThinkNode[]): string | null {
  if (answers.length === 0) return null
  const latest = answers.slice(-MAX_PROMPT_ATTEMPTS)
  return latest
    .map((node) => `### Try ${simulationOf(node) + 1}\n${node.parent!.steps}\nRating: ${node.ratingDetails}`)
    .join('\n\n')
}

/** Describes all attempts in a tree, in the order of their simulations; null without answers. */
export function describeAttemptsIn(root: ThinkNode): string | null {
  const answers = [...root.walk()].filter(({ fate }) => fate === 'answer')
  return describeAttempts(answers.toSorted((a, b) => simulationOf(a) - simulationOf(b)))
}
