import { XError } from '@x/kernel'
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
  /** The origin of the label: simulations through the step, the best finished path below it, or the grader. */
  source: 'visits' | 'outcome' | 'grade'
}

/** Whether a node has a grade or visits. */
const isGraded = (node: ThinkNode): boolean => node.grade !== null || node.visits > 0

const valueOf = (node: ThinkNode): number => (node.visits > 0 ? node.value : (node.grade ?? 0))

/** Whether a path ends at the node: dropped and unfinished branches are no examples. */
const isFinished = (node: ThinkNode): boolean => node.fate === 'answer' || node.fate === 'final' || saysTerminate(node)

/** Extracts rows for supervised fine-tuning: the best finished and graded path, several when they are equally good. */
export function extractSftDataset(root: ThinkNode): SftRow[] {
  const ends = [...root.walk()].filter(
    (node) => node.parent !== null && node.children.length === 0 && isFinished(node) && isGraded(node),
  )
  const best = Math.max(...ends.map(valueOf))
  return ends
    .filter((node) => valueOf(node) === best)
    .map((node) => ({ instruction: root.content, response: node.steps, value: best, node: node.id }))
}

/**
 * Extracts rows for preference training: pairs of graded siblings whose values differ by more than `contrastiveThreshold`,
 * in (0, 1). Visited siblings are compared by their mean reward, others by their grade; answers only with answers.
 */
export function extractRlhfPreferenceDataset(root: ThinkNode, contrastiveThreshold: number = 0.2): PreferenceRow[] {
  if (!(contrastiveThreshold > 0 && contrastiveThreshold < 1)) {
    throw new XError(
      'invalid-argument',
      `preference rows cannot be extracted with \`contrastiveThreshold: ${contrastiveThreshold}\`: give a number between 0 and 1`,
    )
  }
  return [...root.walk()].flatMap((node) =>
    node.children.flatMap((better) =>
      node.children.flatMap((worse) => {
        const margin = areComparable(better, worse) ? marginOf(better, worse) : 0
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

const areComparable = (a: ThinkNode, b: ThinkNode): boolean =>
  isGraded(a) && isGraded(b) && (a.fate === 'answer') === (b.fate === 'answer') && a.visits > 0 === b.visits > 0

const marginOf = (a: ThinkNode, b: ThinkNode): number => valueOf(a) - valueOf(b)

/** Extracts a label for every graded step: from its simulations, else the best finished path below it, else its grade. */
export function extractStepLabels(root: ThinkNode): StepRow[] {
  const rows: StepRow[] = []
  for (const node of root.walk()) {
    if (!node.parent || node.fate === 'answer' || !isGraded(node)) continue
    const below = [...node.walk()].filter((end) => end !== node && isFinished(end) && isGraded(end))
    const [label, source] =
      node.visits > 0
        ? ([node.value, 'visits'] as const)
        : below.length > 0
          ? ([Math.max(...below.map(valueOf)), 'outcome'] as const)
          : ([node.grade!, 'grade'] as const)
    rows.push({ question: root.content, steps: node.path.slice(1).map(({ content }) => content), label, source })
  }
  return rows
}

/** Writes rows as JSON lines. */
export const toJsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
