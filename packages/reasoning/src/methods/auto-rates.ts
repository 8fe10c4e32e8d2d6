import type { SearchBeliefs } from '@x/interfaces'

/** Number of equal intervals into which grades are sorted. */
const GRADE_BINS = 3
/** The interval of praise. */
export const PRAISE_BIN: number = GRADE_BINS - 1

/** Returns the interval of a grade in [0, 1]. */
const binOf = (grade: number): number => (grade < 0.3 ? 0 : grade < 0.75 ? 1 : 2)
/** A grader that has kept within a range narrower than this, after so many grades, is read by its own lowest and highest one. */
const NARROW_RANGE = 0.5
const RANGE_GRADES = 12

/** A grader that gave equal grades to all siblings so many times says nothing of steps; low ones, which wrong siblings share, count less. */
const MAX_EQUAL_SIBLINGS = 4
const LOW_SIBLINGS_WEIGHT = 1 / 5

/** The kind of a graded thing. */
export type GradedKind = 'step' | 'end' | 'answer'

/** Expected numbers of grades in each interval, by what they rated. */
export interface GradeCounts {
  readonly right: number[]
  readonly wrong: number[]
}

/** Counts of a search: what the rates are learned from, also by later searches. */
export interface Counts {
  readonly grades: Readonly<Record<GradedKind, GradeCounts>>
  /** Options after good steps, and the good ones among them. */
  readonly options: { tried: number; good: number }
  /** Independent answers, and the right ones among them. */
  readonly answers: { tried: number; good: number }
}

/** True if a value, which may come from a file, has all counts. */
export function areCounts(counts: Counts): boolean {
  const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && Number.isFinite(value)
  const areGrades = (list: unknown): boolean => Array.isArray(list) && list.length === GRADE_BINS && list.every(isCount)
  const areTries = (of: Counts['options'] | undefined): boolean => isCount(of?.tried) && isCount(of?.good)
  const { grades, options, answers } = counts
  const areAllGrades = Object.values(grades).every((of) => areGrades(of?.right) && areGrades(of?.wrong))
  return areAllGrades && areTries(options) && areTries(answers)
}

/** Makes counts of nothing. */
export const emptyCounts = (): Counts => {
  const none = (): GradeCounts => ({ right: zeros(), wrong: zeros() })
  return {
    grades: { step: none(), end: none(), answer: none() },
    options: { tried: 0, good: 0 },
    answers: { tried: 0, good: 0 },
  }
}

const zeros = (): number[] => Array.from({ length: GRADE_BINS }, () => 0)

/** Depths with rates of their own; steps below share those of the last. */
const DEPTH_COUNT = 6
/** The classes of grades: answers, ends of paths, and steps by depth. */
const CLASSES = DEPTH_COUNT + 2

/** Returns the class of the grades of a node. */
export const classOf = (kind: GradedKind, depth: number): number =>
  kind === 'answer' ? 0 : kind === 'end' ? 1 : 1 + Math.min(DEPTH_COUNT, Math.max(1, depth))

const kindOf = (at: number): GradedKind => (at === 0 ? 'answer' : at === 1 ? 'end' : 'step')

// Beliefs before the first grade: a grader is better than chance and often wrong.
const RIGHT_SHARES = [0.1, 0.3, 0.6]
const WRONG_SHARES = [0.6, 0.32, 0.08]
/** The same for whole answers, which are harder to judge. */
const RIGHT_ANSWER = [0.12, 0.25, 0.63]
const WRONG_ANSWER = [0.6, 0.27, 0.13]
/**
 * How likely a right step gets a middling grade, at most, as a share of how likely a wrong one does, unless earlier searches
 * have shown otherwise: who leaves few wrong steps open leaves few right ones open too, and one search sees few right ones.
 */
const MAX_OPEN_RATIO = 0.9
/** Number of grades that these beliefs count as, for all classes and for each. */
const SHARED_STRENGTH = 10
const CLASS_STRENGTH = 4
/** Additional weight of grades while little is known, and the number of grades at which half of it is left: few calls are best spent by following grades. */
const EARLY_WEIGHT = 0.4
const EARLY_GRADES = 20
/** Most grades of earlier searches that count. */
const MAX_EARLIER_COUNT = 60

/** A rate that is learned from observations: a beta distribution. */
interface Rate {
  readonly mean: number
  readonly strength: number
}

/** Number of options that the belief about the proposer counts as. */
const OPTION_STRENGTH = 20
const ANSWER_RATE: Rate = { mean: 0.05, strength: 1 }
const SLIP_RATE: Rate = { mean: 0.14, strength: 7 }
const REPEAT_RATE: Rate = { mean: 0.9, strength: 5 }
const FRESH_RATE: Rate = { mean: 0.6, strength: 6 }

const meanOf = ({ mean, strength }: Rate, good: number, tried: number): number =>
  (strength * mean + good) / (strength + tried)

/** A supposition about grader and proposer. */
interface Supposition {
  /** Share of wrong steps that the grader praises. */
  readonly praise: number
  /** Share of good options after good steps, before the first grade of the search. */
  readonly options: number
  /** How likely it is before the first grade. */
  readonly weight: number
}

/** Shares of false praise, and their weights: graders that praise nearly everything are rarer. */
const PRAISE_LEVELS = [
  [0.8, 0.1],
  [0.025, 1],
  [0.05, 1],
  [0.1, 1],
  [0.2, 1],
  [0.4, 1],
] as const
/** Shares of good options, and their weights: without one for good proposers, their praise would seem to be false. */
const OPTION_LEVELS = [
  [0.8, 0.0025],
  [0.3, 1],
] as const

/**
 * All that a search supposes. The rates are learned from the beliefs under the last one: that is a doubtful one, and not the
 * rarest.
 */
export const SUPPOSITIONS: readonly Supposition[] = OPTION_LEVELS.flatMap(([options, ofOptions]) =>
  PRAISE_LEVELS.map(([praise, ofPraise]) => ({ praise, options, weight: ofPraise * ofOptions })),
)

/** The rates of grader, proposer and answerer, as a search has learned them. */
export class Rates {
  /** The share of wrong steps and ends that the grader praises. */
  falsePraise = 0
  /** The share of good options before the first grade of this search. */
  #priorOptions = 0
  /** Logarithm of the prior density of the rates, without constants. */
  logPrior = 0
  /** True while the rates are learned for a report: as likely as they are, not as resolute as a search needs them. */
  isSober = false
  /** Logarithms of the ratio of grades of right and of wrong nodes, by class and interval. */
  readonly #logRatio: number[][] = []
  readonly #right: number[][] = []
  readonly #wrong: number[][] = []
  readonly #options: number[] = []
  #meanOptions = 0
  readonly #earlier: Counts
  #answers: Rate = ANSWER_RATE
  #slips = 0
  #gradeWeight = 1
  readonly #earlyWeight: number
  /** Number of all grades, and the lowest and the highest one. */
  #gradeCount = 0
  #lowest = 1
  #highest = 0
  #isNarrow = false
  /** Number of times that all siblings got one grade, and whether some did not. */
  #equalSiblings = 0
  #tellsApart = false
  #repeatedAnswers = 0
  readonly #repeats = new Map<GradedKind, { same: number; tried: number }>()
  #replies = 0
  #optionSum = 0
  #freshOptions = 0
  #repeatedReplies = 0

  constructor(earlier: readonly Counts[], { verified }: { readonly verified: boolean }) {
    // Refusals of a verifier correct grades, but not those that were believed too soon.
    this.#earlyWeight = verified ? 0 : EARLY_WEIGHT
    this.#earlier = sumOf(earlier)
    this.weigh(SUPPOSITIONS.map(() => 0))
    this.learn(emptyClasses(), [], [])
  }

  /** Sets the rates from expected counts of this search: grades by class, options and good options by depth. */
  learn(grades: readonly GradeCounts[], tried: readonly number[], good: readonly number[]): void {
    const gradeCount = total(grades.flatMap(({ right, wrong }) => [...right, ...wrong]))
    this.#gradeWeight = 1 + (this.#earlyWeight * EARLY_GRADES) / (EARLY_GRADES + gradeCount)
    const centers = new Map<GradedKind, { right: number[]; wrong: number[] }>()
    for (const kind of ['step', 'end', 'answer'] as const) {
      const known = this.#earlier.grades[kind]
      // Steps and ends are graded alike. The few answers of one search tell too little of their judge: a wrong one would confirm it.
      const own = grades.filter((_, at) => kind !== 'answer' && at > 0)
      const center = (side: 'right' | 'wrong'): number[] =>
        blend(this.#priorOf(kind, side), SHARED_STRENGTH + total(known[side]), sum(own.map((counts) => counts[side])))
      centers.set(kind, { right: center('right'), wrong: center('wrong') })
    }
    for (let at = 0; at < CLASSES; at++) {
      const center = centers.get(kindOf(at))!
      const isJudge = kindOf(at) === 'answer'
      this.#right[at] = blend(center.right, CLASS_STRENGTH, isJudge ? [0, 0, 0] : grades[at]!.right)
      this.#wrong[at] = blend(center.wrong, CLASS_STRENGTH, isJudge ? [0, 0, 0] : grades[at]!.wrong)
      if (!isJudge) {
        this.#wrong[at] = withPraise(this.#wrong[at]!, this.#praiseOf(kindOf(at)))
        const known = this.#earlier.grades[kindOf(at)].right
        const shown = known[1]! / (SHARED_STRENGTH + total(known))
        this.#right[at] = withOpen(this.#right[at]!, Math.max(shown, MAX_OPEN_RATIO * this.#wrong[at]![1]!))
      }
      if (!isJudge && !this.tellsApart) this.#right[at] = this.#wrong[at]!
      this.#logRatio[at] = this.#right[at]!.map((share, bin) => Math.log(share / this.#wrong[at]![bin]!))
    }
    const { options } = this.#earlier
    const prior = { mean: this.#priorOptions, strength: OPTION_STRENGTH }
    const center = { ...prior, mean: meanOf(prior, options.good + total(good), options.tried + total(tried)) }
    this.#meanOptions = center.mean
    this.logPrior = prior.strength * (prior.mean * Math.log(center.mean) + (1 - prior.mean) * Math.log(1 - center.mean))
    for (let depth = 0; depth < DEPTH_COUNT; depth++)
      this.#options[depth] = Math.min(0.95, meanOf(center, good[depth] ?? 0, tried[depth] ?? 0))
  }

  /** Takes note of the range of grades; it is applied by `rescale`. */
  saw(grade: number): void {
    this.#gradeCount += 1
    this.#lowest = Math.min(this.#lowest, grade)
    this.#highest = Math.max(this.#highest, grade)
  }

  /** Takes note of the grades of siblings. */
  sawSiblings(grades: readonly number[]): void {
    if (grades.length < 2) return
    this.#equalSiblings += binOf(grades[0]!) === 0 ? LOW_SIBLINGS_WEIGHT : 1
    this.#tellsApart ||= grades.some((grade) => grade !== grades[0])
  }

  /** False once the grader has shown that it does not tell which of some siblings to take. */
  get tellsApart(): boolean {
    return this.#tellsApart || this.#equalSiblings < MAX_EQUAL_SIBLINGS
  }

  /** Decides whether the grader is read by the range that it uses. */
  rescale(): void {
    this.#isNarrow = this.#gradeCount >= RANGE_GRADES && this.#highest - this.#lowest < NARROW_RANGE
  }

  /** Returns the interval of a grade; one that never differs is neither praise nor a low grade. */
  binOf(grade: number): number {
    if (!this.#isNarrow) return binOf(grade)
    const range = this.#highest - this.#lowest
    return range > 0 ? binOf((grade - this.#lowest) / range) : 1
  }

  /** The shares of grades before the first one of this search. */
  #priorOf(kind: GradedKind, side: 'right' | 'wrong'): number[] {
    const prior =
      kind === 'answer' ? { right: RIGHT_ANSWER, wrong: WRONG_ANSWER } : { right: RIGHT_SHARES, wrong: WRONG_SHARES }
    return blend(
      kind === 'answer' || side === 'wrong' ? prior[side] : withPraise(prior.right, this.#truePraise),
      SHARED_STRENGTH,
      this.#earlier.grades[kind][side],
    )
  }

  /** The chance of praise for wrong steps or ends: the same for both, unless earlier searches have shown otherwise. */
  #praiseOf(kind: GradedKind): number {
    if (kind !== 'end') return this.falsePraise
    const known = this.#earlier.grades.end.wrong
    return (SHARED_STRENGTH * this.falsePraise + known.at(-1)!) / (SHARED_STRENGTH + total(known))
  }

  /** The chance of praise for right steps: a grader that praises more wrong ones praises more right ones too. */
  get #truePraise(): number {
    const least = WRONG_SHARES.at(-1)!
    const generosity = Math.max(0, this.falsePraise - least) / (1 - least)
    return generosity + (1 - generosity) * RIGHT_SHARES.at(-1)!
  }

  /** The chance that an option of a good step is good. */
  optionRate(depth: number): number {
    return this.#options[Math.min(depth, DEPTH_COUNT - 1)]!
  }

  /** The chance that an independent answer is right, as a beta distribution: its mean and strength. */
  get answerRate(): Rate {
    const { tried, good } = this.#earlier.answers
    // Problems differ: earlier searches tell the mean, and little about this problem.
    return { mean: meanOf({ ...this.#answers, strength: 4 }, good, tried), strength: this.#answers.strength }
  }

  /** The chance that the answer of a right path is wrong. */
  get slipRate(): number {
    return meanOf(SLIP_RATE, this.#slips, this.#repeatedAnswers)
  }

  /** Number of options of a reply. */
  get optionCount(): number {
    return (3 * 2 + this.#optionSum) / (2 + this.#replies)
  }

  /** The share of new options in further replies for a node. */
  get freshRate(): number {
    return meanOf(FRESH_RATE, this.#freshOptions, this.#repeatedReplies * this.optionCount)
  }

  /** The chance that a grade of the same thing is the same again, right or wrong. */
  repeatRate(kind: GradedKind): number {
    const { same = 0, tried = 0 } = this.#repeats.get(kind) ?? {}
    return meanOf(REPEAT_RATE, same, tried)
  }

  /** The mean chance that an option of a good step is good. */
  get meanOptionRate(): number {
    return this.#meanOptions
  }

  /** Returns the belief about the grader from the expected counts of this search. */
  beliefOf(kind: GradedKind, counts: GradeCounts): SearchBeliefs['grader']['steps'] {
    const known = this.#earlier.grades[kind]
    const praise = (side: 'right' | 'wrong'): number => {
      const prior = this.#priorOf(kind, side)
      const shares = kind === 'answer' || side === 'right' ? prior : withPraise(prior, this.#praiseOf(kind))
      return blend(shares, SHARED_STRENGTH + total(known[side]), counts[side]).at(-1)!
    }
    const graded = Math.round(total(counts.right) + total(counts.wrong))
    return {
      truePraise: praise('right'),
      falsePraise: praise('wrong'),
      graded,
      right: counts.right,
      wrong: counts.wrong,
    }
  }

  /** Forgets the grades of this search, for another supposition. */
  suppose({ praise, options }: Supposition): void {
    this.falsePraise = praise
    this.#priorOptions = options
    this.learn(emptyClasses(), [], [])
  }

  /** Logarithm of the chance of a grade of a wrong thing. */
  logOfWrong(at: number, grade: number): number {
    return Math.log(this.#wrong[at]![this.binOf(grade)]!)
  }

  /**
   * Sets the share of false praise, and the prior one of good options, to their means over all suppositions, from the logarithms
   * of how likely each makes all grades.
   */
  weigh(logLikelihoods: readonly number[]): void {
    const known = this.#earlier.grades.step.wrong
    const praised = known.at(-1)!
    const others = total(known) - praised
    const logs = logLikelihoods.map((log, i) => {
      const { praise, weight } = SUPPOSITIONS[i]!
      return log + Math.log(weight) + praised * Math.log(praise) + others * Math.log(1 - praise)
    })
    const most = Math.max(...logs)
    const weights = logs.map((log) => Math.exp(log - most))
    const all = total(weights)
    const mean = (of: 'praise' | 'options'): number =>
      SUPPOSITIONS.reduce((sum, each, i) => sum + (each[of] * weights[i]!) / all, 0)
    this.falsePraise = mean('praise')
    this.#priorOptions = mean('options')
  }

  /** Returns the logarithm of the evidence of some grades of one thing, the first one and repetitions. */
  evidence(kind: GradedKind, at: number, grades: readonly number[]): number {
    if (grades.length === 0) return 0
    const first = this.binOf(grades[0]!)
    let evidence = this.#logRatio[at]![first]!
    for (let i = 1; i < grades.length; i++) {
      const bin = this.binOf(grades[i]!)
      evidence += Math.log(
        this.#ofRepeat(kind, this.#right[at]!, first, bin) / this.#ofRepeat(kind, this.#wrong[at]!, first, bin),
      )
    }
    return kind === 'answer' || this.isSober ? evidence : evidence * this.#gradeWeight
  }

  /** The chance of a repeated grade: the same again, or a new draw. */
  #ofRepeat(kind: GradedKind, shares: readonly number[], first: number, bin: number): number {
    const repeat = this.repeatRate(kind)
    return (bin === first ? repeat : 0) + (1 - repeat) * shares[bin]!
  }

  /** Returns the chance of each grade in the next reply, for right and for wrong things. */
  next(kind: GradedKind, at: number, grades: readonly number[]): { right: number[]; wrong: number[] } {
    const [right, wrong] = [this.#right[at]!, this.#wrong[at]!]
    if (grades.length === 0) return { right, wrong }
    const first = this.binOf(grades[0]!)
    return {
      right: right.map((_, bin) => this.#ofRepeat(kind, right, first, bin)),
      wrong: wrong.map((_, bin) => this.#ofRepeat(kind, wrong, first, bin)),
    }
  }

  /** Learns from a repeated grade. */
  repeated(
    kind: GradedKind,
    at: number,
    { first: one, grade, chance }: { first: number; grade: number; chance: number },
  ): void {
    const [first, bin] = [this.binOf(one), this.binOf(grade)]
    const fresh = chance * this.#right[at]![bin]! + (1 - chance) * this.#wrong[at]![bin]!
    const repeat = this.repeatRate(kind)
    const same = bin === first ? repeat / (repeat + (1 - repeat) * fresh) : 0
    const counts = this.#repeats.get(kind) ?? { same: 0, tried: 0 }
    this.#repeats.set(kind, { same: counts.same + same, tried: counts.tried + 1 })
  }

  /** Learns from a reply with options. */
  replied(times: number, fresh: number): void {
    if (times === 0) {
      this.#replies += 1
      this.#optionSum += fresh
    } else {
      this.#repeatedReplies += 1
      this.#freshOptions += fresh
    }
  }

  /** Learns from a further answer of a path that is right with a chance. */
  answeredAgain(isSame: boolean, chance: number): void {
    this.#repeatedAnswers += chance
    if (!isSame) this.#slips += chance * 0.5
  }
}

/** Makes counts of grades for every class. */
export const emptyClasses = (): GradeCounts[] =>
  Array.from({ length: CLASSES }, () => ({ right: zeros(), wrong: zeros() }))

const total = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

const sum = (lists: readonly (readonly number[])[]): number[] =>
  lists.reduce<number[]>((sums, list) => sums.map((value, bin) => value + list[bin]!), zeros())

/** Gives the highest of some shares a value. */
function withPraise(shares: readonly number[], praise: number): number[] {
  const others = 1 - shares.at(-1)!
  return shares.map((share, bin) => (bin === GRADE_BINS - 1 ? praise : (share * (1 - praise)) / others))
}

/** Bounds the middle one of some shares. */
function withOpen([low, open, high]: readonly number[], most: number): number[] {
  const factor = open! > most ? (1 - most) / (1 - open!) : 1
  return [low! * factor, Math.min(open!, most), high! * factor]
}

/** Blends shares with counts. */
function blend(shares: readonly number[], strength: number, counts: readonly number[]): number[] {
  const all = strength + total(counts)
  return shares.map((share, bin) => (strength * share + counts[bin]!) / all)
}

/** Adds the counts of earlier searches, and weakens them to a limit: this search may differ from them. */
function sumOf(earlier: readonly Counts[]): Counts {
  const counts = emptyCounts()
  for (const kind of ['step', 'end', 'answer'] as const) {
    for (const side of ['right', 'wrong'] as const) {
      const added = sum(earlier.map(({ grades }) => grades[kind][side]))
      const weight = Math.min(1, MAX_EARLIER_COUNT / (total(added) || 1))
      counts.grades[kind][side].splice(0, GRADE_BINS, ...added.map((count) => count * weight))
    }
  }
  for (const key of ['options', 'answers'] as const) {
    const tried = total(earlier.map((each) => each[key].tried))
    const weight = Math.min(1, MAX_EARLIER_COUNT / (tried || 1))
    Object.assign(counts[key], { tried: tried * weight, good: weight * total(earlier.map((each) => each[key].good)) })
  }
  return counts
}
