import { stripVTControlCharacters } from 'node:util'

// Joiners and selectors belong to emoji and to scripts. One of each stays after a character that it can shape.
const JOINER_CHARACTERS = String.raw`\u200C\u200D`
const SELECTOR_CHARACTERS = String.raw`\u180B-\u180D\uFE00-\uFE0F\u{E0100}-\u{E01EF}`

/** Characters that change the direction of writing, and invisible ones. */
const INVISIBLE_CHARACTER = new RegExp(
  [
    String.raw`[[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]--[${JOINER_CHARACTERS}${SELECTOR_CHARACTERS}]]`,
    String.raw`(?<=[\0-\x7F${JOINER_CHARACTERS}])[${JOINER_CHARACTERS}]`,
    String.raw`(?<=[\0-\x7F${JOINER_CHARACTERS}${SELECTOR_CHARACTERS}])(?!\uFE0F\u20E3)[${SELECTOR_CHARACTERS}]`,
  ].join('|'),
  'gv',
)

/**
 * Returns output as a model or a person may safely read it: escape sequences and control characters are removed, lone
 * carriage returns become line ends, and invisible and direction-changing characters are shown by their number.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\r(?!\n)/gu, '\n')
    .replaceAll(/[\p{Cc}--[\t\n\r]]/gv, '')
    .replaceAll(INVISIBLE_CHARACTER, escapeCharacter)
}

function escapeCharacter(character: string): string {
  const number = character.codePointAt(0)!.toString(16)
  return number.length > 4 ? `\\u{${number}}` : `\\u${number.padStart(4, '0')}`
}
