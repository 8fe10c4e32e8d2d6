import type { PathBelief } from './auto-paths.ts'

/** Chances of recognizing the right path among several, before the first try. */
const PICK_SKILLS = [0, 0.3, 0.6, 0.9]
const PICK_WEIGHTS = [0.3, 0.25, 0.25, 0.2]
/** Choices among wrong paths only repeat as if there were this many draws before: one in five is made again without reason. */
const EARLIER_DRAWS = 4
/** Part of the evidence that counts: choices of one answerer have errors in common. */
const CHOICE_WEIGHT = 0.7
/** Bound of the logarithms of evidence. */
const MAX_EVIDENCE = 6
const LEAST_CHANCE = 1e-4

/** The choices among the same ends: one answer was written from all of them, which is that of the right one if it is recognized. */
class Pool<Answer extends object> {
  readonly ends: readonly PathBelief[]
  /** Number of times that each answer was written. */
  readonly times: Map<Answer, number> = new Map()
  /** Number of all of them. */
  count = 0
  /** Logarithm of the evidence for each end. */
  readonly shifts: Map<PathBelief, number> = new Map()
  /** The chances of the answers whose ends are not known, before the choices and with them. */
  chances: ReadonlyMap<Answer, { readonly before: number; readonly after: number }> = new Map()

  constructor(ends: readonly PathBelief[]) {
    this.ends = ends
  }
}

/** One of the things that may be right: an end with known answers, or an answer of one of the other ends. */
interface Hypothesis<Answer> {
  /** Its chance before the choices of this pool. */
  readonly prior: number
  /** Number of choices for it, and of the ends that it may stand for. */
  readonly times: number
  readonly width: number
  /** The answer that it makes right; null if it is not written yet. */
  readonly group: Answer | null
  /** Its end; null for one of several. */
  readonly end: PathBelief | null
}

interface Outlook<Answer> {
  readonly hypotheses: readonly Hypothesis<Answer>[]
  /** For each skill the chance of each hypothesis, the last one that of none. */
  readonly joint: readonly (readonly number[])[]
  /** For each skill the likelihood of the choices, times one number. */
  readonly likelihoods: readonly number[]
}

/** The sources of the chances that the pools need. */
export interface PoolTerms<Answer> {
  /** The chance that an end leads to a right answer, with all evidence. */
  readonly chance: (end: PathBelief) => number
  /** The same by all grades, as far as they can be trusted at all. */
  readonly belief: (end: PathBelief) => number
  /** The answer that is known of an end; undefined before the first. */
  readonly answer: (end: PathBelief) => Answer | undefined
  /** The factor of the evidence about the text of an answer. */
  readonly factor: (group: Answer) => number
}

/** The evidence of choices among ends: about the ends, and about the skill of recognizing the right one. */
export class Pools<Answer extends object> {
  readonly #terms: PoolTerms<Answer>
  readonly #pools = new Map<string, Pool<Answer>>()
  #weights: readonly number[] = PICK_WEIGHTS

  constructor(terms: PoolTerms<Answer>) {
    this.#terms = terms
  }

  /** The chance of recognizing the right path among several. */
  get skill(): number {
    return PICK_SKILLS.reduce((sum, skill, at) => sum + skill * this.#weights[at]!, 0)
  }

  /** Takes an answer that was written from several ends; returns the ends about which it tells. */
  take(ends: readonly PathBelief[], group: Answer): readonly PathBelief[] {
    const key = keyOf(ends)
    const pool = this.#pools.get(key) ?? new Pool<Answer>(ends)
    this.#pools.set(key, pool)
    pool.times.set(group, (pool.times.get(group) ?? 0) + 1)
    pool.count += 1
    return this.recompute()
  }

  /** Computes all evidence anew; returns the ends about which it tells. */
  recompute(): readonly PathBelief[] {
    const pools = [...this.#pools.values()]
    // What the skill is learned from: grades as far as they can be trusted at all.
    const likelihoods = pools.map((pool) => this.#outlook(pool, pool.ends, this.#terms.belief).likelihoods)
    const weights = PICK_WEIGHTS.map((weight, s) => likelihoods.reduce((product, of) => product * of[s]!, weight))
    const all = sum(weights)
    this.#weights = weights.map((weight) => weight / all)
    for (const pool of pools) this.#evaluate(pool)
    return pools.flatMap(({ ends }) => ends)
  }

  /** The chance of an answer that was chosen from ends without known answers, by all such choices; 0 if it was not. */
  pooled(group: Answer): number {
    let [chance, shift] = [0, 0]
    for (const { chances } of this.#pools.values()) {
      const its = chances.get(group)
      if (!its) continue
      chance = Math.max(chance, its.before)
      shift += shiftOf(its.before, its.after)
    }
    return chance === 0 ? 0 : shifted(chance, Math.min(MAX_EVIDENCE, shift))
  }

  /** Computes what the choices of a pool tell about its ends and their answers. */
  #evaluate(pool: Pool<Answer>): void {
    const outlook = this.#outlook(pool, pool.ends)
    const chances = new Map<Answer, { before: number; after: number }>()
    // Ends without known answers share what is known about all of them.
    let [before, after] = [0, 0]
    outlook.hypotheses.forEach(({ end, group, prior }, h) => {
      const mean = this.#mean(outlook, h)
      if (end) {
        pool.shifts.set(end, shiftOf(prior, mean))
        return
      }
      if (group) chances.set(group, { before: prior, after: mean })
      before += prior
      after += mean
    })
    pool.chances = chances
    const open = pool.ends.filter((end) => !this.#terms.answer(end))
    const priors = open.map((end) => this.#priorOf(pool, end))
    open.forEach((end, i) => {
      const prior = (before * priors[i]!) / sum(priors)
      pool.shifts.set(end, shiftOf(prior, (prior * after) / before))
    })
    for (const end of pool.ends) end.choices = this.#choicesOf(end)
  }

  #choicesOf(end: PathBelief): number {
    let evidence = 0
    for (const { shifts } of this.#pools.values()) evidence += shifts.get(end) ?? 0
    return Math.max(-MAX_EVIDENCE, Math.min(MAX_EVIDENCE, CHOICE_WEIGHT * evidence))
  }

  /** The chance of an end without the evidence of a pool. */
  #priorOf(pool: Pool<Answer> | undefined, end: PathBelief, chanceOf = this.#terms.chance): number {
    const chance = Math.min(0.98, Math.max(LEAST_CHANCE, chanceOf(end)))
    const odds = (chance / (1 - chance)) * Math.exp(-(pool?.shifts.get(end) ?? 0))
    return odds / (1 + odds)
  }

  /** The mean chance of a hypothesis. */
  #mean({ joint }: Outlook<Answer>, h: number): number {
    return this.#weights.reduce((sum, weight, s) => sum + weight * joint[s]![h]!, 0)
  }

  #outlook(
    pool: Pool<Answer> | undefined,
    ends: readonly PathBelief[],
    chanceOf = this.#terms.chance,
  ): Outlook<Answer> {
    const { answer, factor } = this.#terms
    const size = ends.length
    const priors = ends.map((end) => this.#priorOf(pool, end, chanceOf))
    const none = priors.reduce((product, prior) => product * (1 - prior), 1)
    const total = sum(priors)
    const hypotheses: Hypothesis<Answer>[] = []
    const identified = new Set<Answer>()
    let [open, openCount] = [0, 0]
    ends.forEach((end, i) => {
      const prior = ((1 - none) * priors[i]!) / total
      const group = answer(end)
      if (!group) {
        open += prior
        openCount += 1
        return
      }
      identified.add(group)
      hypotheses.push({ prior, times: pool?.times.get(group) ?? 0, width: 1, group, end })
    })
    const others = [...(pool?.times ?? [])].filter(([group]) => !identified.has(group))
    const width = Math.max(openCount, others.length)
    for (const [group, times] of others)
      hypotheses.push({ prior: (open * factor(group)) / width, times, width: 1, group, end: null })
    const unseen = Math.max(0, openCount - others.length)
    if (unseen > 0) hypotheses.push({ prior: (open * unseen) / width, times: 0, width: unseen, group: null, end: null })
    const count = pool?.count ?? 0
    const wrong = Math.log(none) + ofWrong(pool, size)
    const logs = PICK_SKILLS.map((skill) => {
      const [hit, miss] = [Math.log(skill + (1 - skill) / size), Math.log((1 - skill) / size)]
      return [...hypotheses.map(({ prior, times }) => Math.log(prior) + hit * times + miss * (count - times)), wrong]
    })
    // Hundreds of choices are less likely than the least number.
    const most = Math.max(...logs.flat())
    const weights = logs.map((of) => of.map((log) => Math.exp(log - most)))
    const likelihoods = weights.map(sum)
    const joint = weights.map((of, s) => of.map((weight) => weight / (likelihoods[s]! || 1)))
    return { hypotheses, joint, likelihoods }
  }

  /** The gain of one more choice among some ends: `leader` is the best answer so far, `chance` that of a known answer. */
  gain(
    ends: readonly PathBelief[],
    { leader, chance, slip }: { leader: Answer | undefined; chance: (group: Answer) => number; slip: number },
  ): number {
    const pool = this.#pools.get(keyOf(ends))
    const outlook = this.#outlook(pool, ends)
    const { hypotheses, joint } = outlook
    const size = ends.length
    const count = pool?.count ?? 0
    const now = hypotheses.map(({ group }, h) => {
      const mean = this.#mean(outlook, h)
      return { mean, chance: group ? chance(group) : 0 }
    })
    const best = leader ? chance(leader) : 0
    const isAmong = hypotheses.some(({ group }) => group && group === leader)
    let [expected, total] = [0, 0]
    hypotheses.forEach((outcome, o) => {
      let all = 0
      const after = hypotheses.map(() => 0)
      PICK_SKILLS.forEach((skill, s) => {
        const miss = (1 - skill) / size
        const weight = this.#weights[s]!
        hypotheses.forEach((hypothesis, h) => {
          // Of several unseen answers one is written: the right one, or another.
          const hit = h === o ? skill + miss : miss * outcome.width
          const of = weight * joint[s]![h]! * hit
          after[h]! += of
          all += of
          if (h === o && outcome.width > 1) all += weight * joint[s]![h]! * miss * (outcome.width - 1)
        })
        all +=
          (weight * joint[s]!.at(-1)! * ((EARLIER_DRAWS * outcome.width) / size + outcome.times)) /
          (EARLIER_DRAWS + count)
      })
      if (all === 0) return
      total += all
      // The best answer may be one of these, and lose.
      let most = isAmong ? 0 : best * all
      hypotheses.forEach(({ group }, h) => {
        const { mean, chance: known } = now[h]!
        if (group) most = Math.max(most, all * shifted(known, shiftOf(mean, after[h]! / all)))
        else if (h === o) most = Math.max(most, after[h]! * (1 - slip))
      })
      expected += most
    })
    // With slips there are more answers than ends, and more outcomes.
    return total === 0 ? 0 : expected / total - best
  }
}

/** The logarithm of the likelihood of choices among wrong ends: some are made again without reason. */
function ofWrong(pool: { readonly times: ReadonlyMap<unknown, number> } | undefined, size: number): number {
  let [likelihood, i] = [0, 0]
  for (const times of pool?.times.values() ?? [])
    for (let t = 0; t < times; t++) likelihood += Math.log((EARLIER_DRAWS / size + t) / (EARLIER_DRAWS + i++))
  return likelihood
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

/** The change of the logarithm of the odds. */
const shiftOf = (before: number, after: number): number => {
  const [p, q] = [before, after].map((chance) => Math.min(1 - LEAST_CHANCE, Math.max(LEAST_CHANCE, chance))) as [
    number,
    number,
  ]
  return Math.log((q * (1 - p)) / ((1 - q) * p))
}

/** Returns a chance with a change of the logarithm of its odds. */
const shifted = (chance: number, shift: number): number => {
  const odds = oddsOf(chance) * Math.exp(shift)
  return odds / (1 + odds)
}

const oddsOf = (chance: number): number => chance / (1 - Math.min(chance, 1 - LEAST_CHANCE))

const keyOf = (ends: readonly PathBelief[]): string =>
  ends
    .map(({ node }) => node.id)
    .toSorted()
    .join('+')
