import { Validator } from '@cfworker/json-schema'
import type { JsonSchema, ToolIssue } from '@x/interfaces'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkValue } from './check-schema.ts'
import { compileSchema } from './compile-schema.ts'
import { validatorFor } from './validation.ts'

function check(schema: JsonSchema, value: unknown): readonly ToolIssue[] {
  const compiled = compileSchema(schema)
  if (typeof compiled === 'string') throw new Error(compiled)
  return checkValue(compiled, value)
}

const scalars = fc.constantFrom<unknown[]>(null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', '🙂')
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab', '1'), tie('value'), { maxKeys: 3 }),
  ),
})).value

const types = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'string', 'integer')

/** Schemas with every keyword that an independent implementation has too. */
const schemas = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => {
  const named = fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('schema'), { maxKeys: 2 })
  const several = fc.array(tie('schema'), { minLength: 1, maxLength: 3 })
  const count = fc.integer({ min: 0, max: 3 })
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'ab'), { maxLength: 2 })
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    ...{ type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 2 })) },
    ...{ const: values, enum: fc.array(values, { minLength: 1, maxLength: 3 }) },
    ...{ minimum: count, maximum: count, exclusiveMinimum: count, exclusiveMaximum: count },
    ...{ multipleOf: fc.constantFrom(0.5, 1, 2), minLength: count, maxLength: count },
    ...{ pattern: fc.constantFrom('^a', 'b$', '^(a+)+$', '\\d'), minItems: count, maxItems: count },
    ...{ uniqueItems: fc.boolean(), minProperties: count, maxProperties: count, required: names },
    ...{ properties: named, patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), tie('schema')) },
    ...{ additionalProperties: tie('schema'), propertyNames: tie('schema') },
    ...{ dependentRequired: fc.dictionary(fc.constantFrom('a', 'b'), names), dependentSchemas: named },
    ...{ prefixItems: several, items: tie('schema'), contains: tie('schema') },
    ...{ allOf: several, anyOf: several, oneOf: several, not: tie('schema') },
    ...{ $ref: fc.constantFrom('#/$defs/x', '#y') },
  }
  for (const keyword of ['if', 'then', 'else']) keywords[keyword] = tie('schema')
  const object = fc
    .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 3 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((key) => [key, keywords[key]!]))))
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      types.map((type) => ({ type })),
      object as fc.Arbitrary<JsonSchema>,
    ),
  }
}).schema

const REFERRED = { x: { type: ['string', 'array'] }, z: { $anchor: 'y', minimum: 1, maxProperties: 1 } }

describe('a value is checked against a schema', () => {
  it('as an independent implementation checks it', () => {
    fc.assert(
      fc.property(schemas, fc.array(values, { minLength: 1, maxLength: 4 }), (inner, each) => {
        const schema = { $defs: REFERRED, allOf: [inner] } as JsonSchema
        const peer = new Validator(structuredClone(schema), '2020-12', false)
        for (const value of each) {
          expect(check(schema, value).length === 0, JSON.stringify({ inner, value })).toBe(peer.validate(value).valid)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it.each<[string, JsonSchema, unknown, string]>([
    ['type', { type: ['string', 'null'] }, 1, 'expected string or null, got number'],
    ['const', { const: { a: 1 } }, { a: 2 }, 'expected {"a":1}'],
    ['enum', { enum: ['a', 'b'] }, 'c', 'expected one of ["a","b"]'],
    ['maximum', { maximum: 3 }, 4, 'is 4, expected at most 3'],
    ['multipleOf', { multipleOf: 0.1 }, 0.25, 'is 0.25, expected a multiple of 0.1'],
    ['maxLength', { maxLength: 1 }, '🙂🙂', 'has 2 characters, expected at most 1'],
    ['pattern', { pattern: '^a$' }, 'b', 'does not match the pattern ^a$'],
    ['format', { format: 'uuid' }, 'b', 'does not match the format `uuid`'],
    ['required', { required: ['a'] }, {}, 'the required property "a" is missing'],
    [
      'uniqueItems',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'has equal items, expected different ones',
    ],
    ['oneOf', { oneOf: [{}, true] }, 1, 'fits 2 schemas of `oneOf`, expected exactly one'],
    ['false', { properties: { a: false } }, { a: 1 }, 'is not allowed'],
  ])('and says what is wrong: %s', (_, schema, value, message) => {
    expect(check(schema, value).map((issue) => issue.message)).toEqual([message])
  })

  it('with the path to what is wrong, and at most 20 issues', () => {
    const schema = { properties: { list: { items: { properties: { 'a/b': { type: 'string' } } } } } }
    const issues = check(schema, { list: Array.from({ length: 50 }, () => ({ 'a/b': 1 })) })
    expect(issues).toHaveLength(20)
    expect(issues[1]!.path).toEqual(['list', 1, 'a/b'])
  })

  it('with properties and items that no other keyword has seen', () => {
    const schema = {
      allOf: [{ properties: { a: true } }],
      anyOf: [{ required: ['b'], properties: { b: true } }, true],
      unevaluatedProperties: false,
    }
    expect(check(schema, { a: 1, b: 2 })).toEqual([])
    expect(check(schema, { a: 1, c: 2 }).map(({ path }) => path)).toEqual([['c']])
    const items = { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false }
    expect(check(items, [1, 'a'])).toEqual([])
    expect(check(items, [1, 'a', 2]).map(({ path }) => path)).toEqual([[2]])
  })

  it('with references by pointer, anchor and address', () => {
    const schema = {
      $id: 'https://schemas.invalid/root.json',
      properties: {
        a: { $ref: 'part.json' },
        b: { $ref: '#/x~1y/2%25' },
        c: { $ref: 'part.json#here' },
        d: { $ref: '#' },
      },
      $defs: { part: { $id: 'part.json', type: 'string', $defs: { h: { $anchor: 'here', type: 'number' } } } },
      'x/y': { '2%': { type: 'boolean' } },
    }
    expect(check(schema, { a: 'x', b: true, c: 1, d: { a: 'y' } })).toEqual([])
    expect(check(schema, { a: 1, b: 1, c: 'x', d: { a: 1 } }).map(({ path }) => path.join('.'))).toEqual([
      'a',
      'b',
      'c',
      'd.a',
    ])
  })

  it.each<[format: string, good: readonly string[], bad: readonly string[]]>([
    ['date', ['2024-02-29'], ['2023-02-29', '2024-1-1', 'x']],
    ['time', ['23:59:60Z', '01:02:03.5+02:00'], ['24:00:00Z', '01:02:03']],
    ['date-time', ['2024-02-29T01:02:03Z'], ['2024-02-29', '2024-02-30T01:02:03Z']],
    ['duration', ['P1Y2M3DT4H5M6S', 'P2W', 'PT1S'], ['P', 'PT', '1Y', 'P1YT']],
    ['uri', ['https://a.invalid/b?c#d', 'urn:x:y', 'mailto:a@b.c'], ['/a', 'a b:c', 'http://a/%zz']],
    ['uri-reference', ['../a', '#x'], ['a b', '\\']],
    ['uri-template', ['/a/{b}/{?c,d}'], ['/a/{b', '/a/}b{', '{{a}}']],
    ['url', ['https://a.invalid/b'], ['urn:x', 'https://a b']],
    ['email', ['a.b+c@d.ef', '"a b"@c.de', 'a@[127.0.0.1]'], ['a', '@b.c', 'a..b@c.de', 'a@b@c d']],
    ['hostname', ['a-b.c1.de'], ['-a.b', 'a..b', 'a'.repeat(64)]],
    ['ipv4', ['127.0.0.1'], ['256.1.1.1', '1.1.1', '01.1.1.1']],
    ['ipv6', ['::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4'], ['1', ':::', '1:2:3', '::g']],
    ['regex', ['^a+$'], ['(', 'a{2']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567']],
    ['json-pointer', ['', '/a/~0b/~1'], ['a', '/~2']],
    ['json-pointer-uri-fragment', ['#', '#/a%20b'], ['/a', '#a']],
    ['relative-json-pointer', ['0', '1/a', '2#'], ['01', 'a', '/a']],
  ])('with the format %s', (format, good, bad) => {
    for (const text of good) expect(check({ format }, text), text).toEqual([])
    for (const text of bad) expect(check({ format }, text), text).toHaveLength(1)
  })
})

const twice = (schema: object): object[] => [schema, schema]

/** A schema that visits one value 2^30 times by references. */
const BOMB = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: 31 }, (_, i) => [`d${i}`, { allOf: twice({ $ref: `#/$defs/d${Math.min(i + 1, 30)}` }) }]),
  ),
}

const nested = (depth: number, leaf: object): JsonSchema =>
  JSON.parse(`${'{"items":'.repeat(depth)}${JSON.stringify(leaf)}${'}'.repeat(depth)}`) as JsonSchema

describe('a schema from elsewhere cannot stop the program', () => {
  it.each<[string, JsonSchema, unknown, RegExp]>([
    ['a bomb of references', { ...BOMB, $defs: { ...BOMB.$defs, d30: {} } }, 1, /too many steps/u],
    ['a schema that refers to itself', { $ref: '#' }, 1, /nested deeper/u],
    [
      'a schema that looks at each part twice',
      { allOf: twice({ properties: { a: { $ref: '#' } } }) },
      JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`),
      /too many steps/u,
    ],
    ['a pattern of many states', { pattern: '^(a{1,1000})*$' }, `${'a'.repeat(1e5)}!`, /too many steps/u],
    ['a pattern that repeats its repetition', { pattern: '^(a+)+$' }, `${'a'.repeat(1e5)}!`, /does not match/u],
    [
      'names that are matched',
      { patternProperties: { '^(a+)+$': true }, additionalProperties: false },
      { [`${'a'.repeat(1e4)}!`]: 1 },
      /not allowed/u,
    ],
    ['a long list of equal lists', { uniqueItems: true }, Array.from({ length: 1e5 }, () => [1]), /equal items/u],
    ['a deep value', { items: { $ref: '#' } }, JSON.parse('['.repeat(5000) + ']'.repeat(5000)), /nested deeper/u],
    [
      'a broken keyword',
      { properties: 5, required: 'a', anyOf: {}, items: 7, enum: null, allOf: [null], type: 'object' },
      1,
      /expected object/u,
    ],
  ])('by %s', (_, schema, value, message) => {
    const before = performance.now()
    expect(check(schema, value)[0]!.message).toMatch(message)
    expect(performance.now() - before).toBeLessThan(5000)
  })

  it.each<[string, JsonSchema, RegExp]>([
    ['too deep', nested(200, {}), /more than 100 schemas inside each other/u],
    ['very deep', nested(20_000, {}), /more than 100 schemas inside each other/u],
    ['too large', { anyOf: Array.from({ length: 20_001 }, () => ({})) }, /more than 20000 schemas/u],
    ['a pattern with a back-reference', { pattern: '(a)\\1' }, /back-reference/u],
    [
      'patterns of too many states',
      { anyOf: Array.from({ length: 20 }, (_, i) => ({ pattern: `${i}(a{40}){49}` })) },
      /more than 50000 states/u,
    ],
    ['a reference that leads away', { $ref: 'https://evil.invalid/schema.json' }, /leads to no schema/u],
  ])('and is refused when it is %s', (_, schema, problem) => {
    expect(compileSchema(schema)).toMatch(problem)
    const parameters = { type: 'object', properties: { a: schema } }
    expect(() => validatorFor(parameters)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(problem) }),
    )
  })

  it('and is not changed', () => {
    const schema = Object.freeze({ $ref: '#/$defs/a', $defs: Object.freeze({ a: Object.freeze({ type: 'string' }) }) })
    expect(check(schema, 'x')).toEqual([])
  })
})

describe('a schema that is asked for again', () => {
  const problems = (schema: JsonSchema, value: unknown): readonly unknown[] => {
    const result = validatorFor(schema)(value)
    return 'issues' in result ? result.issues.map(({ path }) => path.join('.')) : []
  }

  it('is read again once the program has changed it, also inside', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/word' } as JsonSchema },
      $defs: { word: { type: 'string' } as JsonSchema },
    }
    for (let time = 0; time < 3; time++) expect(problems(schema, { a: 1 })).toEqual(['a'])
    // Objects with the same text, which the references of before do not lead to.
    schema.properties.a = { $ref: '#/$defs/word' }
    schema.$defs.word = { type: 'string' }
    expect(problems(schema, { a: 1 })).toEqual(['a'])
    schema.$defs.word = { type: 'number' }
    for (let time = 0; time < 3; time++) {
      expect(problems(schema, { a: 1 })).toEqual([])
      expect(problems(schema, { a: 'x' })).toEqual(['a'])
    }
  })

  it('is as good as its objects if it has no JSON text', () => {
    const tree: Record<string, unknown> = { type: 'object', properties: { name: { type: 'string' } } }
    ;(tree['properties'] as Record<string, unknown>)['inner'] = tree
    for (let time = 0; time < 3; time++) expect(problems(tree, { inner: { name: 1 } })).toEqual(['inner.name'])
    const bound = { type: 'number', maximum: Infinity }
    for (let time = 0; time < 3; time++) expect(problems(bound, 1e300)).toEqual([])
  })
})
