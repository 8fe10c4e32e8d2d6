/**
 * Shortens long runs of blanks and empty lines, with which a failing model may fill its reply: patterns would take
 * quadratic time on them.
 */
export const collapseBlanks = (reply: string): string =>
  reply
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\S\n]{100,}/g, ' ')
    .replaceAll(/(?:[^\S\n]*\n){20,}/g, '\n\n')

/** The characters at either end of a text in which a rating is looked for. */
const END = 10_000

/** Leaves out the middle of a text that is longer than any rating with its reasons. */
export const bothEnds = (text: string): string =>
  text.length <= 2 * END ? text : `${text.slice(0, END)}\n${text.slice(-END)}`
