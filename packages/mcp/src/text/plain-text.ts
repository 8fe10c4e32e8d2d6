import type { JsonSchema } from '@x/interfaces'

/** Characters that a person does not see: controls, bidirectional marks, zero-width characters, tags, private use. */
const HIDDEN_CHARACTERS = /[^\P{C}\n\t]|[\u115F\u1160\u3164\uFFA0]|[\u{E0000}-\u{E0FFF}]|[\uFE00-\uFE0F]{2,}/gu

/**
 * Makes text of a server safe to show: removes characters that hide or reorder others, and cuts the text to `maxLength`
 * characters with a note of the full length.
 */
export function plainText(text: string, maxLength: number): string {
  // Cutting comes first, so that a long text is not processed to its end.
  const head = text.length > maxLength ? text.slice(0, maxLength) : text
  const clean = head.toWellFormed().replaceAll(/\r\n?/gu, '\n').replaceAll(HIDDEN_CHARACTERS, '')
  return head === text ? clean : `${clean}… (cut: ${text.length} characters)`
}

/** Most characters of the name of a tool in a text for people. */
export const MAX_SHOWN_NAME_LENGTH = 100

/** Makes text of a server safe to show, on one line. */
export const plainLine = (text: string, maxLength: number): string =>
  plainText(text, maxLength).replaceAll(/\s+/gu, ' ')

/** Most characters of a description inside a schema. */
const MAX_SCHEMA_TEXT_LENGTH = 2000

/** Schema keywords with plain data as their value. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

/** Copies a schema of a server with descriptions and titles that are safe to show; the described shape stays. */
export const plainSchema = (schema: JsonSchema): JsonSchema => copySchemaValue(schema) as JsonSchema

function copySchemaValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copySchemaValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]): [string, unknown] => {
      const isText = typeof inner === 'string' && ['description', 'title', '$comment'].includes(key)
      if (isText) return [key, plainText(inner, MAX_SCHEMA_TEXT_LENGTH)]
      return [key, DATA_KEYWORDS.has(key) ? inner : copySchemaValue(inner)]
    }),
  )
}
