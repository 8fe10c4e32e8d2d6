const HAN = '零一二三四五六七八九十'

/** A numeral that may number an option: digits, a letter, a Han numeral, or a word, as a part of a pattern with the flags `iu`. */
export const NUMERAL: string = `(?:\\d{1,2}|[${HAN.slice(1)}]{1,3}|(?<!\\p{Ll})(?:[A-Z]|[ivx]{1,4}|[א-ת]|[أ-ي]|[а-я]|one|two|three|four|five|six|eins|zwei|drei|vier|fünf|uno|dos|tres|due|tre|cuatro|quattro|quatro|un|deux|trois|quatre|cinq|один|два|три|четыре|الأول|الثاني|الثالث|الرابع)(?![\\p{L}]))`

/** Reads a numeral as a number: digits, Han numerals up to 19, or the position of a Latin letter; null for any other. */
export function readNumeral(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text)
  if (/^[a-z]$/i.test(text)) return text.toLowerCase().charCodeAt(0) - 96
  if (text === '') return null
  const digits = Array.from(text, (sign) => HAN.indexOf(sign))
  if (digits.some((digit) => digit < 0)) return null
  if (digits.length === 1) return digits[0]!
  return digits[0] === 10 && digits.length === 2 ? 10 + digits[1]! : null
}
