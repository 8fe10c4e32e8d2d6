import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BestLeaf } from './best-leaf.ts'
import { Heap } from './heap.ts'
import { bestOf, isTerminal } from './terminal.ts'
import { Tree } from './tree.ts'

describe('Heap', () => {
  it('returns items in order, equal ones in the order in which they were added', () => {
    const items = fc.array(fc.record({ rank: fc.nat(4), label: fc.nat() }))
    fc.assert(
      fc.property(items, items, (first, second) => {
        const heap = new Heap<{ rank: number; label: number }>((a, b) => a.rank - b.rank)
        const list = [...first]
        for (const item of first) heap.push(item)
        const takes = (count: number): void => {
          for (let i = 0; i < count; i++) {
            list.sort((a, b) => a.rank - b.rank)
            expect(heap.peek()).toBe(list[0])
            expect(heap.pop()).toBe(list.shift())
          }
        }
        takes(Math.floor(first.length / 2))
        for (const item of second) {
          heap.push(item)
          list.push(item)
        }
        takes(list.length + 1)
        expect(heap.size).toBe(0)
      }),
    )
  })
})

describe('BestLeaf', () => {
  it('is the best of all leaves, ends before others', () => {
    const moves = fc.array(
      fc.record({ at: fc.nat(), grades: fc.array(fc.option(fc.constantFrom(0, 0.5, 0.9)), { maxLength: 12 }) }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(moves, fc.boolean(), (list, prefersEnds) => {
        const tree = new Tree({ question: 'Q', id: '' })
        const isEnd = (depth: number): boolean => prefersEnds && depth >= 3
        const best = new BestLeaf(tree.root, ({ depth }) => isEnd(depth))
        for (const { at, grades } of list) {
          const leaves = [...tree.root.walk()].filter((node) => node.children.length === 0)
          const parent = leaves[at % leaves.length]!
          for (const grade of grades) {
            const child = tree.add(parent, 'step')
            best.note(child)
            if (grade !== null) tree.grade(child, grade, 'said')
            best.note(child)
          }
          const now = [...tree.root.walk()].filter((node) => node.children.length === 0)
          const ends = now.filter((node) => prefersEnds && isTerminal(node, 3))
          expect(best.node).toBe(bestOf(ends.length > 0 ? ends : now))
        }
      }),
    )
  })
})
