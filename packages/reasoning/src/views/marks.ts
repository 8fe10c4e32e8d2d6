import { printable } from '@x/agent'
import type { ThinkNode } from '../tree/think-node.ts'

/** Returns the value that views show for a node, in [0, 1]: the mean reward of its visits, or its grade; null without either. */
export function worthOf(node: ThinkNode): number | null {
  if (node.visits > 0) return node.value
  return node.grade
}

/** Formats a value with two digits, or as a dash. */
export const formatWorth = (worth: number | null): string => (worth === null ? '–' : worth.toFixed(2))

/** Shortens a text to one line of at most `length` characters, with none that a terminal would obey. */
export function shorten(text: string, length: number): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim())
  const characters = Array.from(line)
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : line
}
