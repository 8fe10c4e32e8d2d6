import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createThinkTags } from './think-tags.ts'

/** Splits a text that comes in pieces. */
function split(pieces: readonly string[]): { reasoning: string; text: string } {
  const out = { reasoning: '', text: '' }
  const tags = createThinkTags({
    reasoning: (piece) => void (out.reasoning += piece),
    text: (piece) => void (out.text += piece),
  })
  for (const piece of pieces) tags.push(piece)
  tags.end()
  return out
}

const parts = fc.constantFrom('<think>', '</think>', '<thi', '</', 'nk>', '<', ' ', '\n', 'a', '<b>')

test('E5: however a text is cut, its thoughts are the same, and nothing but the tags and blanks around them is lost', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), fc.array(fc.nat(40), { maxLength: 8 }), (words, cuts) => {
      const text = words.join('')
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
      const whole = split([text])
      expect(split(places.slice(1).map((place, at) => text.slice(places[at], place)))).toEqual(whole)
      const open = text.trimStart()
      if (!open.startsWith('<think>')) expect(whole).toEqual({ reasoning: '', text })
      else {
        const [thoughts, ...rest] = open.slice('<think>'.length).split('</think>')
        expect(whole).toEqual({ reasoning: thoughts, text: rest.join('</think>').trimStart() })
      }
    }),
    { numRuns: 500 },
  )
})
