// Control characters but tab and line feed, what turns the direction of writing round, and what nobody sees.
const HARMFUL = /[[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]--[\t\n]]/gv

/** A value as one line of JSON that a terminal may show: the same value to whoever parses it. */
export const printableJson = (value: unknown): string => JSON.stringify(value).replaceAll(HARMFUL, escaped)

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
