import { expect, test } from 'vitest'
import { schemaMeaning, withSchemaMeaning } from './schema-meaning.ts'

const recorded = {
  type: 'object',
  properties: {
    x: { type: 'integer', description: 'first' },
    y: { type: 'integer', default: 1, description: 'second' },
  },
  required: ['x', 'y'],
}

test('order, titles, dialects and bounds are spelling', () => {
  const ours = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    additionalProperties: false,
    required: ['y', 'x'],
    properties: {
      y: { default: 1, type: 'integer', description: 'second' },
      x: { description: 'first', type: 'integer', minimum: -9007199254740991, title: 'X' },
    },
    type: 'object',
  }
  expect(schemaMeaning(ours)).toEqual(schemaMeaning(recorded))
})

test.each<[string, object]>([
  ['a type', { properties: { ...recorded.properties, x: { type: 'number', description: 'first' } } }],
  ['a description', { properties: { ...recorded.properties, x: { type: 'integer', description: '1st' } } }],
  ['a default', { properties: { ...recorded.properties, y: { type: 'integer', default: 2, description: 'second' } } }],
  ['a missing property', { properties: { x: recorded.properties.x } }],
  ['what is required', { required: ['x'] }],
])('%s is meant', (_, change) => {
  expect(schemaMeaning({ ...recorded, ...change })).not.toEqual(schemaMeaning(recorded))
})

test('a property named like a keyword is a property', () => {
  const named = { type: 'object', properties: { type: { type: 'string' } } }
  expect(schemaMeaning(named)).not.toEqual(schemaMeaning({ type: 'object' }))
})

test('schemas of tools and functions are reduced, the other parameters stay', () => {
  const params = { messages: [], tools: [{ type: 'function', function: { name: 'f', parameters: { title: 'x' } } }] }
  expect(withSchemaMeaning(params)).toEqual({
    messages: [],
    tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
  })
  expect(withSchemaMeaning({ functions: [{ name: 'f' }] })).toEqual({ functions: [{ name: 'f', parameters: null }] })
})
