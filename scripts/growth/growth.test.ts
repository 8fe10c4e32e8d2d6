import { describe, expect, it } from 'vitest'
import { findGrowth, shapesOf } from './growth.ts'

describe('the test of growth', () => {
  it('finds readers of more than linear time', async () => {
    const square = (text: string): number => {
      let count = 0
      for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1))
        if (text.indexOf('>', at) === -1) count++
      return count
    }
    const found = await findGrowth({ read: square, marks: ['<', '>'] })
    // Which texts are told first is a matter of time: three of those with many of this sign.
    expect(found.length).toBeGreaterThan(0)
    for (const { what } of found) expect(what).toContain('<')
  })

  it('finds none in a reader that looks at each character once', async () => {
    const linear = (text: string): number => {
      let count = 0
      for (const character of text) if (character === '<') count++
      return count
    }
    expect(await findGrowth({ read: linear, marks: ['<', '>'] })).toEqual([])
  })

  it('makes texts of the asked length from repetitions, prefixes, alternations and nesting', () => {
    const shapes = shapesOf(['```', '<think>'])
    const texts = shapes.map(({ make }) => make(1000))
    for (const text of texts) expect(Math.abs(text.length - 1000)).toBeLessThan(60)
    expect(texts).toContain('```'.repeat(333))
    expect(texts).toContain('<think'.repeat(166))
    const kinds = shapes.map(({ what }) => what)
    expect(kinds).toContainEqual(expect.stringMatching(/^many ".+", then many "/u))
    expect(kinds).toContainEqual(expect.stringMatching(/^the generated text ".+" again and again/u))
  })
})
