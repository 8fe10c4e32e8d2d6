import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WalkPosition } from './best-leaf.ts'

describe('WalkPosition', () => {
  it('orders nodes as a walk through the tree does, at any depth', () => {
    // Every entry hangs a node below one of the last few, so that chains get long.
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 120 }), (hangs) => {
        const nodes: { path: number[]; children: number; place: WalkPosition }[] = [
          { path: [], children: 0, place: new WalkPosition(null, 0) },
        ]
        for (const back of hangs) {
          const parent = nodes[Math.max(0, nodes.length - 1 - back)]!
          const index = parent.children++
          nodes.push({ path: [...parent.path, index], children: 0, place: new WalkPosition(parent.place, index) })
        }
        for (const a of nodes)
          for (const b of nodes) expect(Math.sign(a.place.compare(b.place))).toBe(comparePaths(a.path, b.path))
      }),
      { numRuns: 30 },
    )
  })
})

/** Compares two paths as a walk does: number by number, a path before its continuations. */
function comparePaths(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((index, i) => index !== b[i])
  if (at < 0) return Math.sign(a.length - b.length)
  return at < b.length ? Math.sign(a[at]! - b[at]!) : 1
}
