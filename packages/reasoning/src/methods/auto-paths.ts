import type { ThinkNode } from '../tree/think-node.ts'
import {
  classOf,
  emptyClasses,
  emptyCounts,
  PRAISE_BIN,
  SUPPOSITIONS,
  type Counts,
  type GradeCounts,
  type GradedKind,
  type Rates,
} from './auto-rates.ts'

/** The chance that the proposer can solve the question at all. */
const SOLVABLE_CHANCE = 0.9
/** Number of options after which a good step without a good option counts as half as promising. */
const DOUBT_AFTER = 8
/** How much more a further reply is worth where no option is praised yet: a praised one saves the calls for the others. */
const PRAISED_WORTH = 2
/** Share of the way down that an expansion is charged with: it goes on only where grades are good. */
const SHARE_OF_WAY = 0.5
/** Levels that are looked ahead if paths have no known end. */
const FAR_LEVELS = 3
/** Chance that a call succeeds after one that failed. */
const AFTER_FAILURE = 0.3
/** Most ends that are compared. */
const MAX_ENDS = 24
/** Bound of the logarithms of evidence. */
export const MAX_EVIDENCE = 30

/** The belief about a step, an end of a path or the answer of an end: whether it is on the way to a right answer. */
export class PathBelief {
  readonly node: ThinkNode
  readonly parent: PathBelief | null
  readonly kind: GradedKind
  readonly class: number
  readonly children: PathBelief[] = []
  /** Its grades, the first one and repetitions. */
  readonly grades: number[] = []
  /** The chance to be right if its parent is, before any evidence. */
  rate: number
  /** Logarithm of the evidence of choices among ends. */
  choices = 0
  /** Logarithm of the evidence of its own grades and choices. */
  own = 0
  /** Logarithm of the evidence of its children. */
  below = 0
  /** Its part of the evidence of its parent. */
  term = 0
  /** The chance to be right if its parent is. */
  share: number
  /** The chance that none of its children is right although it is. */
  none = 1
  /** The chance to be right at the last count. */
  counted = 0
  /** Number of replies with options, or of answers. */
  replies = 0
  /** Share of new options in the last reply. */
  fresh = 1
  /** Number of failed calls for an answer. */
  failures = 0
  isBusy = false
  /** Number of dives that have found this end. */
  dives = 0
  /** True after a check of it that failed. */
  isUngraded = false
  /** The value of the most promising expansion below, if it is right, and its place. */
  step = 0
  stepAt: PathBelief | null = null
  /** The same for the end that should be answered next. */
  end = 0
  endAt: PathBelief | null = null

  constructor(node: ThinkNode, parent: PathBelief | null, { kind, rate }: { kind: GradedKind; rate: number }) {
    this.node = node
    this.parent = parent
    this.kind = kind
    this.class = classOf(kind, node.depth)
    this.rate = rate
    this.share = rate
    parent?.children.push(this)
  }
}

/** Settings of the beliefs. */
export interface PathSettings {
  readonly maxDepth: number
  readonly verified: boolean
}

/** The beliefs about all paths of a tree, by evidence that goes up from every node and chances that go down from the root. */
export class Paths {
  readonly rates: Rates
  readonly root: PathBelief
  readonly #all: PathBelief[] = []
  readonly #byNode = new Map<ThinkNode, PathBelief>()
  readonly #settings: PathSettings
  /** By levels to the end: calls for an expansion, and the way down from there if it is good. */
  readonly #cost: number[] = []
  /** Calls for one reply with options and their grades. */
  #replyCost = 2
  /** The ends that may be right: not all of them, once there are many. */
  #ends: PathBelief[] = []
  #replies = 0
  #gradings = 0
  #news = 0
  #learnAt = 4

  constructor(root: ThinkNode, rates: Rates, settings: PathSettings) {
    this.rates = rates
    this.#settings = settings
    this.root = new PathBelief(root, null, { kind: 'step', rate: SOLVABLE_CHANCE })
    this.#all.push(this.root)
    this.#byNode.set(root, this.root)
    this.#lookAhead()
    this.refresh(this.root)
  }

  of(node: ThinkNode): PathBelief | undefined {
    return this.#byNode.get(node)
  }

  /** Adds a child, without evidence yet. */
  add(node: ThinkNode, parent: PathBelief, kind: GradedKind): PathBelief {
    const rate = kind === 'answer' ? 1 - this.rates.slipRate : this.rates.optionRate(parent.node.depth)
    const child = new PathBelief(node, parent, { kind, rate })
    this.#all.push(child)
    this.#byNode.set(node, child)
    return child
  }

  /** Counts a reply with options, some of them new. */
  reply(at: PathBelief, fresh: number): void {
    const { rates } = this
    at.fresh = at.replies === 0 ? (fresh > 0 ? 1 : 0) : Math.min(1, fresh / rates.optionCount)
    rates.replied(at.replies, fresh)
    at.replies += 1
    this.#replies += 1
  }

  /** Counts the calls for the grades of a reply. */
  gradings(count: number): void {
    this.#gradings += count
    this.#replyCost = 1 + (this.#gradings + 2) / (this.#replies + 2)
  }

  /** Takes a grade of a step or an end. */
  grade(of: PathBelief, grade: number): void {
    const [first] = of.grades
    this.rates.saw(grade)
    if (first !== undefined) this.rates.repeated(of.kind, of.class, { first, grade, chance: this.chance(of) })
    of.grades.push(grade)
    of.own = this.evidenceOf(of)
    if (of.kind === 'end' && of.grades.length === 1) this.#noteEnd(of)
    this.#news += 1
  }

  /** Counts a dive that has found an end. */
  found(end: PathBelief): void {
    end.dives += 1
    end.own = this.evidenceOf(end)
    this.update(end)
  }

  /**
   * Returns the logarithm of the evidence of the grades of a node, of choices, and of dives: each is a draw of its own, so that
   * an end which several have found is as many times as probable.
   */
  evidenceOf(of: PathBelief): number {
    return this.rates.evidence(of.kind, of.class, of.grades) + of.choices + Math.log(Math.max(1, of.dives))
  }

  /** The most promising ends, at most a number of them, best first. */
  topEnds(count: number): PathBelief[] {
    return this.#ends
      .map((end) => ({ end, chance: this.chance(end) }))
      .sort((a, b) => b.chance - a.chance)
      .slice(0, count)
      .map(({ end }) => end)
  }

  /** The interval of the first grade of a node; that of the lowest before it. */
  firstBin({ grades: [grade] }: PathBelief): number {
    return grade === undefined ? 0 : this.rates.binOf(grade)
  }

  /** True if the first grade of a node is praise. */
  isPraised(of: PathBelief): boolean {
    return this.firstBin(of) === PRAISE_BIN
  }

  #noteEnd(end: PathBelief): void {
    this.#ends.push(end)
    if (this.#ends.length > MAX_ENDS) this.#ends = this.topEnds(MAX_ENDS / 2)
  }

  /** The chance that a node is right. */
  chance(of: PathBelief): number {
    let chance = 1
    for (let at: PathBelief | null = of; at; at = at.parent) chance *= at.share
    return chance
  }

  /**
   * The chance that an end is right, or its answer, as far as grades of steps can tell: errors that all of them share are not
   * seen in them. `other` is the logarithm of the other evidence for it, which is left out.
   */
  trusted(of: PathBelief, other: number = of.choices): number {
    const chance = Math.min(0.999, this.chance(of))
    const odds = (chance / (1 - chance)) * Math.exp(-other)
    const steps = of.kind === 'answer' ? of.node.depth - 1 : of.node.depth
    return (1 - this.rates.falsePraise) ** steps * (odds / (1 + odds))
  }

  /** Carries new evidence of a node up to the root. */
  update(from: PathBelief): void {
    let at = from
    for (;;) {
      this.#weigh(at)
      this.refresh(at)
      if (!at.parent) return
      at = at.parent
    }
  }

  /** Computes the share of a node from its evidence, and its part of its parent's. */
  #weigh(at: PathBelief): void {
    const odds = at.rate * Math.exp(Math.min(MAX_EVIDENCE, at.own + at.below))
    const term = Math.log(odds + 1 - at.rate)
    at.share = odds / (odds + 1 - at.rate)
    if (at.parent) at.parent.below += term - at.term
    at.term = term
  }

  /** Computes what is most promising below a node. */
  refresh(at: PathBelief): void {
    let [none, step, end] = [1, 0, 0]
    let stepAt: PathBelief | null = null
    let endAt: PathBelief | null = null
    for (const child of at.children) {
      none *= 1 - child.share
      if (child.step * child.share > step) [step, stepAt] = [child.step * child.share, child.stepAt]
      if (child.end * child.share > end) [end, endAt] = [child.end * child.share, child.endAt]
    }
    at.none = none
    if (!at.isBusy && at.kind === 'step') {
      const own = this.#expansionValue(at)
      if (own > step) [step, stepAt] = [own, at]
    }
    if (!at.isBusy && at.kind === 'end') {
      const own = this.#answerValue(at)
      if (own > end) [end, endAt] = [own, at]
    }
    at.step = step
    at.stepAt = stepAt
    at.end = end
    at.endAt = endAt
  }

  #expansionValue(at: PathBelief): number {
    const { rates } = this
    const { depth } = at.node
    const tried = at.children.length
    const rate = (rates.optionRate(depth) * DOUBT_AFTER) / (DOUBT_AFTER + tried)
    const fresh =
      at.replies === 0
        ? 1
        : at.replies === 1 && at.fresh > 0
          ? rates.freshRate
          : at.fresh > 0
            ? at.fresh * rates.freshRate ** 0.5
            : 0.1 * 0.3 ** at.replies
    const found = 1 - (1 - rate) ** (rates.optionCount * fresh)
    const isPraised = at.replies === 0 || at.children.some((child) => this.isPraised(child))
    return ((isPraised ? 1 : PRAISED_WORTH) * at.none * found) / this.#cost[this.#left(depth)]!
  }

  #answerValue(at: PathBelief): number {
    if (at.replies > 0 && !this.#settings.verified) return 0
    return at.none * (1 - this.rates.slipRate) * AFTER_FAILURE ** at.failures
  }

  /** Number of levels below a depth, down to an end. */
  #left(depth: number): number {
    return Math.max(1, Math.min(FAR_LEVELS + 1, this.#settings.maxDepth - depth))
  }

  #lookAhead(): void {
    const { rates } = this
    const deepest = Math.min(this.#settings.maxDepth, 8)
    let way = 1 / (1 - rates.slipRate)
    for (let left = 1; left <= FAR_LEVELS + 1; left++) {
      const found = 1 - (1 - rates.optionRate(Math.max(0, deepest - left))) ** rates.optionCount
      // Half of the promising steps are not good: they cost a reply or two.
      this.#cost[left] = (1 - SHARE_OF_WAY) * 1.5 * this.#replyCost + SHARE_OF_WAY * (this.#replyCost + way * found)
      way += this.#replyCost / found
    }
  }

  /** Learns the rates anew if there is enough new evidence, and with them all beliefs. */
  learn(answers: (counts: Counts) => void): boolean {
    if (this.#news < this.#learnAt) return false
    this.#learnAt = Math.ceil(this.#news * 1.3) + 1
    this.rates.rescale()
    this.#learnPraise(answers)
    for (let i = 0; i < 2; i++) {
      this.count(answers)
      this.#recompute()
    }
    return true
  }

  /** Learns how often the grader praises wrong things: the mean over all suppositions, each as likely as it makes all grades. */
  #learnPraise(answers: (counts: Counts) => void): void {
    const { rates } = this
    const wasSober = rates.isSober
    rates.isSober = true
    const logs = SUPPOSITIONS.map((supposition) => {
      rates.suppose(supposition)
      this.#reweigh()
      this.count(answers)
      this.#reweigh()
      return this.#logLikelihood()
    })
    rates.isSober = wasSober
    rates.weigh(logs)
  }

  /** Logarithm of the chance of all grades, and of the rates themselves. */
  #logLikelihood(): number {
    let sum = this.root.term + this.rates.logPrior
    for (const { kind, grades, class: at } of this.#all)
      if (kind !== 'answer' && grades.length > 0) sum += this.rates.logOfWrong(at, grades[0]!)
    return sum
  }

  /** Learns soberly what a report says, calls a function with the counts, and returns to the resolute rates of the search. */
  report<T>(answers: (counts: Counts) => void, make: (counts: Counts) => T): T {
    const learn = (times: number): Counts => {
      let counts = this.count(answers)
      for (let i = 0; i < times; i++) {
        this.#recompute()
        counts = this.count(answers)
      }
      this.#recompute()
      return counts
    }
    this.rates.isSober = true
    this.#learnPraise(answers)
    const report = make(learn(4))
    this.rates.isSober = false
    learn(2)
    return report
  }

  /** Counts what the rates are learned from. */
  count(answers: (counts: Counts) => void): Counts {
    const counts = emptyCounts()
    const classes = emptyClasses()
    const tried: number[] = []
    const good: number[] = []
    for (const at of this.#all) {
      const chance = at.share * (at.parent?.counted ?? 1)
      at.counted = chance
      if (at.kind === 'answer') continue
      const [grade] = at.grades
      if (grade !== undefined) {
        const bin = this.rates.binOf(grade)
        addGrade(classes[at.class]!, bin, chance)
        addGrade(counts.grades[at.kind], bin, chance)
      }
      if (!at.parent) continue
      const depth = at.parent.node.depth
      tried[depth] = (tried[depth] ?? 0) + at.parent.counted
      good[depth] = (good[depth] ?? 0) + chance
    }
    counts.options.tried = tried.reduce((a, b) => a + (b ?? 0), 0)
    counts.options.good = good.reduce((a, b) => a + (b ?? 0), 0)
    answers(counts)
    Object.assign(classes[0]!, counts.grades.answer)
    this.rates.learn(classes, tried, good)
    return counts
  }

  /** Computes all beliefs anew, and what is most promising. */
  #recompute(): void {
    this.#reweigh()
    this.#lookAhead()
    for (let i = this.#all.length - 1; i >= 0; i--) this.refresh(this.#all[i]!)
  }

  /** Computes all beliefs anew. */
  #reweigh(): void {
    for (const at of this.#all) {
      at.below = 0
      at.term = 0
    }
    for (let i = this.#all.length - 1; i >= 0; i--) {
      const at = this.#all[i]!
      if (at.kind !== 'answer') {
        if (at.parent) at.rate = this.rates.optionRate(at.parent.node.depth)
        at.own = this.evidenceOf(at)
      }
      this.#weigh(at)
    }
  }
}

/** Counts a grade of something that is right with a chance. */
function addGrade({ right, wrong }: GradeCounts, bin: number, chance: number): void {
  right[bin]! += chance
  wrong[bin]! += 1 - chance
}
