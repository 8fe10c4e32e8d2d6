/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>

/** True of an object that is not a list. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value as a page may read it: its JSON as a text, if it has keys for which clients refuse the whole answer. */
export const readable = (value: unknown): unknown => (hasForbiddenKey(value) ? JSON.stringify(value) : value)

/** True if an object inside a value would change prototypes in a careless client. */
function hasForbiddenKey(value: unknown): boolean {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const each = open.pop()
    if (typeof each !== 'object' || each === null) continue
    if (Object.hasOwn(each, '__proto__')) return true
    const made: unknown = Object.hasOwn(each, 'constructor') ? each.constructor : null
    if (isObject(made) && Object.hasOwn(made, 'prototype')) return true
    for (const inner of Object.values(each)) open.push(inner)
  }
  return false
}
