import type { ThinkNode } from '../tree/think-node.ts'
import { classOf, type Counts } from './auto-rates.ts'
import { MAX_EVIDENCE, type PathBelief, type Paths } from './auto-paths.ts'
import { Pools } from './auto-pools.ts'

/** Number of independent wrong answers that a new wrong answer is as likely to add to as to equal. */
const WRONG_VARIETY = 3
/** The chance that two wrong answers from different paths are equal. */
const COLLISION_CHANCE = 0.5
/** Number of refused independent answers after which a further one is half as promising, if problems differ little. */
const LASTING_ANSWERS = 8
/** The chance of equal independent answers from which on they are promising. */
const AGREED_CHANCE = 0.3

/** All equal answers. */
export class AnswerGroup {
  readonly leaf: ThinkNode
  /** The answers of different ends. */
  readonly sources: PathBelief[] = []
  /** Number of equal answers of each source. */
  readonly times: Map<PathBelief, number> = new Map()
  /** Number of equal independent answers. */
  count = 0
  /** The grades of the answer. */
  readonly grades: number[] = []
  /** Its odds as an answer that was chosen among several paths, before other evidence; 0 if it was not, or if its path is known. */
  pooled = 0
  /** True if a verifier accepted it, once at least, and false if it only refused; null without one. */
  isAccepted: boolean | null = null
  /** Logarithm of all evidence about the text itself. */
  evidence = 0
  /** The chance of an independent answer to be right. */
  share = 0
  isBusy = false
  /** True after a reply of the grader without a grade. */
  isUngraded = false

  constructor(leaf: ThinkNode) {
    this.leaf = leaf
  }
}

const ANSWER_CLASS = classOf('answer', 0)

/** The beliefs about all answers, equal ones together. */
export class Answers {
  readonly groups: AnswerGroup[] = []
  readonly #byText = new Map<string, AnswerGroup>()
  readonly #paths: Paths
  readonly #normalize: (text: string) => string
  /** Number of independent answers, and of failed calls for any. */
  #count = 0
  readonly pools: Pools<AnswerGroup>
  /** The first answer of each end. */
  readonly #byEnd = new Map<PathBelief, AnswerGroup>()
  #failures = 0
  /** Number of all answers. */
  #received = 0
  /** The chance that the next independent answer is right, and that the next two are. */
  #next = 0
  #nextTwo = 0

  constructor(paths: Paths, normalize: (text: string) => string) {
    this.#paths = paths
    this.#normalize = normalize
    this.pools = new Pools<AnswerGroup>({
      chance: (end) => {
        const group = this.#byEnd.get(end)
        return group ? this.chance(group) : this.#trustedOf(end)
      },
      belief: (end) => this.#paths.chance(end),
      answer: (end) => this.#byEnd.get(end),
      factor: (group) => Math.exp(group.evidence),
    })
    this.#share()
  }

  /** The chance that a further independent answer is right. */
  get next(): number {
    return this.#next
  }

  /** The chance that a further answer is right if a verifier refused all, and problems differ less than the search supposes. */
  get lasting(): number {
    return (this.#paths.rates.answerRate.mean * LASTING_ANSWERS * this.successRate) / (LASTING_ANSWERS + this.#count)
  }

  /** The chance that two further independent answers are both right. */
  get nextTwo(): number {
    return this.#nextTwo
  }

  /** True if an independent answer equals others, so that they may well be right. */
  get agree(): boolean {
    return this.groups.some(
      ({ count, share, sources }) => (count > 1 && share > AGREED_CHANCE) || (count > 0 && sources.length > 0),
    )
  }

  /** The chance that a call for an answer gives one. */
  get successRate(): number {
    return (this.#received + 1) / (this.#received + this.#failures + 1)
  }

  /** Counts a call for an answer that gave none. */
  fail(): void {
    this.#failures += 1
    this.#share()
  }

  /** Number of independent answers. */
  get count(): number {
    return this.#count
  }

  /** The first answer of an end. */
  of(end: PathBelief): AnswerGroup | undefined {
    return this.#byEnd.get(end)
  }

  /** Takes an answer from an end. */
  fromEnd(end: PathBelief, leaf: ThinkNode, isAccepted: boolean | null): void {
    const { rates } = this.#paths
    const group = this.#groupOf(leaf)
    if (end.replies > 0) {
      const isSame = group.sources.some(({ parent }) => parent === end)
      rates.answeredAgain(isSame, this.#paths.chance(end))
    }
    end.replies += 1
    let source = group.sources.find(({ parent }) => parent === end)
    if (!source) group.sources.push((source = this.#paths.add(leaf, end, 'answer')))
    group.times.set(source, (group.times.get(source) ?? 0) + 1)
    group.isAccepted ||= isAccepted
    if (!this.#byEnd.has(end)) this.#byEnd.set(end, group)
    this.#divide(end)
    this.#evaluate(group)
  }

  /** Takes an independent answer. */
  independent(leaf: ThinkNode, isAccepted: boolean | null): void {
    const group = this.#groupOf(leaf)
    group.count += 1
    group.isAccepted ||= isAccepted
    this.#count += 1
    this.#evaluate(group)
  }

  /** Takes a grade of an answer. */
  grade(group: AnswerGroup, grade: number): void {
    const [first] = group.grades
    const { rates } = this.#paths
    rates.saw(grade)
    if (first !== undefined) rates.repeated('answer', ANSWER_CLASS, { first, grade, chance: this.chance(group) })
    group.grades.push(grade)
    this.#evaluate(group)
  }

  /** Takes an answer that was written from several ends. */
  choice(leaf: ThinkNode, among: readonly PathBelief[], isAccepted: boolean | null): void {
    const group = this.#groupOf(leaf)
    group.isAccepted ||= isAccepted
    this.#evaluate(group)
    this.#apply(this.pools.take(among, group))
  }

  /** The chance that an end is right by its grades and by choices. */
  #trustedOf(end: PathBelief): number {
    const chance = this.#paths.trusted(end)
    const odds = (chance / (1 - chance)) * Math.exp(end.choices)
    return odds / (1 + odds)
  }

  /** Carries the evidence of choices on to ends and answers. */
  #apply(ends: readonly PathBelief[]): void {
    for (const end of ends) {
      end.own = this.#paths.evidenceOf(end)
      this.#paths.update(end)
    }
    for (const group of this.groups) group.pooled = oddsOf(this.pools.pooled(group)) / Math.exp(group.evidence)
  }

  /** The chance that an answer is right. */
  chance(group: AnswerGroup): number {
    if (group.isAccepted === false) return 0
    const evidence = Math.exp(group.evidence)
    let odds = Math.max(group.pooled, group.count > 0 ? group.share / (1 - group.share) / evidence : 0)
    for (const source of group.sources) {
      const more =
        oddsOf(this.#paths.trusted(source, group.evidence + source.parent!.choices)) * Math.exp(source.parent!.choices)
      odds = odds === 0 ? more : Math.max(odds, more) * Math.max(1, Math.min(odds, more) / COLLISION_CHANCE)
    }
    odds *= evidence
    return odds / (1 + odds)
  }

  /** Adds the counts of answers to those of steps. */
  countInto(counts: Counts): void {
    for (const group of this.groups) {
      const chance = this.chance(group)
      const [grade] = group.grades
      if (grade !== undefined) {
        const bin = this.#paths.rates.binOf(grade)
        counts.grades.answer.right[bin]! += chance
        counts.grades.answer.wrong[bin]! += 1 - chance
      }
      if (group.count > 0) counts.answers.good += chance * group.count
    }
    counts.answers.tried = this.#count
  }

  /** Computes all evidence anew, after the rates were learned. */
  recompute(): void {
    for (const group of this.groups) this.#evaluate(group)
    this.#apply(this.pools.recompute())
    this.#share()
  }

  #groupOf(leaf: ThinkNode): AnswerGroup {
    this.#received += 1
    const text = this.#normalize(leaf.content)
    let group = this.#byText.get(text)
    if (!group) {
      this.#byText.set(text, (group = new AnswerGroup(leaf)))
      this.groups.push(group)
    }
    return group
  }

  /** Divides the chance of a faithful answer among the different answers of an end. */
  #divide(end: PathBelief): void {
    const slip = this.#paths.rates.slipRate
    const all = end.children.map((answer) => this.#timesOf(answer))
    const tries = all.reduce((a, b) => a + b, 0)
    const weights = all.map((times) => (1 - slip) ** times * slip ** (tries - times))
    const sum = weights.reduce((a, b) => a + b, 0) + slip ** tries
    end.children.forEach((answer, i) => {
      answer.rate = Math.min(0.995, weights[i]! / sum)
      this.#paths.update(answer)
    })
  }

  #timesOf(answer: PathBelief): number {
    return this.#byText.get(this.#normalize(answer.node.content))?.times.get(answer) ?? 1
  }

  #evaluate(group: AnswerGroup): void {
    const { rates } = this.#paths
    group.evidence =
      group.isAccepted === null
        ? rates.evidence('answer', ANSWER_CLASS, group.grades)
        : group.isAccepted
          ? MAX_EVIDENCE
          : -MAX_EVIDENCE
    for (const source of group.sources) {
      source.own = group.evidence
      this.#paths.update(source)
    }
    if (group.count > 0) this.#share()
  }

  /** Divides the chance of a right independent answer among the different ones: the right one may be frequent, wrong ones too. */
  #share(): void {
    const { mean, strength } = this.#paths.rates.answerRate
    const [a, b] = [mean * strength, (1 - mean) * strength]
    const n = this.#count
    const independent = this.groups.filter(({ count }) => count > 0)
    const weights = independent.map(({ count, evidence }) => {
      let weight = Math.exp(evidence) / WRONG_VARIETY
      for (let i = 0; i < count; i++)
        weight *= ((a + i) * (WRONG_VARIETY + n - 1 - i)) / (b + n - 1 - i) / Math.max(1, i)
      return weight
    })
    const sum = weights.reduce((x, y) => x + y, 1)
    let next = a / sum
    let twice = (a * (a + 1)) / sum
    independent.forEach((group, i) => {
      const share = weights[i]! / sum
      group.share = Math.min(0.999, share)
      next += share * (a + group.count)
      twice += share * (a + group.count) * (a + group.count + 1)
    })
    const all = a + b + n + this.#failures
    this.#next = next / all
    this.#nextTwo = twice / all / (all + 1)
  }
}

const oddsOf = (chance: number): number => chance / (1 - chance)
