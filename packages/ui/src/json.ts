/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>

/** True of an object that is not a list. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
