import type { ThinkNode } from '../tree/think-node.ts'

/** What a node is worth as far as is known, in [0, 1]: the mean of its visits, or its grade; null when nobody said. */
export function worth(node: ThinkNode): number | null {
  if (node.visits > 0) return node.value
  return node.grade
}

/** A worth in two digits, or a dash. */
export const shown = (worth: number | null): string => (worth === null ? '–' : worth.toFixed(2))

/** A text in one line of at most `length` characters. */
export function shortened(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const characters = Array.from(line)
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : line
}

/** The nodes from the root to a node. */
export const pathTo = (best: ThinkNode | null | undefined): ReadonlySet<ThinkNode> => new Set(best?.path)

/** An id that every drawing language takes. */
export const plainId = (node: ThinkNode): string => `n${node.id.replaceAll(/[^\w]/g, '_')}`
