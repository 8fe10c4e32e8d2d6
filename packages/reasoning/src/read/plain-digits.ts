/** The zeros of the decimal digits of other scripts, of which each has ten in a row. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
  0x17e0,
] as const

const OTHER_THAN_ASCII = /[\u0080-\u{10FFFF}]/u
const OTHER = /[\p{Nd}\uFF01-\uFF5E٫٪﹪\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu

/**
 * Writes digits of every script and wide signs (`：`, `（`, `８`) in ASCII, and marks without width as spaces. Every
 * character stays in its place, so that a position in the result is one in the text.
 */
export const withPlainDigits = (text: string): string =>
  // Most texts have nothing to replace: one look is cheaper.
  text.search(OTHER_THAN_ASCII) < 0
    ? text
    : text.replaceAll(OTHER, (sign) => {
        const code = sign.codePointAt(0)!
        if (code < 0x80 || sign.length > 1) return sign
        if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
        if (sign === '٫') return '.'
        if (sign === '٪' || sign === '﹪') return '%'
        const zero = ZEROS.find((zero) => code >= zero && code < zero + 10)
        return zero === undefined ? (/\p{Nd}/u.test(sign) ? sign : ' ') : String(code - zero)
      })
