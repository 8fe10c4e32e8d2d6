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
  test('are sent as the vendor takes them, and every value survives the way out and back', () => {
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
  })
})
