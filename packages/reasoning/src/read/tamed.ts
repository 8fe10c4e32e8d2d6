/**
 * Shortens what nobody writes: a model that has lost its way may fill its reply with blanks or empty lines, over which
 * patterns would search once from every place.
 */
export const tamed = (reply: string): string =>
  reply
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\S\n]{100,}/g, ' ')
    .replaceAll(/(?:[^\S\n]*\n){20,}/g, '\n\n')
