import { expect, test } from 'vitest'
import { objectSchema } from './object-schema.ts'

test('keeps a schema without alternatives as it is', () => {
  expect(objectSchema(undefined)).toEqual({ type: 'object' })
  const schema = { type: 'object', properties: { a: { anyOf: [{}] } }, required: ['a'], additionalProperties: false }
  expect(objectSchema(schema)).toEqual(schema)
})

test('merges alternatives at the top into one object and does not change the given schema', () => {
  const circle = { properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] }
  const given = {
    $defs: { circle },
    allOf: [{ properties: { id: { type: 'string' } }, required: ['id'] }],
    anyOf: [
      { $ref: '#/$defs/circle' },
      { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind'] },
    ],
  }
  const before = structuredClone(given)
  expect(objectSchema(given)).toEqual({
    $defs: { circle },
    type: 'object',
    properties: {
      id: { type: 'string' },
      kind: { anyOf: [{ const: 'circle' }, { const: 'square' }] },
      r: { type: 'number' },
      side: { type: 'number' },
    },
    required: ['id', 'kind'],
  })
  expect(given).toEqual(before)
})

test.each([{ oneOf: 'x' }, { anyOf: [null, 3] }, { allOf: [{ properties: [] }] }, { not: {} }])(
  'makes an object of %j',
  (schema) => {
    expect(objectSchema(schema)).toMatchObject({ type: 'object', properties: {} })
  },
)
