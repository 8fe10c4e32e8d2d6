/** Begins an escape: a character that texts hardly ever hold and every store takes. */
const ESCAPE = '\u001A'

/** The characters that stores refuse (U+0000 and halves of surrogate pairs), and the escape itself. */
const REFUSED = new RegExp(`[\\0${ESCAPE}\\p{Cs}]`, 'gu')
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'gu')

/**
 * Plain JSON with every text and key escaped, so that any store takes it: U+0000 and lone surrogates become `\u001A` and
 * four hexadecimal digits.
 */
export const escapeTexts = (value: unknown): unknown =>
  mapTexts(value, (text) =>
    text.replaceAll(REFUSED, (character) => ESCAPE + character.charCodeAt(0).toString(16).padStart(4, '0')),
  )

/** The value that {@link escapeTexts} was given. */
export const unescapeTexts = (value: unknown): unknown =>
  mapTexts(value, (text) =>
    text.includes(ESCAPE)
      ? text.replaceAll(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      : text,
  )

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), mapTexts(each, change)]))
}
