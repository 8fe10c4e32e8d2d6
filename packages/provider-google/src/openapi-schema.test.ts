import { describe, expect, it } from 'vitest'
import { openApiSchema } from './openapi-schema.ts'

const twice = (part: object): object[] => [part, part]

describe('a schema that repeats its parts without end', () => {
  it.each<[string, object]>([
    [
      'by references',
      {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          Array.from({ length: 31 }, (_, i) => [
            `d${i}`,
            i === 30 ? {} : { anyOf: twice({ $ref: `#/$defs/d${i + 1}` }) },
          ]),
        ),
      },
    ],
    [
      'by several types',
      Array.from({ length: 40 }).reduce<object>(
        (items) => ({ type: ['array', 'object'], items, properties: { a: items } }),
        {},
      ),
    ],
  ])('%s becomes one of limited size', (_, schema) => {
    expect(JSON.stringify(openApiSchema(schema)).length).toBeLessThan(1e6)
  })
})
