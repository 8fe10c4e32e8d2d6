import { XError } from '@x/kernel'

/** A value as plain JSON, as it would be read back; one that cannot be written is refused, with `what` it is. */
export function plainJson(value: unknown, what: string): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  const problem = notJson(value, [])
  if (problem === undefined) return JSON.parse(JSON.stringify(value)) as unknown
  throw new XError('invalid-state', `what ${what} gave cannot be saved: ${problem}; give plain JSON`, {
    details: { what, problem },
  })
}

/** The context variables that are plain JSON; others, such as connections, belong to the process. */
export const plainContext = (context: ReadonlyMap<string, unknown> | undefined): Record<string, unknown> =>
  context ? (JSON.parse(JSON.stringify(savable(context))) as Record<string, unknown>) : {}

/** The JSON texts of the variables that {@link plainContext} gives, in its order. */
export function contextTexts(context: ReadonlyMap<string, unknown> | undefined): Map<string, string> {
  const texts = new Map<string, string>()
  if (!context) return texts
  for (const [key, value] of Object.entries(savable(context))) {
    const text = JSON.stringify(value) as string | undefined
    if (text !== undefined) texts.set(key, text)
  }
  return texts
}

const savable = (context: ReadonlyMap<string, unknown>): Record<string, unknown> =>
  Object.fromEntries([...context].filter(([, value]) => notJson(value) === undefined))

/** Puts saved variables in place of those that could have been saved. */
export function restoreContext(context: Map<string, unknown>, saved: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of context)
    if (!Object.hasOwn(saved, key) && notJson(value, []) === undefined) context.delete(key)
  for (const [key, value] of Object.entries(saved)) context.set(key, structuredClone(value))
}

/** Says where and why a value is not JSON; undefined when it is. */
export const notJson = (value: unknown, path: readonly (string | number)[] = []): string | undefined =>
  isNoContainer(value)
    ? problemOf(value, path)
    : isPlain(value as object, PLAIN_DEPTH)
      ? undefined
      : problemIn(value as object, [...path], [])

const isNoContainer = (value: unknown): boolean => typeof value !== 'object' || value === null

/** Says why a value without parts is not JSON. */
function problemOf(value: unknown, path: readonly (string | number)[]): string | undefined {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${placeOf(path)} is ${value}`
  return `${placeOf(path)} is a ${typeof value}`
}

/** Levels of an object down to which {@link isPlain} looks. */
const PLAIN_DEPTH = 8

/** True for JSON of few levels, as most is; false for anything that has to be looked at more closely. */
function isPlain(value: object, depth: number): boolean {
  if (!Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return false
  }
  for (const key in value) {
    const each = (value as Readonly<Record<string, unknown>>)[key]
    const isRight = isNoContainer(each)
      ? problemOf(each, NO_PATH) === undefined
      : depth > 0 && isPlain(each as object, depth - 1)
    if (!isRight) return false
  }
  return true
}

const NO_PATH: readonly string[] = []

/** Says why an object is not JSON. `path` and `above` are stacks, which are left as they were. */
function problemIn(value: object, path: (string | number)[], above: object[]): string | undefined {
  if (above.includes(value)) return `${placeOf(path)} holds itself`
  const isList = Array.isArray(value)
  const prototype: unknown = isList ? Object.prototype : Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    return `${placeOf(path)} is a ${value.constructor?.name ?? 'class instance'}`
  }
  above.push(value)
  for (const key of Object.keys(value)) {
    const each = (value as Readonly<Record<string, unknown>>)[key]
    // Most parts are texts, which need no place.
    if (typeof each === 'string') continue
    path.push(key)
    const problem = isNoContainer(each) ? problemOf(each, path) : problemIn(each as object, path, above)
    if (problem !== undefined) return problem
    path.pop()
  }
  above.pop()
  return undefined
}

const placeOf = (path: readonly (string | number)[]): string => (path.length > 0 ? `\`${path.join('.')}\`` : 'it')

/** True if two plain JSON values are equal. The order of keys does not count; a key with undefined counts as absent. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) =>
    sameJson((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  )
}
