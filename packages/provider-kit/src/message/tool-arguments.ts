import { isRecord } from '../json/is-record.ts'
import { parsedJson } from '../json/parse-json.ts'

/**
 * Gives the arguments of a stored call as the object that some providers demand: nothing is the empty object, a JSON
 * text of a JSON text is read twice, and what is no object is wrapped as `rawInvalidInput`, so that the model sees it.
 */
export function argumentsObject(args: unknown): Record<string, unknown> {
  if (args === undefined || args === null || args === '') return {}
  if (typeof args !== 'string') return isRecord(args) ? args : { rawInvalidInput: args }
  const once = parsedJson(args)
  const value = typeof once === 'string' ? parsedJson(once) : once
  return isRecord(value) ? value : { rawInvalidInput: args }
}

/** Gives the arguments of a stored call as JSON text; nothing is the empty object. */
export function argumentsText(args: unknown): string {
  if (typeof args === 'string') return args.trim() === '' ? '{}' : args
  return JSON.stringify(args ?? {})
}
