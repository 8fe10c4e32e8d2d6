import type { SearchBeliefs } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { SearchContext, Wave } from '../strategy/search-context.ts'
import { searchMethod } from '../strategy/search-method.ts'
import type { Method } from '../strategy/strategy.ts'
import { normalizeAnswer } from '../strategy/vote.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import type { GradeMode } from './beam.ts'
import { type AnswerGroup, Answers } from './auto-answers.ts'
import { choose, rank, type Action, type Rival } from './auto-choice.ts'
import { Paths, type PathBelief } from './auto-paths.ts'
import { areCounts, Rates, type Counts } from './auto-rates.ts'

/** Options of `auto`. */
export interface AutoOptions {
  /** Depth at which a path ends; default 4. */
  maxDepth?: number | undefined
  /** Number of actions at once: more saves time and costs calls. Default 1. */
  width?: number | undefined
  /** Least chance per call to turn a wrong answer into a right one; with less the search ends. Default 0.001. */
  minGain?: number | undefined
  /** The way siblings are graded; default `per-parent`: one call grades all new options of a node. */
  gradeMode?: GradeMode | undefined
  /** The `beliefs` of the results of earlier searches with the same parts, to begin with; default: none. */
  prior?: readonly SearchBeliefs[] | undefined
  /** Normalizes an answer for the comparison; default: its last line without label, case and spaces. */
  normalize?: ((text: string) => string) | undefined
}

/** Kinds of the options of `auto`. */
export const AUTO_KINDS: OptionKinds<AutoOptions> = {
  maxDepth: kind.limit(1),
  width: kind.whole(1),
  minGain: kind.number(0),
  gradeMode: kind.oneOf('each', 'per-parent'),
  prior: kind.list,
  normalize: kind.call,
}

/**
 * Learns during the search how far its grader, its proposer and its answers can be trusted, and asks for what is most likely
 * to turn a wrong answer into a right one.
 */
export function auto(options: AutoOptions = {}): Method {
  checkOptions(options, AUTO_KINDS, 'make an automatic search')
  const { maxDepth = 4, width = 1, minGain = 0.001, gradeMode = 'per-parent' } = options
  const { normalize = normalizeAnswer, prior = [] } = options
  const settings: AutoSettings = {
    maxDepth,
    width,
    minGain,
    gradeMode,
    normalize,
    earlier: prior.map(countsOf),
  }
  const method = searchMethod((search) => new Auto(search, settings).explore())
  return withFingerprint(method, 'auto', { ...settings })
}

/** The chance of an answer, by the model of the search, from which on no call is worth it. */
const SURE_CHANCE = 0.98
/** Calls after which a search without a check dives, if it believes in so much false praise. */
const DIVE_AFTER_CALLS = 50
const DIVE_FALSE_PRAISE = 0.05
/** Dives in a row that find no new end after which there are no more. */
const MAX_IDLE_DIVES = 20
/** Weight of the gain of an expansion as a promise of right answers, beside that of an answer: its path may still lead there. */
const EXPANSION_PROMISE = 1 / 2
/** How far the gains of paths are believed if the grader tells no siblings apart. */
const BLIND_TRUST = 0.01
const DIVE: Action = { kind: 'dive' }
/** By how much less of its logarithm the odds of an answer count, for the share of wrong steps that are praised. */
const DOUBT_OF_PRAISE = 2
/** Part of the logarithm of these odds that is left to all evidence: the rest is what the judge of answers says alone. */
const WEIGHT_OF_ALL = 0.75

interface AutoSettings {
  readonly maxDepth: number
  readonly width: number
  readonly minGain: number
  readonly gradeMode: GradeMode
  readonly normalize: (text: string) => string
  readonly earlier: readonly Counts[]
}

/** Reads the counts from the beliefs of an earlier search; throws `invalid-argument` if they are not that. */
function countsOf(beliefs: SearchBeliefs, index: number): Counts {
  const { grader, proposer, answerer } = beliefs ?? {}
  const counts = {
    grades: { step: grader?.steps, end: grader?.ends, answer: grader?.answers } as Counts['grades'],
    options: proposer,
    answers: answerer,
  }
  if (areCounts(counts)) return counts
  throw new XError(
    'invalid-argument',
    `cannot make an automatic search: entry ${index} of \`prior\` is not the \`beliefs\` of a result; give those of earlier searches with \`auto\``,
  )
}

class Auto {
  readonly #search: SearchContext
  readonly #settings: AutoSettings
  readonly #rates: Rates
  readonly #paths: Paths
  readonly #answers: Answers
  #calls = 0
  /** Number of right answers that the calls for paths promised to a verifier, all of which it refused. */
  #promised = 0
  /** Number of dives since the last new end. */
  #idleDives = 0

  constructor(search: SearchContext, settings: AutoSettings) {
    this.#search = search
    this.#settings = settings
    const { verified } = search.task
    this.#rates = new Rates(settings.earlier, { verified })
    this.#paths = new Paths(search.root, this.#rates, { maxDepth: settings.maxDepth, verified })
    this.#answers = new Answers(this.#paths, settings.normalize)
    search.believe(() => this.#beliefs)
  }

  /** The chance that the best answer is right, as far as the rates behind it can be believed. */
  get #confidence(): number {
    const { best, task } = this.#search
    if (!best) return 0
    if (task.verified) return this.#search.isVerified(best) ? 1 : 0
    const judged = this.#answers.groups.find(({ leaf }) => leaf.content === best.content)?.evidence ?? 0
    return doubted(this.#chanceOf(best), { falsePraise: this.#rates.falsePraise, judged })
  }

  #chanceOf(leaf: ThinkNode): number {
    const known = rank(this.#answers).find(({ group }) => group.leaf.content === leaf.content)
    if (known) return known.chance
    // An answer that was written because the search had to end.
    const end = leaf.parent && this.#paths.of(leaf.parent)
    return end?.kind === 'end' ? this.#paths.trusted(end) * (1 - this.#rates.slipRate) : this.#answers.next
  }

  get #beliefs(): SearchBeliefs {
    const rates = this.#rates
    const confidence = this.#confidence
    return this.#paths.report(
      (all) => this.#answers.countInto(all),
      ({ grades, options, answers }) => ({
        confidence,
        grader: {
          steps: rates.beliefOf('step', grades.step),
          ends: rates.beliefOf('end', grades.end),
          answers: rates.beliefOf('answer', grades.answer),
        },
        proposer: { goodOptions: rates.meanOptionRate, ...options },
        answerer: { right: this.#answers.next, slips: rates.slipRate, ...answers },
      }),
    )
  }

  *explore(): Wave<ThinkNode | null> {
    const search = this.#search
    for (let rivals: readonly Rival[] = []; ; rivals = rank(this.#answers)) {
      this.#preferBest(rivals)
      const actions = this.#nextActions(rivals)
      if (actions.length === 0) return null
      yield* search.together(actions.map((action) => this.#run(action)))
      this.#release(actions)
      this.#learn()
      if (search.best && search.isVerified(search.best)) return search.best
    }
  }

  /** Tells which answer is the best so far, and whether a further one would be better. */
  #preferBest([best]: readonly Rival[]): void {
    const search = this.#search
    const { endAt } = this.#paths.root
    const chance = endAt ? this.#paths.trusted(endAt) : 0
    // Before the first answer, the end of a path is preferred to an answer without any step.
    const alone = this.#answers.count === 0 && !endAt ? this.#answers.next : 0
    if (best) search.prefer(best.group.leaf)
    if (Math.max(chance, alone) > (best?.chance ?? 0)) search.prefer(chance >= alone ? endAt!.node : search.root)
  }

  #nextActions(rivals: readonly Rival[]): Action[] {
    const { width, minGain } = this.#settings
    const { verified } = this.#search.task
    const actions: Action[] = []
    const [best] = rivals
    if (!verified && best && best.chance >= SURE_CHANCE) return []
    while (actions.length < width) {
      const trust = (this.#rates.tellsApart ? 1 : BLIND_TRUST) / (1 + this.#promised)
      const waiting = actions.filter(({ kind }) => kind === 'independent').length
      const choice = choose(this.#paths, this.#answers, {
        rivals,
        verified,
        waiting,
        calls: this.#calls,
        minGain,
        trust,
      })
      if (!choice || choice.gain < minGain) break
      const action = this.#dives ? inPlaceOf(choice.action, best) : choice.action
      actions.push(action)
      if (verified && action.kind !== 'independent')
        this.#promised += choice.gain * (action.kind === 'expand' ? EXPANSION_PROMISE : 1)
      this.#count(action)
      this.#setBusy(action, true)
    }
    return actions
  }

  /**
   * True if the tree is explored by dives: it has learned that wrong steps are praised often. Errors below a step are its own,
   * so that what is promising by its grades has much the same errors.
   */
  get #dives(): boolean {
    if (this.#search.task.verified || this.#calls < DIVE_AFTER_CALLS || this.#idleDives > MAX_IDLE_DIVES) return false
    return this.#rates.falsePraise >= DIVE_FALSE_PRAISE
  }

  /** Counts the calls of an action; a dive counts those of its actions. */
  #count({ kind }: Action): void {
    if (kind !== 'dive') this.#calls += kind === 'expand' ? 2 : 1
  }

  #release(actions: readonly Action[]): void {
    for (const action of actions) this.#setBusy(action, false)
  }

  #setBusy(action: Action, isBusy: boolean): void {
    if ('at' in action) {
      action.at.isBusy = isBusy
      this.#paths.update(action.at)
    }
    if (action.kind === 'judge') action.group.isBusy = isBusy
    if (action.kind === 'choose') for (const end of action.among) end.isBusy = isBusy
  }

  #learn(): void {
    const answers = this.#answers
    if (this.#paths.learn((counts) => answers.countInto(counts))) answers.recompute()
  }

  *#run(action: Action): Wave<void> {
    const search = this.#search
    switch (action.kind) {
      case 'expand':
        yield* this.#expand(action.at)
        return
      case 'dive':
        return yield* this.#dive()
      case 'answer':
      case 'again': {
        const [leaf] = yield* search.answer([action.at.node])
        if (leaf) this.#answers.fromEnd(action.at, leaf, this.#verdictOf(leaf))
        else this.#fail(action.at)
        return this.#paths.update(action.at)
      }
      case 'confirm': {
        const [grade] = yield* search.gradeAgain([action.at.node])
        if (grade === null || grade === undefined) action.at.isUngraded = true
        return this.#grade(action.at, grade ?? null)
      }
      case 'independent': {
        const [leaf] = yield* search.answer([search.root])
        return leaf ? this.#answers.independent(leaf, this.#verdictOf(leaf)) : this.#answers.fail()
      }
      case 'judge': {
        const { group } = action
        const [grade] =
          group.grades.length > 0 ? yield* search.gradeAgain([group.leaf]) : yield* search.grade([group.leaf])
        if (typeof grade === 'number') this.#answers.grade(group, grade)
        else group.isUngraded = true
        return
      }
      case 'choose': {
        const leaf = yield* search.answerTogether(action.among.map(({ node }) => node))
        if (leaf) this.#answers.choice(leaf, action.among, this.#verdictOf(leaf))
        else for (const end of action.among) this.#fail(end)
        return
      }
    }
  }

  /**
   * Goes down from the root by the best options of new replies: the first one may have any grade, all further ones have to be
   * praised. A praised end is answered, and its answer graded.
   */
  *#dive(): Wave<void> {
    const { root } = this.#paths
    this.#idleDives += 1
    let at = root
    while (at.kind === 'step') {
      const options = yield* this.#dependent({ kind: 'expand', at }, this.#expand(at))
      const next = this.#nextOfDive(options)
      if (!next || (at !== root && !this.#paths.isPraised(next))) return
      at = next
    }
    if (!this.#paths.isPraised(at) || at.isBusy) return
    this.#paths.found(at)
    if (at.replies === 0) {
      this.#idleDives = 0
      const action: Action = { kind: 'answer', at }
      yield* this.#dependent(action, this.#run(action))
    }
    const group = this.#answers.of(at)
    if (!group || !isUnheard(group)) return
    const action: Action = { kind: 'judge', group }
    yield* this.#dependent(action, this.#run(action))
  }

  /** The option with the best grade, among equals the first. */
  #nextOfDive(options: readonly PathBelief[]): PathBelief | undefined {
    let best: PathBelief | undefined
    for (const option of options) if (!best || this.#paths.firstBin(option) > this.#paths.firstBin(best)) best = option
    return best
  }

  /** Runs the work of an action of a dive. */
  *#dependent<T>(action: Action, work: Wave<T>): Wave<T> {
    this.#count(action)
    this.#setBusy(action, true)
    const result = yield* work
    this.#setBusy(action, false)
    return result
  }

  #fail(end: PathBelief): void {
    end.failures += 1
    this.#answers.fail()
  }

  #verdictOf(leaf: ThinkNode): boolean | null {
    return this.#search.task.verified ? this.#search.isVerified(leaf) : null
  }

  /** Asks for options and their grades; returns all options of the reply, also those that were known. */
  *#expand(at: PathBelief): Wave<PathBelief[]> {
    const search = this.#search
    const { maxDepth, gradeMode } = this.#settings
    const before = at.children.map(({ node }) => search.timesProposed(node))
    const [fresh = []] = yield* search.expand([at.node])
    const known = at.children.filter(({ node }, i) => search.timesProposed(node) > before[i]!)
    this.#paths.reply(at, fresh.length)
    const children = fresh.map((node) => this.#paths.add(node, at, search.isEnd(node, maxDepth) ? 'end' : 'step'))
    // Without grades they are no evidence yet: one way up is enough.
    for (const child of children) this.#paths.refresh(child)
    this.#paths.update(at)
    // The search may have to end before they are graded.
    this.#preferBest(rank(this.#answers))
    const ungraded = fresh.filter(({ ratingDetails }) => ratingDetails === '')
    if (gradeMode === 'each') yield* search.grade(ungraded)
    else yield* search.gradeTogether(ungraded)
    this.#paths.gradings(gradeMode === 'each' ? ungraded.length : Math.min(1, ungraded.length))
    this.#rates.sawSiblings(fresh.flatMap(({ grade }) => grade ?? []))
    for (const child of children) this.#grade(child, child.node.grade)
    this.#paths.update(at)
    return [...known, ...children]
  }

  #grade(at: PathBelief, grade: number | null): void {
    if (grade !== null) this.#paths.grade(at, grade)
    this.#paths.update(at)
  }
}

/**
 * Moves a chance towards one half, the more wrong steps are praised, and lets no answer be surer than that praise is right: rates
 * that are learned from such grades are wrong too. Paths that lead to one answer may share their errors, which its judge does not:
 * `judged`, the logarithm of his evidence, counts whole.
 */
function doubted(chance: number, { falsePraise, judged }: { falsePraise: number; judged: number }): number {
  const part = Math.max(0, 1 - DOUBT_OF_PRAISE * falsePraise)
  const right = chance ** part
  const most = Math.min(right / (right + (1 - chance) ** part), 1 - falsePraise)
  const odds = (most / (1 - most)) ** WEIGHT_OF_ALL * Math.exp((1 - WEIGHT_OF_ALL) * judged)
  return odds / (1 + odds)
}

/** Replaces an action while the tree is explored by dives: the judge is heard about the leading answer first, and dives explore. */
function inPlaceOf(action: Action, leader: Rival | undefined): Action {
  if (leader && isUnheard(leader.group)) return { kind: 'judge', group: leader.group }
  return action.kind === 'expand' || action.kind === 'answer' ? DIVE : action
}

/** True if the judge of answers has not been asked about an answer. */
const isUnheard = ({ grades, isBusy, isUngraded }: AnswerGroup): boolean =>
  grades.length === 0 && !isBusy && !isUngraded
