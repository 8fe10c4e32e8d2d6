import type { ThinkNode } from '../tree/think-node.ts'

/** Maximum number of earlier attempts in a prompt. */
const MAX_ATTEMPTS = 5

/** Returns the index of the simulation that an answer belongs to; -1 for any other node. */
export const simulationOf = (node: ThinkNode): number => Number(node.id.split('@')[1] ?? -1)

/** Describes earlier attempts for the next simulation: their paths and the grader's replies; null without answers. */
export function describeAttempts(answers: readonly ThinkNode[]): string | null {
  if (answers.length === 0) return null
  const latest = answers.slice(-MAX_ATTEMPTS)
  return latest
    .map((node) => `### Try ${simulationOf(node) + 1}\n${node.parent!.steps}\nRating: ${node.ratingDetails}`)
    .join('\n\n')
}

/** Describes all attempts in a tree, in the order of their simulations; null without answers. */
export function attemptsIn(root: ThinkNode): string | null {
  const answers = [...root.walk()].filter(({ fate }) => fate === 'answer')
  return describeAttempts(answers.toSorted((a, b) => simulationOf(a) - simulationOf(b)))
}
