import type { ContentPart } from '@x/interfaces'

/** The result of a tool as a model reads it: a text as it is, nothing as an empty one, parts by their text, others as JSON. */
export function resultText(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === null || result === undefined) return ''
  if (isParts(result)) return result.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('')
  try {
    return JSON.stringify(result) ?? ''
  } catch {
    // A cycle or a BigInt: JSON knows neither, and a message needs a text.
    return typeof result === 'bigint' ? result.toString() : Object.prototype.toString.call(result)
  }
}

const isParts = (value: unknown): value is readonly ContentPart[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((each: unknown) => typeof each === 'object' && each !== null && 'type' in each && 'text' in each)
