/** Tells whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a list, or an empty one for a value of another type. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns an object with a text under a key; an empty object for an empty text or a value of another type. */
export const textAs = <K extends string>(key: K, value: unknown): { [key in K]?: string } =>
  (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { [key in K]?: string }

/** Returns false for null, an empty text, an empty list, an empty object, and a function that an SDK added. */
export function hasContent(value: unknown): boolean {
  if (typeof value === 'function' || value === null || value === undefined || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/** Parses JSON of a provider without the keys that could reach a prototype; returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return text.includes('__proto__') || text.includes('constructor')
      ? JSON.parse(text, dropPrototypeKeys)
      : JSON.parse(text)
  } catch {
    return undefined
  }
}

function dropPrototypeKeys(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' || (key === 'constructor' && typeof value === 'object') ? undefined : value
}

/** Joins pieces of base64; a piece may hold a number of bytes that is not a multiple of three. */
export function joinedBase64(pieces: readonly string[]): string {
  if (pieces.slice(0, -1).every((piece) => piece.length % 4 === 0 && !piece.endsWith('='))) return pieces.join('')
  try {
    return btoa(pieces.map((piece) => atob(piece)).join(''))
  } catch {
    return pieces.join('')
  }
}
