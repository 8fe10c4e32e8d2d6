import { isXError } from '@x/kernel'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantiate, instantiateMessages } from './instantiate.ts'

test.each([
  ['Hi {name}', { name: 'Ann' }, 'Hi Ann'],
  ['{{{name}}}', { name: 'Ann' }, '{Ann}'],
  ['{a}{a}', { a: 1 }, '11'],
  ['{o}', { o: { k: [1] } }, '{"k":[1]}'],
  ['{n}', { n: null }, 'null'],
  ['{x}', { x: '{y}', y: 'z' }, '{y}'],
])('%s', (template, context, text) => expect(instantiate(template, context, true)).toBe(text))

test.each([
  ['Hi {name}', undefined],
  ['Hi {name}', {}],
  ['Hi {name}', null],
])('without a context %s stays', (template, context) => expect(instantiate(template, context, true)).toBe(template))

describe('what is refused', () => {
  test.each(['{missing}', '{constructor}', '{__proto__}', '{toString}', 'a { b', 'a } b', '{}', '{a.b}', '{a!r}'])(
    '%s',
    (template) => {
      expect(() => instantiate(template, { a: { b: 1 } }, true)).toThrow(
        expect.toSatisfy((error) => isXError(error, 'invalid-argument')),
      )
    },
  )
})

test('a value that JSON cannot write is refused with its name', () => {
  const cycle: Record<string, unknown> = { name: 'Ann' }
  cycle['self'] = cycle
  for (const value of [cycle, [cycle], { n: 1n }]) {
    expect(() => instantiate('Hi {value}', { value }, true)).toThrow(
      expect.toSatisfy(
        (error) =>
          isXError(error, 'invalid-argument') &&
          error.message.includes('`{value}`') &&
          error.cause instanceof TypeError,
      ),
    )
  }
})

test('a text whose braces are doubled comes back as it was', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const template = text.replaceAll('{', '{{').replaceAll('}', '}}')
      expect(instantiate(template, { a: 1 }, true)).toBe(text)
    }),
  )
})

test('messages without a template are the same objects, and no message is changed', () => {
  const messages = [
    { role: 'user' as const, content: 'Hi {name}' },
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: '{name}' }] },
    { role: 'user' as const, content: (context: Record<string, unknown>) => `for ${String(context['name'])}` },
    { role: 'assistant' as const, content: null },
  ].map((message) => Object.freeze(message))
  const done = instantiateMessages(messages, { name: 'Ann' }, true)
  expect(done.map(({ content }) => content)).toEqual(['Hi Ann', messages[1]!.content, 'for Ann', null])
  expect(done[1]).toBe(messages[1])
  expect(instantiateMessages(messages, null, true)).toBe(messages)
})
