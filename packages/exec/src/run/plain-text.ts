import { stripVTControlCharacters } from 'node:util'

/**
 * Output as a model or a person may read it: without escape sequences and control characters, lone carriage returns as
 * line ends, characters that turn the reading direction round by their number.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\r(?!\n)/gu, '\n')
    .replaceAll(/[\p{Cc}--[\t\n\r]]/gv, '')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/gu, (sign) => `\\u${sign.codePointAt(0)!.toString(16)}`)
}
