import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { saysTerminate } from './terminal.ts'
import type { ThinkNode } from './think-node.ts'

/** A row for supervised fine-tuning: a question and the best path to its answer. */
export interface SftRow {
  instruction: string
  response: string
  /** Value of the path, in [0, 1]. */
  value: number
  /** Id of the last node of the path. */
  node: string
}

/** A row for preference training: two continuations of one path, one clearly better. */
export interface PreferenceRow {
  instruction: string
  reflection: string
  preferred_response: string
  dispreferred_response: string
  /** Difference of the values, in [0, 1]. */
  margin: number
}

/** A row for training a grader of steps: a path, and a label for its last step. */
export interface StepRow {
  question: string
  steps: string[]
  /** Label in [0, 1]. */
  label: number
  /** Origin of the label: simulations through the step, the best finished path below it, or the grader. */
  source: 'visits' | 'outcome' | 'grade'
}

/** Options of the extraction of training data. */
export interface TrainingOptions {
  /**
   * The measure of a path: the values of its nodes after the search (`value`), or the verdicts on its answers (`outcome`);
   * an unverified answer counts with its grade. Default `value`.
   */
  by?: 'value' | 'outcome' | undefined
  /** If true, only answers that a verifier accepted or refused count, so that no grade decides; default false. */
  verifiedOnly?: boolean | undefined
}

/** Options of `extractRlhfPreferenceDataset`. */
export interface PreferenceOptions extends TrainingOptions {
  /** Least difference of the values of a pair, in (0, 1); default 0.2. */
  contrastiveThreshold?: number | undefined
}

const TRAINING_KINDS: OptionKinds<TrainingOptions> = { by: kind.oneOf('value', 'outcome'), verifiedOnly: kind.flag }

/** True if a node has a grade or visits. */
const isGraded = (node: ThinkNode): boolean => node.grade !== null || node.visits > 0

const valueOf = (node: ThinkNode): number => (node.visits > 0 ? node.value : (node.grade ?? 0))

/** True if a path ends at the node: dropped and unfinished branches are not examples. */
const isFinished = (node: ThinkNode): boolean => node.fate === 'answer' || node.fate === 'final' || saysTerminate(node)

/** Returns the outcome of an answer, in [0, 1]; null for other nodes, and for answers without a verdict or grade. */
function outcomeOf(node: ThinkNode, verifiedOnly: boolean): number | null {
  if (node.fate !== 'answer' || (verifiedOnly && node.isVerified === null)) return null
  return node.grade
}

/** Propagates the outcomes of answers upwards: each node gets the mean over the answers below it. */
function meanOutcomes(root: ThinkNode, verifiedOnly: boolean): (node: ThinkNode) => number | null {
  const sums = new Map<ThinkNode, { sum: number; count: number }>()
  for (const node of [...root.walk()].toReversed()) {
    const outcome = outcomeOf(node, verifiedOnly)
    const below = [...node.children.flatMap((child) => sums.get(child) ?? [])]
    if (outcome !== null) below.push({ sum: outcome, count: 1 })
    if (below.length === 0) continue
    sums.set(node, {
      sum: below.reduce((total, { sum }) => total + sum, 0),
      count: below.reduce((total, { count }) => total + count, 0),
    })
  }
  return (node) => {
    const total = sums.get(node)
    return total ? total.sum / total.count : null
  }
}

/**
 * Extracts rows for supervised fine-tuning: the best finished and graded path, or several if they are equally good; with
 * `verifiedOnly` every path with an accepted answer. An answer that a verifier refused is never an example.
 */
export function extractSftDataset(root: ThinkNode, options: TrainingOptions = {}): SftRow[] {
  checkOptions(options, TRAINING_KINDS, 'extract rows for fine-tuning')
  const { by = 'value', verifiedOnly = false } = options
  const nodes = [...root.walk()].filter((node) => node.parent !== null && node.isVerified !== false)
  // Once answers were checked, a path without a checked answer has only the opinion of a grader.
  const isChecked = nodes.some(({ isVerified }) => isVerified) || verifiedOnly
  const ends = nodes.filter((node) =>
    isChecked || by === 'outcome'
      ? outcomeOf(node, isChecked) !== null
      : node.children.length === 0 && isFinished(node) && isGraded(node),
  )
  const best = verifiedOnly ? 0 : Math.max(...ends.map(valueOf))
  return ends
    .filter((node) => valueOf(node) >= best)
    .map((node) => ({ instruction: root.content, response: node.steps, value: valueOf(node), node: node.id }))
}

/**
 * Extracts rows for preference training: pairs of siblings whose values differ by more than the threshold. By `value`,
 * visited siblings are compared by their mean reward, others by their grade; answers only with answers. By `outcome`,
 * siblings are compared by the mean outcome of the answers below them.
 */
export function extractRlhfPreferenceDataset(
  root: ThinkNode,
  options: number | PreferenceOptions = {},
): PreferenceRow[] {
  const settings: PreferenceOptions = typeof options === 'number' ? { contrastiveThreshold: options } : options
  checkOptions(settings, { ...TRAINING_KINDS, contrastiveThreshold: kind.any }, 'extract preference rows')
  const { by = 'value', verifiedOnly = false, contrastiveThreshold = 0.2 } = settings
  if (!(contrastiveThreshold > 0 && contrastiveThreshold < 1)) {
    throw new XError(
      'invalid-argument',
      `preference rows cannot be extracted with \`contrastiveThreshold: ${contrastiveThreshold}\`: give a number between 0 and 1`,
    )
  }
  const outcome = meanOutcomes(root, verifiedOnly)
  const marginOf = (better: ThinkNode, worse: ThinkNode): number => {
    if (by === 'value' && !verifiedOnly) return areComparable(better, worse) ? valueOf(better) - valueOf(worse) : 0
    const [high, low] = [outcome(better), outcome(worse)]
    return high === null || low === null || !areSameKind(better, worse) ? 0 : high - low
  }
  return [...root.walk()].flatMap((node) =>
    node.children.flatMap((better) =>
      node.children.flatMap((worse) => {
        const margin = marginOf(better, worse)
        if (margin <= contrastiveThreshold) return []
        return {
          instruction: node.trajectory,
          reflection: node.reflection,
          preferred_response: `Step ${better.depth}: ${better.content}`,
          dispreferred_response: `Step ${worse.depth}: ${worse.content}`,
          margin,
        }
      }),
    ),
  )
}

const areSameKind = (a: ThinkNode, b: ThinkNode): boolean => (a.fate === 'answer') === (b.fate === 'answer')

/** True if two siblings have values of the same kind; a refused answer may be the worse one, but not the better one. */
const areComparable = (better: ThinkNode, worse: ThinkNode): boolean =>
  isGraded(better) &&
  isGraded(worse) &&
  better.isVerified !== false &&
  areSameKind(better, worse) &&
  better.visits > 0 === worse.visits > 0

/**
 * Extracts a label for every graded step: from its simulations, else the best finished path below it, else its grade. By
 * `outcome`, the label of a step is the mean outcome of the answers below it.
 */
export function extractStepLabels(root: ThinkNode, options: TrainingOptions = {}): StepRow[] {
  checkOptions(options, TRAINING_KINDS, 'extract labels of steps')
  const { by = 'value', verifiedOnly = false } = options
  const outcome = meanOutcomes(root, verifiedOnly)
  const best = bestFinishedValues(root)
  const rows: StepRow[] = []
  for (const node of root.walk()) {
    if (!node.parent || node.fate === 'answer') continue
    const label = by === 'outcome' || verifiedOnly ? labelOf(outcome(node), 'outcome') : usualLabel(node, best)
    if (!label) continue
    rows.push({ question: root.content, steps: node.path.slice(1).map(({ content }) => content), ...label })
  }
  return rows
}

type StepLabel = Pick<StepRow, 'label' | 'source'>

const labelOf = (label: number | null, source: StepRow['source']): StepLabel | null =>
  label === null ? null : { label, source }

function usualLabel(node: ThinkNode, best: ReadonlyMap<ThinkNode, number>): StepLabel | null {
  if (!isGraded(node)) return null
  if (node.visits > 0) return { label: node.value, source: 'visits' }
  const below = Math.max(...node.children.map((child) => best.get(child) ?? -1), -1)
  return below < 0 ? labelOf(node.grade, 'grade') : { label: below, source: 'outcome' }
}

/** Propagates values upwards: each node gets the value of the best finished and graded node at or below it. */
function bestFinishedValues(root: ThinkNode): ReadonlyMap<ThinkNode, number> {
  const best = new Map<ThinkNode, number>()
  for (const node of [...root.walk()].toReversed()) {
    // The grade of a path does not count once its answers were checked.
    const isChecked = node.children.some(({ isVerified }) => isVerified !== null)
    const ownValue = isFinished(node) && isGraded(node) && !isChecked ? valueOf(node) : -1
    const highest = Math.max(ownValue, ...node.children.map((child) => best.get(child) ?? -1))
    if (highest >= 0) best.set(node, highest)
  }
  return best
}
