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

/** Characters inside the text that an escape sequence brings, such as the title of a window. */
const SEQUENCE_TEXT = String.raw`[^\0-\x08\x0A-\x1F\x7F-\x9F]*`

/**
 * Escape sequences of terminals: with parameters, with a text up to its end, and short ones. No part of one begins another, so
 * that a text is read once; `stripVTControlCharacters` of Node takes quadratic time.
 */
const ESCAPE_SEQUENCE = new RegExp(
  [
    String.raw`(?:\x1B\[|\x9B)[0-?]*[ -\/]*[@-~]`,
    String.raw`(?:\x1B[\]PX^_]|[\x90\x98\x9D-\x9F])${SEQUENCE_TEXT}(?:\x07|\x1B\\|\x9C)`,
    String.raw`\x1B[ -\/]*[0-~]`,
  ].join('|'),
  'gu',
)

/**
 * Returns output as a model or a person may safely read it: escape sequences and control characters are removed, lone
 * carriage returns become line ends, and invisible and direction-changing characters are shown by their number.
 */
export function plainText(text: string): string {
  return text
    .replaceAll(ESCAPE_SEQUENCE, '')
    .replaceAll(/\r(?!\n)/gu, '\n')
    .replaceAll(/[\p{Cc}--[\t\n\r]]/gv, '')
    .replaceAll(INVISIBLE_CHARACTER, escapeCharacter)
}

function escapeCharacter(character: string): string {
  const number = character.codePointAt(0)!.toString(16)
  return number.length > 4 ? `\\u{${number}}` : `\\u${number.padStart(4, '0')}`
}
