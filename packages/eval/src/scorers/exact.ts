import { XError } from '@x/kernel'
import type { Scorer } from '../task.ts'

/** Most characters of a final answer that are compared: a right one is short. */
const MAX_LENGTH = 10_000

/** A number as people and models write it: `1,234.50`, `-3`, `7/2`, `6e23`, `6 × 10^23`. */
const NUMBER =
  /^([-+\u2212]?)(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d+))?(?:\/(\d+)|(?:e| ?[*x×] ?10\^)([-+\u2212]?)(\d{1,3}))?$/u

/** A fraction as formulas have it: `\frac{7}{2}`. */
const FORMULA_FRACTION = /^([-+\u2212]?)\\[dt]?frac\{([-+\u2212]?\d+)\}\{(\d+)\}$/u

/** Makes a scorer that compares the final answer with the `expected` of the task: see {@link finalAnswer}. */
export function exact(): Scorer {
  const scorer: Scorer = ({ task, text }) => {
    const { expected, id } = task
    if (typeof expected !== 'string' && typeof expected !== 'number' && typeof expected !== 'boolean')
      throw new XError(
        'invalid-argument',
        `the task \`${id}\` has no \`expected\` text, number or truth value to compare with`,
      )
    // An expected text may say `Answer:` too.
    const [given, wanted] = [text, String(expected)].map(finalAnswer) as [string, string]
    const isRight = given.length <= MAX_LENGTH && isSame(given, wanted)
    return {
      score: isRight,
      ...(!isRight && { reason: `${quoted(given)} is not ${quoted(String(expected))}` }),
    }
  }
  return Object.assign(scorer, { title: 'exact' })
}

const quoted = (text: string): string => (text === '' ? 'an empty text' : `\`${text.slice(0, 200)}\``)

/** The word before a final answer; emphasis may end before its colon: `**Answer**: 5`. */
const MARK = /answer[*_]{0,3} ?[:：]/giu

/**
 * Returns the final answer of a text: what stands behind the last `Answer:` up to the end of its line, or the whole text. Marks of
 * emphasis and formulas around it, and a full stop, are left out.
 */
export function finalAnswer(text: string): string {
  const mark = [...text.matchAll(MARK)].at(-1)
  if (!mark) return bare(text)
  // Emphasis may end behind the colon: `**Answer:** 5`.
  const rest = text.slice(mark.index + mark[0].length).trimStart()
  const end = rest.indexOf('\n')
  return bare(end === -1 ? rest : rest.slice(0, end))
}

const EDGES = '*_`$"\'“”‘’ \t\r\n'

/** Signs around formulas, from the outside in. */
const WRAPPINGS = [
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['\\boxed{', '}'],
  ['\\text{', '}'],
] as const

function bare(text: string): string {
  let inner = withoutEdges(text)
  for (const [open, close] of WRAPPINGS)
    if (inner.startsWith(open) && inner.endsWith(close)) inner = withoutEdges(inner.slice(open.length, -close.length))
  return inner
}

function withoutEdges(text: string): string {
  let [start, end] = [0, text.length]
  const isStop = (): boolean => text[end - 1] === '.' && end - start > 1
  while (start < end && EDGES.includes(text[start]!)) start++
  while (start < end && (EDGES.includes(text[end - 1]!) || isStop())) end--
  return start < end ? text.slice(start, end) : withoutQuotes(text.trim())
}

/** Takes quotes off a text of edges alone, such as a star in backticks: it is an answer itself, and not none. */
function withoutQuotes(text: string): string {
  let depth = 0
  while (text.length - 2 * depth > 2 && '`"\''.includes(text[depth]!) && text[depth] === text.at(-1 - depth)) depth++
  return text.slice(depth, text.length - depth)
}

/** Compares texts without regard to case and to blanks between words and signs, and numbers by their exact value. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [plain(given), plain(expected)]
  if (one === other) return true
  const [number, wanted] = [fractionOf(one), fractionOf(other)]
  if (number && wanted) return number[0] * wanted[1] === wanted[0] * number[1]
  // `1,234` is a number and `1, 234` are two.
  return !number && !wanted && withoutBlanks(one) === withoutBlanks(other)
}

const plain = (text: string): string =>
  unraised(text.replace(FORMULA_FRACTION, '$1$2/$3')).normalize('NFKC').replaceAll(/\s+/gu, ' ').trim().toLowerCase()

const withoutBlanks = (text: string): string => text.replaceAll(/ ?([,;:()[\]{}=+*/<>%-]) ?/gu, '$1')

/** Writes powers and bases with a sign: for Unicode, the digits of `2⁵` and `101₂` mean the same as any. */
const unraised = (text: string): string =>
  text.replaceAll(/[²³¹⁰⁴-ⁿ]+/gu, (raised) => `^${raised}`).replaceAll(/(\d)([₀-₉])/gu, '$1_$2')

const isMinus = (sign: string | undefined): boolean => sign === '-' || sign === '\u2212'

/** Reads a number as an exact fraction; null for anything else. */
function fractionOf(text: string): readonly [numerator: bigint, denominator: bigint] | null {
  const match = NUMBER.exec(text)
  if (!match) return null
  const [, sign, whole = '', decimals = '', denominator = '1', exponentSign = '', exponent = '0'] = match
  if ((whole === '' && decimals === '') || /^0+$/u.test(denominator)) return null
  const digits = BigInt((whole.replaceAll(',', '') || '0') + decimals)
  const [numerator, divisor] = [isMinus(sign) ? -digits : digits, 10n ** BigInt(decimals.length) * BigInt(denominator)]
  const power = 10n ** BigInt(exponent)
  return isMinus(exponentSign) ? [numerator, divisor * power] : [numerator * power, divisor]
}
