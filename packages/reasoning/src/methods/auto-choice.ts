import type { AnswerGroup, Answers } from './auto-answers.ts'
import type { PathBelief, Paths } from './auto-paths.ts'
import { classOf } from './auto-rates.ts'

/** One next step of the search. */
export type Action =
  | { readonly kind: 'expand' | 'answer' | 'again' | 'confirm'; readonly at: PathBelief }
  | { readonly kind: 'dive' | 'independent' }
  | { readonly kind: 'judge'; readonly group: AnswerGroup }
  | { readonly kind: 'choose'; readonly among: readonly PathBelief[] }

/** An action and the chance per call that it turns the final answer from wrong to right. */
export interface Choice {
  readonly action: Action
  readonly gain: number
}

interface ChoiceTerms {
  /** The answers, the most probable first. */
  readonly rivals: readonly Rival[]
  readonly verified: boolean
  /** Number of independent answers that are asked already. */
  readonly waiting: number
  /** Number of calls so far. */
  readonly calls: number
  /** How far the gains of paths are believed. */
  readonly trust: number
  readonly minGain: number
}

/** Most answers that are weighed against each other. */
const MAX_RIVALS = 5
/** Number of ends that are compared at once: ends that are surely wrong show whether right ones are recognized. */
const MAX_POOLED_ENDS = 8
/** The chance of another answer that is found if the best one turns out wrong. */
const FALLBACK_CHANCE = 0.5
/** Most grades of one thing: what they have in common is not corrected by more. */
const MAX_GRADES = 3
/** Chance that a new right answer is recognized without a verifier. */
const SEEN_CHANCE = 0.7

/** Share of the calls for independent answers, as long as none of them agrees with another answer. */
const PROBE_SHARE = 1 / 20
/** The same with a verifier, by the square of the share of wrong steps that are praised, and the calls before which none is due. */
const OWED_SHARE = 2
const OWED_AFTER_CALLS = 10

const ANSWER_CLASS = classOf('answer', 0)

/** An answer and its chance to be right. */
export interface Rival {
  readonly group: AnswerGroup
  readonly chance: number
}

/** Ranks the answers by their chance to be right, among equals the first. */
export const rank = (answers: Answers): Rival[] =>
  answers.groups.map((group) => ({ group, chance: answers.chance(group) })).sort((a, b) => b.chance - a.chance)

/** Chooses the action with the highest gain per call; null if there is none. */
export function choose(
  paths: Paths,
  answers: Answers,
  { rivals, verified, waiting, calls, minGain, trust }: ChoiceTerms,
): Choice | null {
  const best = rivals[0]?.chance ?? 0
  const open = (verified ? 1 : 1 - best) * answers.successRate
  const root = paths.chance(paths.root)
  const choices: Choice[] = []
  const consider = (action: Action, gain: number): void => {
    choices.push({ action, gain })
  }
  const { step, stepAt, end, endAt } = paths.root
  if (stepAt) consider({ kind: 'expand', at: stepAt }, trust * open * root * step * (verified ? 1 : SEEN_CHANCE))
  if (endAt) {
    const chance = verified ? root * end : paths.trusted(endAt) * (1 - paths.rates.slipRate)
    const seen = verified ? chance : Math.max(chance - best, gainOfNewRival(chance, best))
    consider({ kind: 'answer', at: endAt }, trust * seen * answers.successRate)
  }
  if (!verified) considerChecks(paths, answers, { rivals, consider })
  const isBlind = !paths.rates.tellsApart
  const alone = gainOfIndependent(answers, { verified, best, isBlind }) / (1 + waiting)
  let top: Choice | null = null
  for (const choice of choices) if (!top || choice.gain > top.gain) top = choice
  // Without a check, answers alone are worth their calls only if they agree, or if nothing else is left to do.
  const isDue = answers.agree || answers.count + 1 <= calls * PROBE_SHARE || !top || top.gain < minGain
  if (!verified) return isDue && (!top || alone > top.gain) ? { action: { kind: 'independent' }, gain: alone } : top
  // Paths and answers alone fail on different problems: the less grades say, the less paths are preferred.
  const isOwed =
    answers.lasting >= minGain &&
    answers.count + waiting + 1 <= (calls - OWED_AFTER_CALLS) * OWED_SHARE * paths.rates.falsePraise ** 2
  const gain = top ? top.gain / trust : 0
  if (top && gain >= minGain && alone <= top.gain && !isOwed) return { action: top.action, gain }
  return { action: { kind: 'independent' }, gain: Math.max(alone, answers.lasting) }
}

/**
 * The gain of a further independent answer. Without a verifier it counts if another one equals it, or its judge recognizes it
 * where grades say nothing of paths.
 */
function gainOfIndependent(
  answers: Answers,
  { verified, best, isBlind }: { verified: boolean; best: number; isBlind: boolean },
): number {
  if (verified) return answers.next
  // The more votes there are, the less two more change.
  const agreed = ((1 - best) * answers.nextTwo * SEEN_CHANCE) / (2 + answers.count / 4)
  return isBlind ? Math.max(agreed, gainOfNewRival(answers.lasting, best)) : agreed
}

/** The gain per call of an answer that is less sure than the best one, to check it afterwards. */
const gainOfNewRival = (chance: number, best: number): number => ((1 - best) * chance * SEEN_CHANCE) / 2

interface Consideration {
  readonly rivals: readonly Rival[]
  readonly consider: (action: Action, gain: number) => void
}

function considerChecks(paths: Paths, answers: Answers, { rivals, consider }: Consideration): void {
  const { rates } = paths
  const best = rivals[0]?.chance ?? 0
  // A check of a weak answer is of no use once a better one is found.
  const used = Math.min(1, 2 * best)
  const top = rivals.slice(0, MAX_RIVALS).filter(({ chance }) => chance > 0.01)
  for (const [i, { group, chance }] of top.entries()) {
    if (group.isBusy) continue
    const others = i === 0 ? Math.max(Math.min(best, FALLBACK_CHANCE), top[1]?.chance ?? 0) : best
    const judged = { ...rates.next('answer', ANSWER_CLASS, group.grades), others, best }
    if (!group.isUngraded && group.grades.length < MAX_GRADES) {
      const isNews = group.grades.length === 0 && (group.sources.length > 0 || !rates.tellsApart)
      const first = i > 0 && isNews ? (1 - best) * chance * SEEN_CHANCE : 0
      consider({ kind: 'judge', group }, Math.max(first, used * gainOfGrade(chance, judged)))
    }
    for (const source of group.sources) {
      const end = source.parent!
      if (end.isBusy || end.isUngraded) continue
      if (i === 0 && end.failures === 0)
        consider({ kind: 'again', at: end }, gainOfAnswer(paths, { end, chance: Math.min(1, chance / source.rate) }))
      const graded = { ...rates.next('end', end.class, end.grades), others, best }
      if (end.grades.length < MAX_GRADES) consider({ kind: 'confirm', at: end }, used * gainOfGrade(chance, graded))
    }
  }
  const among = paths.topEnds(MAX_POOLED_ENDS).filter((end) => !end.isBusy && end.failures === 0)
  if (among.length > 1) {
    const leader = rivals[0]?.group
    const terms = { leader, chance: (group: AnswerGroup) => answers.chance(group), slip: rates.slipRate }
    consider({ kind: 'choose', among }, answers.pools.gain(among, terms))
  }
}

/** The gain of a further grade of an answer: it may fall behind the others, or pass the best. */
function gainOfGrade(
  chance: number,
  { right, wrong, others, best }: { right: readonly number[]; wrong: readonly number[]; others: number; best: number },
): number {
  let expected = 0
  right.forEach((share, bin) => {
    expected += Math.max(chance * share, others * (chance * share + (1 - chance) * wrong[bin]!))
  })
  return expected - best
}

/** The gain of a further answer from an end: slips are seen when three answers are compared. */
function gainOfAnswer(paths: Paths, { end, chance }: { end: PathBelief; chance: number }): number {
  const slip = paths.rates.slipRate
  if (end.replies === 1) return (chance * Math.max(0, slip * (1 - slip) * (1 - 2 * slip))) / (1 + 2 * slip * (1 - slip))
  const shares = end.children.map(({ rate }) => rate).toSorted((a, b) => b - a)
  return end.replies < 5 && shares.length > 1 && shares[0]! - shares[1]! < 0.1 ? chance * (1 - slip) * 0.4 : 0
}
