import { expect, it } from 'vitest'
import { approvalFields } from './approval-fields.ts'

const parameters = {
  type: 'object',
  properties: {
    to: { type: 'string', description: 'Whom' },
    size: { enum: ['small', 'large'] },
    copies: { type: 'integer' },
    urgent: { type: 'boolean' },
    pages: { type: 'array', items: { type: 'string' } },
    more: { type: 'object' },
  },
  required: ['to'],
} as const

it('makes a field for each argument, and for further ones in the schema', () => {
  const args = { to: 'Ada', size: 'large', copies: 2, urgent: true, pages: ['a', 'b'], more: { x: 1 } }
  expect(approvalFields(args, parameters)).toEqual([
    { name: 'to', hint: 'Whom', type: 'text', value: 'Ada', required: true },
    { name: 'size', type: 'choice', choices: ['small', 'large'], value: 'large', required: true },
    { name: 'copies', type: 'number', value: '2', required: true },
    { name: 'urgent', type: 'flag', value: true, required: true },
    { name: 'pages', type: 'list', value: 'a\nb', required: true },
    { name: 'more', type: 'json', value: '{\n  "x": 1\n}', required: true },
  ])
  expect(approvalFields({}, parameters).map(({ type, value, required }) => [type, value, required])).toEqual([
    ['text', '', true],
    ['choice', '', false],
    ['number', '', false],
    ['flag', false, false],
    ['json', '', false],
    ['json', '', false],
  ])
})

it('shows arguments that do not fit the schema, or have none, as JSON', () => {
  const wrong = { to: 7, size: 'huge', copies: 'two', urgent: 'yes', pages: ['a\nb'], more: null }
  expect(approvalFields(wrong, parameters).map(({ type, value }) => [type, value])).toEqual([
    ['json', '7'],
    ['text', 'huge'],
    ['json', '"two"'],
    ['json', '"yes"'],
    ['json', '[\n  "a\\nb"\n]'],
    ['json', 'null'],
  ])
  const lost = { to: 'a\r\nb', pages: ['a', ' ', 'b'], more: ['a\rb'] }
  expect(
    approvalFields(lost, parameters).flatMap(({ type, value }) => (type === 'json' && value ? [value] : [])),
  ).toEqual(['"a\\r\\nb"', ...['[\n  "a",\n  " ",\n  "b"\n]', '[\n  "a\\rb"\n]']])
  const turned = { to: 'moc.a@\u202Eb', pages: ['a\u200B'], more: ['👩‍🚀'] }
  expect(
    approvalFields(turned, parameters).flatMap(({ type, value }) => (type === 'json' && value ? [value] : [])),
  ).toEqual(['"moc.a@\\u202eb"', '[\n  "a\\u200b"\n]'])
  expect(approvalFields({ a: 'x', b: 1, c: false, d: null }, undefined).map(({ type }) => type)).toEqual([
    'text',
    'number',
    'flag',
    'json',
  ])
})
