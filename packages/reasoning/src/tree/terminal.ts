import type { ThinkNode } from './think-node.ts'

const TERMINATE = /^[\s*_`#>"'-]*TERMINATE\b/

/** Whether an option says that the question is solved: it begins with TERMINATE. A root never says so. */
export const saysTerminate = (node: ThinkNode): boolean => node.parent !== null && TERMINATE.test(node.content)

/** Whether a path ends at a node: by its text or by its depth. */
export const isTerminal = (node: ThinkNode, maxDepth: number): boolean => node.depth >= maxDepth || saysTerminate(node)

/** Estimates a node by its grade, or that of its nearest graded ancestor; null when there is no grade. */
export function estimate(node: ThinkNode): number | null {
  for (let at: ThinkNode | null = node; at; at = at.parent) if (at.grade !== null) return at.grade
  return null
}

/** Returns the node with the highest estimate, among equals the first; null when there are no nodes. */
export function bestOf(nodes: Iterable<ThinkNode>): ThinkNode | null {
  let best: ThinkNode | null = null
  let height = -Infinity
  for (const node of nodes) {
    const known = estimate(node) ?? -1
    if (known > height) [best, height] = [node, known]
  }
  return best
}
