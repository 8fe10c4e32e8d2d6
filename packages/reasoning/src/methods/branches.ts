import { Heap } from '../tree/heap.ts'
import type { ThinkNode } from '../tree/think-node.ts'

/** The counters of a node in a graded tree search. */
export class Tally {
  /** The grade counts as a first visit. */
  visits = 1
  total: number
  /** Number of walks of this wave through the node, which count as losses so far. */
  pending = 0
  expansions = 0
  answers = 0
  /** The texts of the node's options. */
  options: Set<string> | undefined
  branches: Branches | undefined

  constructor(total: number) {
    this.total = total
  }

  /** Counts a walk through the node that has ended with a reward. */
  count(reward: number): void {
    this.visits += 1
    this.total += reward
    this.pending = 0
  }
}

/** Addition to every prior, so that an option with the lowest grade is chosen at some time. */
const MIN_PRIOR = 0.01

interface Branch {
  readonly index: number
  readonly prior: number
  readonly tally: Tally
}

/**
 * Chooses among the children of a node by the upper confidence bound with priors, among equals the first. Of the unvisited
 * children only the one with the best grade can win, so the others are not compared.
 */
export class Branches {
  readonly #tallyOf: (child: ThinkNode) => Tally
  readonly #fresh = new Heap<Branch>((a, b) => b.prior - a.prior)
  readonly #visited: Branch[] = []
  #known = 0
  #sum = 0

  constructor(tallyOf: (child: ThinkNode) => Tally) {
    this.#tallyOf = tallyOf
  }

  /** Returns the child to walk to; `visits` counts the walks through the parent, `c` weighs the priors. */
  choose(children: readonly ThinkNode[], visits: number, c: number): ThinkNode {
    for (; this.#known < children.length; this.#known++) this.#add(children[this.#known]!, this.#known)
    const weight = Math.sqrt(visits)
    let best = 0
    let rank = -Infinity
    const consider = ({ index, prior, tally }: Branch): void => {
      const n = tally.visits + tally.pending
      const bound = tally.total / n + (c * (prior / this.#sum) * weight) / n
      if (bound > rank || (bound === rank && index < best)) [best, rank] = [index, bound]
    }
    for (let top = this.#fresh.peek(); top; top = this.#fresh.peek()) {
      if (top.tally.visits === 1 && top.tally.pending === 0) {
        consider(top)
        break
      }
      this.#visited.push(this.#fresh.pop()!)
    }
    for (const branch of this.#visited) consider(branch)
    return children[best]!
  }

  #add(child: ThinkNode, index: number): void {
    const prior = (child.ratingDetails ? (child.grade ?? 0.5) : 0.5) + MIN_PRIOR
    const branch = { index, prior, tally: this.#tallyOf(child) }
    this.#sum += prior
    // Without a reply of the grader the prior does not depend on a grade, so the order by prior is not enough.
    if (child.ratingDetails) this.#fresh.push(branch)
    else this.#visited.push(branch)
  }
}
