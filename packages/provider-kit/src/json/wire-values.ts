/** Tells whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns an object, or an empty one for a value of another type. */
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : NO_FIELDS)

const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({})

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

/** Most objects and lists inside each other in JSON of a provider. */
const MAX_JSON_DEPTH = 500

/**
 * Parses JSON of a provider without the keys that could reach a prototype; returns undefined for text that is not JSON, or is
 * nested deeper than 500 levels: whatever reads it later would run out of stack.
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    return mayReachPrototype(text) ? JSON.parse(text, dropPrototypeKeys) : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Tells a text with a name that could reach a prototype; its letters may be escaped, as no sign of another script is. */
const mayReachPrototype = (text: string): boolean =>
  text.includes('__proto__') || text.includes('constructor') || (text.includes('\\u00') && ESCAPED_LETTER.test(text))

const ESCAPED_LETTER = /\\u00[5-7]/u

function isTooDeep(text: string): boolean {
  // Each level has two brackets.
  if (text.length < 2 * MAX_JSON_DEPTH || !hasManyOpenings(text)) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE_CODE) at = endOfText(text, at)
    else if (sign === OPENING_BRACE_CODE || sign === OPENING_BRACKET_CODE) {
      if (++depth > MAX_JSON_DEPTH) return true
    } else if (sign === OPENING_BRACE_CODE + 2 || sign === OPENING_BRACKET_CODE + 2) depth--
  }
  return false
}

/** Tells whether a text has more opening brackets than levels are allowed; searching for signs is faster than reading all. */
function hasManyOpenings(text: string): boolean {
  let count = 0
  for (const sign of '{[') {
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1))
      if (++count > MAX_JSON_DEPTH) return true
  }
  return false
}

const QUOTE_CODE = 0x22
const BACKSLASH_CODE = 0x5c
const OPENING_BRACE_CODE = 0x7b
const OPENING_BRACKET_CODE = 0x5b

/** Returns the position of the quote that ends a text of JSON: one behind an even number of backslashes. */
function endOfText(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === BACKSLASH_CODE) before--
    if ((at - before) % 2 === 0) return at
  }
  return text.length
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

/** An escape of JSON: a pair of halves, a half without the other, or any other one. */
const JSON_ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|ud[89a-f][\da-f]{2}|[^])/giu

/**
 * Replaces half of a character, of a text that was cut in it, by the sign for an unreadable one: vendors refuse the whole
 * request. Pairs stay as they are.
 */
export const wellFormedJson = (json: string): string =>
  // `JSON.stringify` writes halves so; most texts have none.
  json.includes(String.raw`\ud`)
    ? json.replaceAll(JSON_ESCAPE, (escape) =>
        escape.length === HALF.length && /^\\ud/iu.test(escape) ? HALF : escape,
      )
    : json

const HALF = String.raw`\ufffd`
