import type { ThinkNode } from '../tree/think-node.ts'
import { classOf, type Counts } from './auto-rates.ts'
import type { PathBelief, Paths } from './auto-paths.ts'

/** Number of independent wrong answers that a new wrong answer is as likely to add to as to equal. */
const WRONG_VARIETY = 3
/** The chance that two wrong answers from different paths are equal. */
const COLLISION_CHANCE = 0.2
/** The chance of equal independent answers from which on they are promising. */
const AGREED_CHANCE = 0.3
/** Effect of another choice among the same paths, against the first. */
const REPEATED_CHOICE = 0.7
/** The chance that a wrong choice is made again. */
const STUBBORN_SHARE = 0.2

/** All equal answers. */
export class AnswerGroup {
  readonly leaf: ThinkNode
  /** The answers of different ends. */
  readonly sources: PathBelief[] = []
  /** Number of equal answers of each source. */
  readonly times: Map<PathBelief, number> = new Map()
  /** Number of equal independent answers. */
  count = 0
  /** The intervals of the grades of the answer. */
  readonly bins: number[] = []
  /** Logarithm of the evidence of choices among paths. */
  choices = 0
  /** Its odds as an answer that was chosen among several paths, before other evidence; 0 if it was not. */
  pooled = 0
  /** The ends that it was chosen from, until its own end is known. */
  among: readonly PathBelief[] = []
  isRefused = false
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
  /** Number of choices among the same ends. */
  readonly #timesChosen = new Map<string, number>()
  #failures = 0
  /** Number of all answers. */
  #received = 0
  /** The chance that the next independent answer is right, and that the next two are. */
  #next = 0
  #nextTwo = 0

  constructor(paths: Paths, normalize: (text: string) => string) {
    this.#paths = paths
    this.#normalize = normalize
    this.#share()
  }

  /** The chance that a further independent answer is right. */
  get next(): number {
    return this.#next
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

  /** Takes an answer from an end. */
  fromEnd(end: PathBelief, leaf: ThinkNode, refused: boolean): void {
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
    group.isRefused ||= refused
    if (group.among.includes(end)) this.#reveal(group, end)
    this.#divide(end)
    this.#evaluate(group)
  }

  /** Learns the end that a choice was made for. */
  #reveal(group: AnswerGroup, end: PathBelief): void {
    const { skill } = this.choiceTerms(group.among)
    for (const other of group.among) this.#weigh(other, other === end, skill, group.among.length)
    group.pooled = 0
    group.among = []
  }

  /** Takes an independent answer. */
  independent(leaf: ThinkNode, refused: boolean): void {
    const group = this.#groupOf(leaf)
    group.count += 1
    group.isRefused ||= refused
    this.#count += 1
    this.#evaluate(group)
  }

  /** Takes a grade of an answer. */
  grade(group: AnswerGroup, bin: number): void {
    const [first] = group.bins
    const { rates } = this.#paths
    if (first !== undefined) rates.repeated('answer', ANSWER_CLASS, { first, bin, chance: this.chance(group) })
    group.bins.push(bin)
    this.#evaluate(group)
  }

  /** Takes an answer that was written from several ends, and is that of the best one if the answerer recognizes it. */
  choice(leaf: ThinkNode, among: readonly PathBelief[], refused: boolean): void {
    const { rates } = this.#paths
    const terms = this.choiceTerms(among)
    const group = this.#groupOf(leaf)
    group.isRefused ||= refused
    const known = group.sources.find(({ parent }) => among.includes(parent!))?.parent
    const chances = among.map((end) => this.#paths.trusted(end))
    const size = among.length
    if (known) rates.picked([this.#paths.trusted(known), ...chances.filter((_, i) => among[i] !== known)])
    for (const other of this.groups) {
      // Another choice from the same ends: it confirms an answer, or speaks against it.
      if (other.pooled === 0 || !other.among.some((end) => among.includes(end))) continue
      const chance = this.chance(other)
      rates.pickedAgain(other === group, { chance, size, some: terms.some })
      other.choices += Math.log(other === group ? againRatio(terms.skill, size) : 1 - terms.skill)
      this.#evaluate(other)
    }
    this.#timesChosen.set(keyOf(among), (this.#timesChosen.get(keyOf(among)) ?? 0) + 1)
    if (known) for (const end of among) this.#weigh(end, end === known, terms.skill, size)
    else if (group.pooled === 0) {
      group.pooled = oddsOf(terms.chance)
      group.among = among
    }
    this.#evaluate(group)
  }

  /** Weighs an end by a choice for it or another. */
  #weigh(end: PathBelief, isChosen: boolean, skill: number, size: number): void {
    end.choices += Math.log(isChosen ? 1 + skill * (size - 1) : 1 - skill)
    end.own = this.#paths.evidenceOf(end)
    this.#paths.update(end)
  }

  /** The prospects of an answer from several ends. */
  choiceTerms(among: readonly PathBelief[]): { skill: number; some: number; chance: number } {
    const { rates } = this.#paths
    const skill = Math.min(0.95, rates.pickSkill) * REPEATED_CHOICE ** (this.#timesChosen.get(keyOf(among)) ?? 0)
    let [none, mean] = [1, 0]
    for (const end of among) {
      const chance = this.#paths.trusted(end)
      none *= 1 - chance
      mean += chance / among.length
    }
    const some = 1 - none
    return { skill, some, chance: (1 - rates.slipRate) * (some * skill + (1 - skill) * mean) }
  }

  /** The chance that an answer is right. */
  chance(group: AnswerGroup): number {
    if (group.isRefused) return 0
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
      const [bin] = group.bins
      if (bin !== undefined) {
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
    group.evidence = group.isRefused
      ? -MOST_EVIDENCE
      : rates.evidence('answer', ANSWER_CLASS, group.bins) + group.choices
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

const MOST_EVIDENCE = 30

/** The evidence of the same choice again. */
export const againRatio = (skill: number, size: number): number =>
  (skill + (1 - skill) / size) / (STUBBORN_SHARE + (1 - STUBBORN_SHARE) / size)

const keyOf = (ends: readonly PathBelief[]): string => ends.map(({ node }) => node.id).join('+')

const oddsOf = (chance: number): number => chance / (1 - chance)
