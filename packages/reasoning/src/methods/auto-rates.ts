import type { SearchBeliefs } from '@x/interfaces'

/** Number of equal intervals into which grades are sorted. */
const GRADE_BINS = 3

/** Returns the interval of a grade in [0, 1]. */
export const binOf = (grade: number): number => (grade < 0.3 ? 0 : grade < 0.75 ? 1 : 2)

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
/** Number of grades that these beliefs count as, for all classes and for each. */
const SHARED_STRENGTH = 5
const SOBER_STRENGTH = 2
const CLASS_STRENGTH = 4
/** Additional weight of grades while little is known, and the number of grades at which half of it is left: few calls are best spent by following grades. */
const EARLY_WEIGHT = 0.4
const EARLY_GRADES = 20
/** Most grades of earlier searches that count. */
const MOST_EARLIER = 60

/** A rate that is learned from observations: a beta distribution. */
interface Rate {
  readonly mean: number
  readonly strength: number
}

const OPTION_RATE: Rate = { mean: 0.3, strength: 20 }
const SOBER_OPTION_STRENGTH = 60
const ANSWER_RATE: Rate = { mean: 0.12, strength: 1 }
const SLIP_RATE: Rate = { mean: 0.14, strength: 7 }
const REPEAT_RATE: Rate = { mean: 0.9, strength: 5 }
const FRESH_RATE: Rate = { mean: 0.6, strength: 6 }

/** Chances of recognizing the right path among several, before the first try. */
const PICK_SKILLS = [0, 0.3, 0.6, 0.9]
const PICK_WEIGHTS = [0.3, 0.25, 0.25, 0.2]

const meanOf = ({ mean, strength }: Rate, good: number, tried: number): number =>
  (strength * mean + good) / (strength + tried)

/** The rates of grader, proposer and answerer, as a search has learned them. */
export class Rates {
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
  #repeatedAnswers = 0
  readonly #repeats = new Map<GradedKind, { same: number; tried: number }>()
  #replies = 0
  #optionSum = 0
  #freshOptions = 0
  #repeatedReplies = 0
  #pickWeights: number[] = [...PICK_WEIGHTS]

  constructor(earlier: readonly Counts[], { verified }: { readonly verified: boolean }) {
    // Refusals of a verifier correct grades, but not those that were believed too soon.
    this.#earlyWeight = verified ? 0 : EARLY_WEIGHT
    this.#earlier = sumOf(earlier)
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
        blend(this.#priorOf(kind, side), this.#strength + total(known[side]), sum(own.map((counts) => counts[side])))
      centers.set(kind, { right: center('right'), wrong: center('wrong') })
    }
    for (let at = 0; at < CLASSES; at++) {
      const center = centers.get(kindOf(at))!
      const isJudge = kindOf(at) === 'answer'
      this.#right[at] = blend(center.right, CLASS_STRENGTH, isJudge ? [0, 0, 0] : grades[at]!.right)
      this.#wrong[at] = blend(center.wrong, CLASS_STRENGTH, isJudge ? [0, 0, 0] : grades[at]!.wrong)
      this.#logRatio[at] = this.#right[at]!.map((share, bin) => Math.log(share / this.#wrong[at]![bin]!))
    }
    const { options } = this.#earlier
    const optionRate = this.isSober ? { ...OPTION_RATE, strength: SOBER_OPTION_STRENGTH } : OPTION_RATE
    const center = {
      mean: meanOf(optionRate, options.good + total(good), options.tried + total(tried)),
      strength: optionRate.strength,
    }
    this.#meanOptions = center.mean
    for (let depth = 0; depth < DEPTH_COUNT; depth++)
      this.#options[depth] = Math.min(0.95, meanOf(center, good[depth] ?? 0, tried[depth] ?? 0))
  }

  get #strength(): number {
    return this.isSober ? SOBER_STRENGTH : SHARED_STRENGTH
  }

  /** The shares of grades before the first one of this search. */
  #priorOf(kind: GradedKind, side: 'right' | 'wrong'): number[] {
    const prior =
      kind === 'answer' ? { right: RIGHT_ANSWER, wrong: WRONG_ANSWER } : { right: RIGHT_SHARES, wrong: WRONG_SHARES }
    return blend(prior[side], this.#strength, this.#earlier.grades[kind][side])
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

  /** The chance of recognizing the right path among several. */
  get pickSkill(): number {
    return this.#pickWeights.reduce((mean, weight, at) => mean + weight * PICK_SKILLS[at]!, 0)
  }

  /** The mean chance that an option of a good step is good. */
  get meanOptionRate(): number {
    return this.#meanOptions
  }

  /** Returns the belief about the grader from the expected counts of this search. */
  beliefOf(kind: GradedKind, counts: GradeCounts): SearchBeliefs['grader']['steps'] {
    const known = this.#earlier.grades[kind]
    const praise = (side: 'right' | 'wrong'): number =>
      blend(this.#priorOf(kind, side), this.#strength + total(known[side]), counts[side]).at(-1)!
    const graded = Math.round(total(counts.right) + total(counts.wrong))
    return {
      truePraise: praise('right'),
      falsePraise: praise('wrong'),
      graded,
      right: counts.right,
      wrong: counts.wrong,
    }
  }

  /** Returns the logarithm of the evidence of some grades of one thing, the first one and repetitions. */
  evidence(kind: GradedKind, at: number, bins: readonly number[]): number {
    const [first, ...more] = bins
    if (first === undefined) return 0
    let evidence = this.#logRatio[at]![first]!
    for (const bin of more)
      evidence += Math.log(
        this.#ofRepeat(kind, this.#right[at]!, first, bin) / this.#ofRepeat(kind, this.#wrong[at]!, first, bin),
      )
    return kind === 'answer' || this.isSober ? evidence : evidence * this.#gradeWeight
  }

  /** The chance of a repeated grade: the same again, or a new draw. */
  #ofRepeat(kind: GradedKind, shares: readonly number[], first: number, bin: number): number {
    const repeat = this.repeatRate(kind)
    return (bin === first ? repeat : 0) + (1 - repeat) * shares[bin]!
  }

  /** Returns the chance of each grade in the next reply, for right and for wrong things. */
  next(kind: GradedKind, at: number, bins: readonly number[]): { right: number[]; wrong: number[] } {
    const [first] = bins
    const [right, wrong] = [this.#right[at]!, this.#wrong[at]!]
    if (first === undefined) return { right, wrong }
    return {
      right: right.map((_, bin) => this.#ofRepeat(kind, right, first, bin)),
      wrong: wrong.map((_, bin) => this.#ofRepeat(kind, wrong, first, bin)),
    }
  }

  /** Learns from a repeated grade. */
  repeated(kind: GradedKind, at: number, { first, bin, chance }: { first: number; bin: number; chance: number }): void {
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

  /** Learns from a choice among several paths; `chances` are those of each path, the first one is the chosen. */
  picked(chances: readonly number[]): void {
    const k = chances.length
    const none = chances.reduce((product, chance) => product * (1 - chance), 1)
    const chosen = ((1 - none) * chances[0]!) / (total(chances) || 1)
    const other = 1 - none - chosen
    this.#weighSkills((skill) => chosen * (skill + (1 - skill) / k) + (other * (1 - skill)) / k + none / k)
  }

  /** Learns from a second choice: the same as the first one, right with a chance, or another. */
  pickedAgain(isSame: boolean, { chance, size, some }: { chance: number; size: number; some: number }): void {
    this.#weighSkills((skill) => {
      const same = chance * (skill + (1 - skill) / size) + ((1 - chance) * (1 - skill * some)) / size
      return isSame ? same : 1 - same
    })
  }

  #weighSkills(likelihood: (skill: number) => number): void {
    const weights = this.#pickWeights.map((weight, at) => weight * likelihood(PICK_SKILLS[at]!))
    const all = total(weights)
    this.#pickWeights = weights.map((weight) => weight / all)
  }
}

/** Makes counts of grades for every class. */
export const emptyClasses = (): GradeCounts[] =>
  Array.from({ length: CLASSES }, () => ({ right: zeros(), wrong: zeros() }))

const total = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

const sum = (lists: readonly (readonly number[])[]): number[] =>
  lists.reduce<number[]>((sums, list) => sums.map((value, bin) => value + list[bin]!), zeros())

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
      const weight = Math.min(1, MOST_EARLIER / (total(added) || 1))
      counts.grades[kind][side].splice(0, GRADE_BINS, ...added.map((count) => count * weight))
    }
  }
  for (const key of ['options', 'answers'] as const) {
    const tried = total(earlier.map((each) => each[key].tried))
    const weight = Math.min(1, MOST_EARLIER / (tried || 1))
    Object.assign(counts[key], { tried: tried * weight, good: weight * total(earlier.map((each) => each[key].good)) })
  }
  return counts
}
