import type { SearchEvent } from '@x/interfaces'
import type { TreeChange } from '../tree/tree.ts'

/** Converts a change of a tree into an event. */
export function toTreeEvent({ type, node }: TreeChange): SearchEvent {
  switch (type) {
    case 'add':
      return {
        type: 'nodeAdd',
        node: node.id,
        parent: node.parent?.id ?? null,
        content: node.content,
        depth: node.depth,
      }
    case 'grade':
      return { type: 'nodeGrade', node: node.id, grade: node.grade, details: node.ratingDetails }
    case 'fate':
      return { type: 'nodeFate', node: node.id, fate: node.fate }
  }
}
