/** Returns a list, or an empty one for a value of another type. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns a field with a text; nothing for an empty text or a value of another type. */
export const textAs = <K extends string>(key: K, value: unknown): { [key in K]?: string } =>
  (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { [key in K]?: string }

/** Tells a value from one that says nothing: null, an empty text, an empty list or object, a function of an SDK. */
export function hasContent(value: unknown): boolean {
  if (typeof value === 'function' || value === null || value === undefined || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
