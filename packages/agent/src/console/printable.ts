// Joiners and selectors belong to emoji and to scripts: they stay behind what they can shape, one of each.
const JOINER = String.raw`\u200C\u200D`
const SELECTOR = String.raw`\u180B-\u180D\uFE00-\uFE0F\u{E0100}-\u{E01EF}`

/** Control characters but tab and line feed, what turns the direction of writing round, and what nobody sees. */
const HARMFUL = new RegExp(
  [
    String.raw`[\p{Cc}--[\t\n]]`,
    String.raw`[[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]--[${JOINER}${SELECTOR}]]`,
    String.raw`(?<=[\0-\x7F${JOINER}])[${JOINER}]`,
    String.raw`(?<=[\0-\x7F${JOINER}${SELECTOR}])(?!\uFE0F\u20E3)[${SELECTOR}]`,
  ].join('|'),
  'gv',
)

/**
 * A text that models, tools or files wrote, as a terminal may show it: no character of it starts an escape sequence, moves
 * the cursor, turns text round or is invisible; a picture stands in its place. It needs no memory, so pieces may be cut
 * anywhere.
 */
export const printable = (text: string): string => text.replaceAll(HARMFUL, picture)

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (character === '\r') return ''
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}
