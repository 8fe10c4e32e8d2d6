import type { ThinkNode } from '../tree/think-node.ts'

/** Earlier tries that are shown at most: the prompt must not grow without end. */
const SHOWN = 5

/** The simulation that an answer is of, counted from 0; -1 for any other node. */
export const simulationOf = (node: ThinkNode): number => Number(node.id.split('@')[1] ?? -1)

/** What the answers of earlier simulations teach the next one: their paths and the grader's words; null without any. */
export function triesOf(answers: readonly ThinkNode[]): string | null {
  if (answers.length === 0) return null
  const shown = answers.slice(-SHOWN)
  return shown
    .map((node) => `### Try ${simulationOf(node) + 1}\n${node.parent!.steps}\nRating: ${node.ratingDetails}`)
    .join('\n\n')
}

/** What all answers of a tree that was searched teach, in the order of their simulations; null without any. */
export function triesIn(root: ThinkNode): string | null {
  const answers = [...root.walk()].filter(({ fate }) => fate === 'answer')
  return triesOf(answers.toSorted((a, b) => simulationOf(a) - simulationOf(b)))
}
