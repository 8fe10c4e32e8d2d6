/** Parses JSON of a provider and drops keys that could reach a prototype; returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return text.includes('__proto__') || text.includes('constructor') ? JSON.parse(text, harmless) : JSON.parse(text)
  } catch {
    return undefined
  }
}

function harmless(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' || (key === 'constructor' && typeof value === 'object') ? undefined : value
}
