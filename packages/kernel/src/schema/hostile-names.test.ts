import type { JsonSchema, ToolIssue } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { checkValue } from './check-schema.ts'
import { compileSchema } from './compile-schema.ts'

function check(schema: object, value: unknown): readonly ToolIssue[] {
  const compiled = compileSchema(schema as JsonSchema)
  if (typeof compiled === 'string') throw new Error(compiled)
  return checkValue(compiled, value)
}

const pathsOf = (schema: object, value: unknown): string[] => check(schema, value).map(({ path }) => path.join('.'))

/** An object that inherits another, and has properties of its own. */
const heir = (above: object, own: object): object => Object.assign(Object.create(above) as object, own)

const ONLY_TEXT = { type: 'string' }

describe('the properties of a schema', () => {
  it('are those of any name that are its own, in the order of an object', () => {
    const properties = JSON.parse(
      '{"b":false,"__proto__":false,"10":false,"constructor":false,"9":false}',
    ) as JsonSchema
    const value: unknown = JSON.parse('{"__proto__":1,"9":1,"10":1,"b":1,"toString":1,"constructor":1}')
    expect(pathsOf({ properties }, value)).toEqual(['9', '10', 'b', '__proto__', 'constructor'])
    expect(check({ properties }, {})).toEqual([])
    expect(pathsOf({ properties, additionalProperties: false }, value).at(-1)).toBe('toString')
  })

  it('are none that it inherits', () => {
    const properties = heir({ above: false }, { own: ONLY_TEXT })
    expect(pathsOf({ properties }, { above: 1, own: 1 })).toEqual(['own'])
    expect(pathsOf({ properties, additionalProperties: false }, { above: 1, own: 'x' })).toEqual(['above'])
    expect(check({ properties: { above: false } }, heir({ above: 1 }, {}))).toEqual([])
  })

  it('are work of a check only if they are its own', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`n${index}`, true]))
    const often = (properties: object): object => ({ allOf: Array.from({ length: 110 }, () => ({ properties })) })
    expect(check(often(heir(many, {})), {})).toEqual([])
    expect(check(often(many), {})[0]!.message).toMatch(/too many steps/u)
  })

  it('are seen by the keywords that look at the others', () => {
    const properties = { a: true }
    const value = { a: 1, ab: 1, c: 1 }
    expect(pathsOf({ properties, additionalProperties: false }, value)).toEqual(['ab', 'c'])
    expect(pathsOf({ properties, patternProperties: { '^a': ONLY_TEXT } }, value)).toEqual(['a', 'ab'])
    const patternProperties = { '^a.': true }
    expect(pathsOf({ properties, patternProperties, unevaluatedProperties: false }, value)).toEqual(['c'])
    expect(pathsOf({ allOf: [{ properties }], unevaluatedProperties: false }, value)).toEqual(['ab', 'c'])
    expect(check({ properties, patternProperties: null }, value)).toEqual([])
  })
})

it('a number has an issue for each limit that it breaks, in their order', () => {
  const schema = { multipleOf: 2, exclusiveMaximum: 0, exclusiveMinimum: 9, maximum: 1, minimum: 8 }
  expect(check(schema, 5).map(({ message }) => message)).toEqual([
    'is 5, expected at least 8',
    'is 5, expected at most 1',
    'is 5, expected more than 9',
    'is 5, expected less than 0',
    'is 5, expected a multiple of 2',
  ])
  expect(check({ minimum: '8', multipleOf: 0 }, 5)).toHaveLength(1)
})
