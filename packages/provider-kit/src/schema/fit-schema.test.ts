import { describe, expect, it, test } from 'vitest'
import { fitSchema } from './fit-schema.ts'
import { SchemaMaker } from './random-schemas.fake.ts'
import { SCHEMA_TABLES, type SchemaTableName } from './schema-rules.ts'
import { fitsSent, problemsOf } from './vendor-check.fake.ts'

const TABLES = Object.keys(SCHEMA_TABLES) as SchemaTableName[]

/** Random schemas per table; `SCHEMAS=10000` checks more. */
const COUNT = Number(globalThis.process.env['SCHEMAS'] ?? 100)
const VALUES_PER_SCHEMA = 4

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown

/** Leaves out properties that are null: where a property may be null and absent, null is sent for both. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutNulls(each)]))
}

describe.each(TABLES)('random schemas by the table %s', (table) => {
  test(
    'are sent as the vendor takes them, and every value survives the way out and back',
    { timeout: 10_000 + 50 * COUNT },
    () => {
      const compared = table === 'openai-strict' ? withoutNulls : (value: unknown) => value
      for (let seed = 1; seed <= COUNT; seed++) {
        const { schema, value } = new SchemaMaker(seed).make()
        const before = JSON.stringify(schema)
        const { schema: sent, form } = fitSchema(schema, SCHEMA_TABLES[table])
        const place = `seed ${seed}: ${before} is sent as ${JSON.stringify(sent)}`
        expect(problemsOf(sent, table), place).toEqual([])
        expect(JSON.stringify(schema)).toBe(before)
        for (let n = 0; n < VALUES_PER_SCHEMA; n++) {
          const original = copy(value(n + 1))
          const out = copy(form ? form.encode(original) : original)
          const shown = `${place}, ${JSON.stringify(original)} as ${JSON.stringify(out)}`
          expect(fitsSent(sent, sent, out), shown).toBe(true)
          expect(compared(copy(form ? form.decode(out) : out)), shown).toEqual(compared(original))
        }
      }
    },
  )
})

const fitFor = (schema: object, table: SchemaTableName = 'openai-strict') => fitSchema(schema, SCHEMA_TABLES[table])

/** Returns a value in the form in which it is sent, and what comes back of it. */
function outAndBack(schema: object, value: unknown, table?: SchemaTableName): [sent: unknown, back: unknown] {
  const { form } = fitFor(schema, table)
  const sent = form ? form.encode(value) : value
  return [sent, form ? form.decode(sent) : sent]
}

const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})

describe('a value in another form', () => {
  it.each<[what: string, schema: object, value: unknown, sent: unknown]>([
    [
      'a record',
      object({ m: { type: 'object', additionalProperties: { type: 'number' } } }),
      { m: { a: 1 } },
      { m: [{ key: 'a', value: 1 }] },
    ],
    [
      'a tuple',
      object({ t: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false } }),
      { t: ['a', 1] },
      { t: { 0: 'a', 1: 1 } },
    ],
    ['an absent property', object({ a: { type: 'string' } }, { required: [] }), {}, { a: null }],
    ['a list as a whole', { type: 'array', items: { type: 'string' } }, ['a'], { value: ['a'] }],
    ['any value', object({ a: {} }), { a: { b: [1] } }, { a: '{"b":[1]}' }],
    [
      'further properties',
      { type: 'object', properties: {}, additionalProperties: true },
      { x: 1 },
      [{ key: 'x', value: '1' }],
    ],
    ['values of an enumeration', object({ e: { enum: [{ a: 1 }, 'x'] } }), { e: { a: 1 } }, { e: '{"a":1}' }],
    [
      'one of two lists',
      object({
        u: {
          anyOf: [
            { type: 'object', additionalProperties: { type: 'number' } },
            { type: 'array', items: { type: 'object' } },
          ],
        },
      }),
      { u: { a: 1 } },
      { u: { option_1: [{ key: 'a', value: 1 }] } },
    ],
  ])('is sent and comes back: %s', (_, schema, value, sent) => {
    const [out, back] = outAndBack(schema, value)
    expect(
      'value' in (out as object) && !Array.isArray(value) && Array.isArray(sent)
        ? (out as { value: unknown }).value
        : out,
    ).toEqual(sent)
    expect(back).toEqual(value)
  })

  it('is said to need no way back where only its schema changes', () => {
    expect(fitFor(object({ a: { type: ['string', 'null'] } }, { required: [] })).isDecoded).toBe(false)
    expect(fitFor(object({ a: { type: 'string', minLength: 1 } })).isDecoded).toBe(false)
    expect(fitFor(object({ a: { type: 'string' } }, { required: [] })).isDecoded).toBe(true)
  })

  it('stays as it is where a model gives something else', () => {
    const { form } = fitFor(object({ m: { type: 'object', additionalProperties: { type: 'number' } } }))
    expect(form!.decode({ m: { a: 1 }, more: 2 })).toEqual({ m: { a: 1 }, more: 2 })
    expect(form!.decode(['a'])).toEqual(['a'])
    expect(form!.decode({ m: [{ key: '__proto__', value: 1 }, 5, { key: 'b' }] })).toEqual({ m: { b: undefined } })
  })
})

describe('a schema that holds itself', () => {
  const tree = object({ value: { type: 'number' }, children: { type: 'array', items: { $ref: '#' } } })
  const value = { value: 1, children: [{ value: 2, children: [] }] }

  it('stays one where the vendor takes it, and needs no way back', () => {
    const { schema, isDecoded } = fitFor(tree)
    expect(schema).toMatchObject({
      properties: { children: { items: { $ref: '#/$defs/root' } } },
      $defs: { root: { properties: { children: { items: { $ref: '#/$defs/root' } } } } },
    })
    expect(isDecoded).toBe(false)
  })

  it('holds JSON text for Claude, which knows no recursion, and the warning says where', () => {
    const { unenforced } = fitFor(tree, 'anthropic-strict')
    expect(unenforced).toEqual(['the form at `#/properties/children/items`'])
    expect(outAndBack(tree, value, 'anthropic-strict')[1]).toEqual(value)
  })

  it('holds itself only behind optional properties for Gemini', () => {
    const { schema, unenforced } = fitFor(tree, 'gemini')
    expect((schema['$defs'] as { root: { required: string[] } }).root.required).toEqual(['value'])
    expect(unenforced).toEqual(['`required` at `#/properties/children`'])
  })
})

describe('a schema that is too large', () => {
  it('is sent with JSON text in place of what is too deep', () => {
    let deep: object = { type: 'string' }
    let value: unknown = 'x'
    for (let n = 0; n < 14; n++) {
      deep = object({ a: deep })
      value = { a: value }
    }
    expect(problemsOf(fitFor(deep).schema, 'openai-strict')).toEqual([])
    expect(outAndBack(deep, value)[1]).toEqual(value)
    let unions: object = { type: 'string' }
    for (let n = 0; n < 12; n++)
      unions = {
        anyOf: [
          { type: 'array', items: unions },
          { type: 'array', items: {} },
        ],
      }
    expect(problemsOf(fitFor(unions).schema, 'openai-strict')).toEqual([])
  })

  it('is refused with the place, the limit and what to do', () => {
    const many = object({ e: { enum: Array.from({ length: 1200 }, (_, at) => `v${at}`) } })
    expect(() => fitFor(many)).toThrow(
      expect.objectContaining({
        code: 'model-failed',
        kind: 'invalid-request',
        message:
          "the schema has 1200 values of enumerations, most of them at `#/properties/e`, and OpenAI's strict mode takes at most 1000: split it, or ask without `strict`",
      }),
    )
  })

  it('has optional properties as lists where the vendor takes no more of them', () => {
    const names = Array.from({ length: 30 }, (_, at) => `p${at}`)
    const schema = object(Object.fromEntries(names.map((name) => [name, { type: 'string' }])), { required: [] })
    expect(problemsOf(fitFor(schema, 'anthropic-strict').schema, 'anthropic-strict')).toEqual([])
    expect(outAndBack(schema, { p0: 'a', p29: 'b' }, 'anthropic-strict')[1]).toEqual({ p0: 'a', p29: 'b' })
  })

  it.each<[string, object]>([
    [
      'by references',
      {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          Array.from({ length: 31 }, (_, at) => [
            `d${at}`,
            at === 30 ? {} : { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
          ]),
        ),
      },
    ],
  ])('ends, though it repeats its parts %s', (_, schema) => {
    for (const table of TABLES) expect(JSON.stringify(fitFor(schema, table).schema).length).toBeLessThan(2e6)
  })
})
