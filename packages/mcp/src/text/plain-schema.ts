import type { JsonSchema } from '@x/interfaces'
import { plainText } from './plain-text.ts'

/** Most characters of a description inside a schema. */
const LONGEST = 2000

/** Keywords whose values are data. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

/** Copies a schema of a server with its descriptions and titles made fit to be shown; what it describes stays as it is. */
export const plainSchema = (schema: JsonSchema): JsonSchema => copy(schema) as JsonSchema

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]): [string, unknown] => {
      const isText = typeof inner === 'string' && ['description', 'title', '$comment'].includes(key)
      if (isText) return [key, plainText(inner, LONGEST)]
      return [key, DATA.has(key) ? inner : copy(inner)]
    }),
  )
}
