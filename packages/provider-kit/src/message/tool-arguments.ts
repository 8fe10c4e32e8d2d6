import { isRecord } from '../json/is-record.ts'
import { parseJson } from '../json/parse-json.ts'

/**
 * Returns the arguments of a stored call as the object that some providers demand: nothing is the empty object, a JSON
 * text of a JSON text is read twice, and what is no object is wrapped as `rawInvalidInput`, so that the model sees it.
 */
export function argumentsObject(args: unknown): Record<string, unknown> {
  if (args === undefined || args === null || args === '') return {}
  if (typeof args !== 'string') return isRecord(args) ? args : { rawInvalidInput: args }
  const once = parseJson(args)
  const value = typeof once === 'string' ? parseJson(once) : once
  return isRecord(value) ? value : { rawInvalidInput: args }
}
