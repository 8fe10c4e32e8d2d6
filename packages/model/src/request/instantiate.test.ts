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

test('a message that is no longer the last is filled from its own context, which no model sees', () => {
  const greet = (context: Record<string, unknown>): string => `Hi ${String(context['name'])}`
  const messages = [
    { role: 'user' as const, content: greet, context: { name: 'Ann' } },
    { role: 'user' as const, content: 'Bye {name}', context: { name: 'Ann' } },
    { role: 'assistant' as const, content: null, context: { name: 'Ann' } },
    { role: 'user' as const, content: 'and {now}' },
  ].map((message) => Object.freeze(message))
  const shown = instantiateMessages(messages, null, true)
  expect(shown).toEqual([
    { role: 'user', content: 'Hi Ann' },
    { role: 'user', content: 'Bye Ann' },
    { role: 'assistant', content: null },
    { role: 'user', content: 'and {now}' },
  ])
  expect(shown[3]).toBe(messages[3])
  // The context of the request goes first: sending a message again with another one renews the text.
  expect(instantiateMessages(messages.slice(0, 1), { name: 'Ben' }, true)).toEqual([
    { role: 'user', content: 'Hi Ben' },
  ])
})
