import { XError } from '@x/kernel'

/**
 * Converts a value to plain JSON; a value that JSON leaves out becomes null. Fails with `invalid-argument` for a value that
 * cannot be JSON, or of which JSON would keep nothing; the error says what was attempted and names the value by `subject`.
 */
export function plainJson(value: unknown, attempt: string, subject: string): unknown {
  try {
    const text = JSON.stringify(value, refuseLost) as string | undefined
    return text === undefined ? null : (JSON.parse(text) as unknown)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message.split('\n', 1)[0] : 'it cannot be written'
    throw new XError('invalid-argument', `cannot ${attempt}: ${subject} is not plain JSON: ${problem}`, { cause })
  }
}

/** Refuses what JSON writes as `{}`, such as a promise, a map or an error. */
function refuseLost(key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if (kind === 'Object' || Object.keys(value).length > 0) return value
  throw new TypeError(`${key === '' ? 'it' : `\`${key}\``} is a ${kind}, of which JSON keeps nothing`)
}

/** True if two values are equal as JSON, whatever the order of their keys. */
export const isSameJson = (one: unknown, other: unknown): boolean => sortedJson(one) === sortedJson(other)

/** True if the JSON text of a stored message is that of a message; a text that is not JSON belongs to no message. */
export function isSameMessage(stored: string, message: unknown): boolean {
  try {
    return isSameJson(JSON.parse(stored), message)
  } catch {
    return false
  }
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
