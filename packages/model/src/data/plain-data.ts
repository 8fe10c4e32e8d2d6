import type { StoredAnswer } from '@x/interfaces'

/**
 * Writes a value as canonical JSON: keys are sorted, absent values are left out, and `__proto__` is an ordinary key.
 * `without` names one key of the outermost object to leave out.
 */
export function canonical(value: unknown, without?: string): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonical(item)).join()}]`
  const data = value as Record<string, unknown> & { toJSON?: unknown }
  if (typeof data.toJSON === 'function') return canonical(data.toJSON())
  let text = ''
  for (const key of sortedKeys(data)) {
    if (key === without) continue
    const item = data[key]
    if (item === undefined || typeof item === 'function') continue
    text += `${text && ','}${UNESCAPED_KEY_PATTERN.test(key) ? `"${key}"` : JSON.stringify(key)}:${
      typeof item === 'string' ? JSON.stringify(item) : canonical(item)
    }`
  }
  return `{${text}}`
}

/** Sorts the keys of an object. Most objects, such as messages, have few keys: an insertion sort is faster for those. */
function sortedKeys(data: object): string[] {
  const keys = Object.keys(data)
  for (let index = 1; index < keys.length; index++) {
    if (index > MAX_INSERTION_SORT) return keys.sort()
    const key = keys[index]!
    let place = index
    for (; place > 0 && keys[place - 1]! > key; place--) keys[place] = keys[place - 1]!
    keys[place] = key
  }
  return keys
}

/** Keys beyond which the general sort takes over. */
const MAX_INSERTION_SORT = 8

/** Keys that JSON writes without escapes: nearly all. */
const UNESCAPED_KEY_PATTERN = /^\w+$/u

/** Copies plain data deeply, so that a change by one holder of an answer does not reach another holder. */
export function copyData<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyData) as T
  // The spread is fast, since most values are not objects. The copy inherits nothing that the loop could visit.
  const copy = { ...value } as Record<string, unknown>
  for (const key in copy) {
    const item = copy[key]
    if (typeof item === 'object' && item !== null) copy[key] = copyData(item)
  }
  return copy as T
}

/**
 * Copies a stored answer as {@link copyData} does, each kind of its parts at a place of its own: where objects of more than
 * four layouts are copied at one place, V8 copies property by property.
 */
export function copyAnswer(stored: StoredAnswer): StoredAnswer {
  const copy: Parts = { ...stored }
  for (const key in copy) copy[key] = key === 'answer' ? copyModelAnswer(copy[key]) : copyData(copy[key])
  return copy as unknown as StoredAnswer
}

type Parts = Record<string, unknown>

function copyModelAnswer(answer: unknown): unknown {
  if (!isRecord(answer)) return copyData(answer)
  const copy: Parts = { ...answer }
  for (const key in copy) {
    const part = copy[key]
    if (typeof part !== 'object' || part === null) continue
    copy[key] = key === 'choices' && Array.isArray(part) ? part.map(copyChoice) : copyUsage(part)
  }
  return copy
}

function copyUsage(usage: object): unknown {
  if (Array.isArray(usage)) return copyData(usage)
  const copy: Parts = { ...usage }
  for (const key in copy) if (typeof copy[key] === 'object') copy[key] = copyData(copy[key])
  return copy
}

function copyChoice(choice: unknown): unknown {
  if (!isRecord(choice)) return copyData(choice)
  const copy: Parts = { ...choice }
  for (const key in copy) {
    const part = copy[key]
    if (typeof part !== 'object' || part === null) continue
    copy[key] = key === 'message' && !Array.isArray(part) ? copyMessage(part) : copyData(part)
  }
  return copy
}

function copyMessage(message: object): unknown {
  const copy: Parts = { ...message }
  for (const key in copy) if (typeof copy[key] === 'object') copy[key] = copyData(copy[key])
  return copy
}

/** Tells an object other than a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Tells whether two values are equal as plain data; functions and class instances are compared by identity. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!isPlain(a) || !isPlain(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  )
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}
