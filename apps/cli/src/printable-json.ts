// Control characters but tab and line feed, and what turns the direction of writing round.
const HARMFUL = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

/** A value as one line of JSON that a terminal may show: the same value to whoever parses it. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    HARMFUL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
