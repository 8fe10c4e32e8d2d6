/**
 * Writes a value as JSON whose bytes depend on its meaning only: keys sorted, absent ones left out. Keys named
 * `__proto__` are ordinary keys here. One key of the outermost object may be left out.
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
    text += `${text && ','}${PLAIN.test(key) ? `"${key}"` : JSON.stringify(key)}:${
      typeof item === 'string' ? JSON.stringify(item) : canonical(item)
    }`
  }
  return `{${text}}`
}

/** Most objects, such as messages, have a few keys, which need no general sort. */
function sortedKeys(data: object): string[] {
  const keys = Object.keys(data)
  for (let index = 1; index < keys.length; index++) {
    if (index > 8) return keys.sort()
    const key = keys[index]!
    let place = index
    for (; place > 0 && keys[place - 1]! > key; place--) keys[place] = keys[place - 1]!
    keys[place] = key
  }
  return keys
}

/** Keys that JSON writes as they are, which nearly all are. */
const PLAIN = /^\w+$/u
