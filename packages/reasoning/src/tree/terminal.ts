import type { ThinkNode } from './think-node.ts'

const TERMINATE_MARK = /^[\s*_`#>"'-]*TERMINATE\b/

/** True if an option says that the question is solved: it begins with TERMINATE. False for every root. */
export const saysTerminate = (node: ThinkNode): boolean => node.parent !== null && TERMINATE_MARK.test(node.content)

/** True if a path ends at a node, by its text or by its depth. */
export const isTerminal = (node: ThinkNode, maxDepth: number): boolean => node.depth >= maxDepth || saysTerminate(node)

/** Estimates a node by its own grade or the grade of its nearest graded ancestor; null if there is none. */
export function estimate(node: ThinkNode): number | null {
  for (let at: ThinkNode | null = node; at; at = at.parent) if (at.grade !== null) return at.grade
  return null
}

/** Returns the node with the highest estimate, among equals the first; null if there are no nodes. */
export function bestOf(nodes: Iterable<ThinkNode>): ThinkNode | null {
  let best: ThinkNode | null = null
  let highest = -Infinity
  for (const node of nodes) {
    const estimated = estimate(node) ?? -1
    if (estimated > highest) [best, highest] = [node, estimated]
  }
  return best
}
