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
export function plainContext(context: ReadonlyMap<string, unknown> | undefined): Record<string, unknown> {
  if (!context) return {}
  const plain = [...context].filter(([, value]) => notJson(value, []) === undefined)
  return JSON.parse(JSON.stringify(Object.fromEntries(plain))) as Record<string, unknown>
}

/** Puts saved variables in place of those that could have been saved. */
export function restoreContext(context: Map<string, unknown>, saved: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of context)
    if (!Object.hasOwn(saved, key) && notJson(value, []) === undefined) context.delete(key)
  for (const [key, value] of Object.entries(saved)) context.set(key, structuredClone(value))
}

/** Says where and why a value is not JSON; undefined when it is. */
export function notJson(
  value: unknown,
  path: readonly (string | number)[] = [],
  above: readonly unknown[] = [],
): string | undefined {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return undefined
  const where = path.length > 0 ? `\`${path.join('.')}\`` : 'it'
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${where} is ${value}`
  if (typeof value !== 'object') return `${where} is a ${typeof value}`
  if (above.includes(value)) return `${where} holds itself`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    return `${where} is a ${value.constructor?.name ?? 'class instance'}`
  }
  for (const [key, each] of Object.entries(value)) {
    const problem = notJson(each, [...path, key], [...above, value])
    if (problem !== undefined) return problem
  }
  return undefined
}

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
