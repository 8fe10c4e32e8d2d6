import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNameSuffix } from './catalogue.ts'

/** The grammar of suffixes as one expression, which backtracks: fit for short texts only. */
const SUFFIX =
  /^(?:[-@]\d{4}-\d{2}-\d{2}|[-@]\d{4,8}|-latest|-\d{3}|[@-]default|-v\d(?:[:.]\d+)?|(?:-preview)?-\d{2}-\d{4}|-preview|-exp)*(?::[\w.:-]*)?$/u

const PIECES = [
  ...['-preview', '-00-0000', '-001', '-0000', '-2024-05-06', '@20240506', '-latest', '@default', '-default', '-exp'],
  ...['-v1', '-v0:0', '-v1.5', ':free', ':', '-', '@', '.', '0', '00', 'A', '!', '\n'],
] as const

describe('the suffix of the name of a model', () => {
  it('is what its grammar says', () => {
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 7 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (rest) => {
        expect(isNameSuffix(rest)).toBe(SUFFIX.test(rest))
      }),
      { numRuns: 3000 },
    )
  })

  it.each(['-preview-00-0000', '-v0:0-preview-00-0000-v0.0', '-0000', '-000-00-00-0000', '-001', ':'])(
    'is read in one pass, however often %s stands in it',
    (piece) => {
      expect(isNameSuffix(`${piece.repeat(20_000)}A!`)).toBe(false)
    },
  )
})
