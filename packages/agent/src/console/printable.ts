// Control characters but tab and line feed, and what turns the direction of writing round.
const HARMFUL = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

/**
 * A text that models, tools or files wrote, as a terminal may show it: no character of it starts an escape sequence, moves
 * the cursor or turns text round; a picture stands in its place. It needs no memory, so pieces may be cut anywhere.
 */
export const printable = (text: string): string => text.replaceAll(HARMFUL, picture)

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (character === '\r') return ''
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}
