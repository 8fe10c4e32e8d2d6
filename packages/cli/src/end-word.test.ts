import { expect, it } from 'vitest'
import { EndWord, withoutEndWord } from './end-word.ts'

it.each([
  ['It is 42. TERMINATE', 'It is 42.'],
  ['It is 42.\n\nTERMINATE.\n', 'It is 42.'],
  ['**TERMINATE**', '**'],
  ['TERMINATE', ''],
  ['Say TERMINATE to end it', 'Say TERMINATE to end it'],
  ['DETERMINATE', 'DETERMINATE'],
  ['TERMINATED', 'TERMINATED'],
  ['no end \n', 'no end \n'],
])('%j is shown as %j, however it comes', (text, shown) => {
  expect(withoutEndWord(text)).toBe(shown)
  for (let size = 1; size <= text.length; size++) {
    const word = new EndWord()
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
    expect(pieces.map((piece) => word.take(piece)).join('') + word.end()).toBe(shown)
    // The next text begins anew.
    expect(word.take('TERMI') + word.end()).toBe('TERMI')
  }
})

it('any text in any pieces is shown as the whole one', () => {
  const words = ['TERMINATE', 'TERM', 'INATE', 'D', ' ', '\n', '.', 'T', '**']
  let texts: string[][] = [[]]
  for (let length = 0; length < 4; length++) {
    texts = texts.flatMap((pieces) => words.map((word) => [...pieces, word]))
    for (const pieces of texts) {
      const end = new EndWord()
      const shown = pieces.map((piece) => end.take(piece)).join('') + end.end()
      if (shown !== withoutEndWord(pieces.join('')))
        expect([pieces, shown]).toEqual([pieces, withoutEndWord(pieces.join(''))])
    }
  }
})
