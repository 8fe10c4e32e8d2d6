import { describe, expect, it } from 'vitest'
import { measureSync, puzzles, type Measured } from '../bench/measure.ts'
import { ROWS } from '../bench/rows.ts'

const paper = puzzles('901-1000')
const seeds = [1, 2]
const measured = (name: string, setting: Partial<Parameters<typeof measureSync>[1]> = {}): Measured =>
  measureSync(
    ROWS.find((row) => row.name === name)!,
    { puzzles: paper, seeds, ...setting },
  )

describe('Game of 24, on the stand-in', () => {
  it('has the order of the paper: a chain is far behind a beam of 1, that behind a beam of 5', () => {
    const chain = measured('chain of thought').solved
    const narrow = measured('beam 1, 3 grades').solved
    const wide = measured('beam 5, 3 grades, best').solved
    expect(chain).toBeLessThan(7)
    expect(narrow).toBeGreaterThan(35)
    expect(narrow).toBeLessThan(52)
    expect(wide).toBeGreaterThan(narrow + 8)
    expect(wide).toBeLessThan(68)
  })

  it('with four options, best first solves more with fewer calls than a beam', () => {
    const beam = measured('beam_search')
    const graded = measured('best_first')
    const verified = measured('best_first + verifier')
    expect(beam.solved).toBeLessThan(42)
    expect(graded.solved).toBeGreaterThanOrEqual(55)
    expect(verified.solved).toBeGreaterThanOrEqual(62)
    expect(Math.max(graded.calls, verified.calls)).toBeLessThanOrEqual(25)
    expect(beam.calls).toBeGreaterThan(verified.calls)
  })

  it('on other puzzles and other seeds too', () => {
    const other = { puzzles: puzzles('801-900'), seeds: [11, 12, 13] }
    expect(measured('best_first', other).solved).toBeGreaterThanOrEqual(55)
    expect(measured('best_first + verifier', other).solved).toBeGreaterThanOrEqual(62)
  })

  it('on given puzzles, by number or spelled out', () => {
    expect(puzzles('1,3-4, 4 9 10 13 ,1362-2000,nonsense,0-1')).toEqual([
      ...['1 1 4 6', '1 1 3 8', '1 1 1 8', '4 9 10 13', '2 3 5 12', '1 1 4 6'],
    ])
    expect(measured('depth_first + verifier', { puzzles: puzzles('4 9 10 13') }).solved).toBe(100)
  })

  it.each(['beam_search', 'best_first', 'best_first + verifier'])(
    'odd styles in 60 % of the replies change nothing: %s',
    (name) => {
      const five = { seeds: [1, 2, 3, 4, 5] }
      const plain = measured(name, five).solved
      const odd = measured(name, { ...five, noise: { style: 0.6 } }).solved
      expect(Math.abs(odd - plain)).toBeLessThanOrEqual(2)
    },
  )
})
