import { expect, test } from 'vitest'
import { maxTokensIn, tokensIn } from './token-estimate.ts'

test('a text has a token for four characters, one of another script for each', () => {
  expect(tokensIn('x'.repeat(400))).toBe(101)
  expect(tokensIn('漢'.repeat(100))).toBe(101)
})

test('pictures count as pictures, however long their data are', () => {
  const picture = (data: string) => [{ role: 'user', content: [{ type: 'image_url', image_url: { url: data } }] }]
  expect(tokensIn(picture('data:image/png;base64,'.padEnd(1e6, 'A')))).toBe(
    tokensIn(picture('https://x.example/a.png')),
  )
  expect(tokensIn(picture(''))).toBeGreaterThan(1000)
})

test('the most tokens of a text are its bytes', () => {
  for (const text of ['plain', 'é ß 漢字', '👩‍🚀'.repeat(9), '\u0000\u2028']) {
    expect(maxTokensIn(text)).toBeGreaterThanOrEqual(new TextEncoder().encode(text).length)
  }
})
