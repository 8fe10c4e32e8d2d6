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

test('a message that cannot change is read once, and any other each time', () => {
  let reads = 0
  const counted = (content: unknown): object => {
    const target = { role: 'user', content }
    return new Proxy(target, { ownKeys: (each) => (reads++, Reflect.ownKeys(each)) })
  }
  const frozen = Object.freeze(counted('What is it?'))
  const first = tokensIn([frozen])
  reads = 0
  expect([tokensIn([frozen]), maxTokensIn([frozen]) > first, reads]).toEqual([first, true, 0])
  const parts = [{ type: 'text', text: 'What?' }]
  const open = Object.freeze(counted(parts))
  const before = maxTokensIn(open)
  parts[0]!.text += ' Now.'
  expect(maxTokensIn(open)).toBe(before + 5)
})
