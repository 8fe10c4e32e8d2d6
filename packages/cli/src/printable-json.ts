// Control characters, marks that change the direction of text, and invisible characters. JSON has no tab or line feed.
const UNPRINTABLE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu

/** A value as one line of JSON that a terminal may show: the same value to whoever parses it. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(UNPRINTABLE_CHARACTERS, escaped)

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
