/**
 * Shortens long runs of blanks and empty lines, with which a failing model may fill its reply: patterns would take
 * quadratic time on them.
 */
export const collapseBlanks = (reply: string): string =>
  reply
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\S\n]{100,}/g, ' ')
    .replaceAll(/(?:[^\S\n]*\n){20,}/g, '\n\n')
