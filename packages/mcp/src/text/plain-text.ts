/** Characters that a person does not see: controls, directions of writing, zero widths, tags, private use. */
const HIDDEN = /[^\P{C}\n\t]|[\u115F\u1160\u3164\uFFA0]|[\u{E0000}-\u{E0FFF}]|[\uFE00-\uFE0F]{2,}/gu

/**
 * Makes text of a server fit to be shown: without characters that hide or rearrange others, and at most `longest`
 * characters, with a note of how many there were.
 */
export function plainText(text: string, longest: number): string {
  // A text that is cut is not read to its end.
  const head = text.length > longest ? text.slice(0, longest) : text
  const clean = head.toWellFormed().replaceAll(/\r\n?/gu, '\n').replaceAll(HIDDEN, '')
  return head === text ? clean : `${clean}… (cut: ${text.length} characters)`
}

/** One line of plain text. */
export const plainLine = (text: string, longest: number): string => plainText(text, longest).replaceAll(/\s+/gu, ' ')
