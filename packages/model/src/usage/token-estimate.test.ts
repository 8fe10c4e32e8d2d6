import { expect, test } from 'vitest'
import { maxTokensIn, tokensIn } from './token-estimate.ts'

test('a Latin text has a token per four characters, another script one per character', () => {
  expect(tokensIn('x'.repeat(400))).toBe(101)
  expect(tokensIn('漢'.repeat(100))).toBe(101)
})

test('images have a fixed estimate, whatever the size of their data', () => {
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
