import { collapseBlanks } from './collapse-blanks.ts'
import { NUMERAL, readNumeral } from './numeral.ts'
import { parseJson } from './parse-json.ts'
import { withPlainDigits } from './plain-digits.ts'
import { readRating } from './rating.ts'
import { withoutThinking } from './without-thinking.ts'
import { OPTION_WORD, STEP_WORD } from './words.ts'

/** A rating of one of several options. */
export interface OptionRating {
  /** From 1 to the scale; null when it could not be read. */
  rating: number | null
  /** The text that it was read from. */
  details: string
}

const START = '^[\\s>#*_`|(\\-【\\[•]*'
const NAMED_BLOCK = new RegExp(`${START}(?:${OPTION_WORD})\\s*[#№]?\\s*(${NUMERAL})(?![\\p{L}\\d])`, 'iu')
const HAN_BLOCK = new RegExp(
  `${START}(?:第\\s*)?(?:${OPTION_WORD})?\\s*(\\d{1,2}|[一二三四五六七八九十]{1,2})\\s*(?:个|個|番|번)?\\s*[:、)\\]】]`,
  'iu',
)
const BLOCK = new RegExp(
  `${START}(?:${OPTION_WORD}|${STEP_WORD}|no\\.?)?\\s*#?(\\d{1,2})[*_\`]*\\s*[:.)|–—、\\]】-]`,
  'iu',
)
/** The label of a block whose word no list knows: `Plan 1: …`. */
const ANY_BLOCK = new RegExp(`${START}\\p{L}[\\p{L}\\p{M}'’]{0,24}\\s*(\\d{1,2})[*_\`\\])】]*\\s*[:.)|–—、-]`, 'iu')
const LABELS = [NAMED_BLOCK, HAN_BLOCK, BLOCK, ANY_BLOCK] as const
const INDEX =
  /^(?:option|id|index|number|no|nr|#|选项|编号|序号|選択肢|番号|번호|вариант|номер|opción|opção|opzione)$/iu

/** Reads the ratings of `count` numbered options from a grader's reply; a rating that cannot be read is null. */
export function readRatings(reply: string, count: number, scale: number): OptionRating[] {
  const said = withoutThinking(reply)
  return readJsonRatings(parseJson(said), count, scale) ?? readTextRatings(collapseBlanks(said), count, scale)
}

function readTextRatings(reply: string, count: number, scale: number): OptionRating[] {
  const lines = reply.split('\n')
  const plain = lines.map(withPlainDigits)
  for (const label of LABELS) {
    const starts = plain.flatMap((line, at) => {
      const number = readNumeral(label.exec(line)?.[1] ?? '') ?? 0
      return number >= 1 && number <= count ? [{ at, number }] : []
    })
    if (starts.length === 0) continue
    const ratings: OptionRating[] = Array.from({ length: count }, () => ({ rating: null, details: '' }))
    starts.forEach(({ at, number }, i) => {
      const [first, ...rest] = lines.slice(at, starts[i + 1]?.at)
      const rating = readRating([plain[at]!.replace(label, ''), ...rest].join('\n'), scale)
      // The last rating of an option counts; a mention without a rating does not replace it.
      if (rating !== null || ratings[number - 1]!.rating === null) {
        ratings[number - 1] = { rating, details: [first!, ...rest].join('\n').trim() }
      }
    })
    if (ratings.some(({ rating }) => rating !== null)) return ratings
  }
  return readOrderedRatings(reply, count, scale)
}

/** More lines than a list of ratings has. */
const MAX_LINES = 1000

/** Reads unnumbered ratings in order when there are as many as options; otherwise all are null. */
function readOrderedRatings(reply: string, count: number, scale: number): OptionRating[] {
  const lines = reply.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > MAX_LINES) return Array.from({ length: count }, () => ({ rating: null, details: reply.trim() }))
  const read = lines.map((line) => ({ rating: readRating(line, scale), details: line.trim() }))
  const rated = read.filter(({ rating }) => rating !== null)
  if (rated.length === count) return rated
  const numbers = /^[\s[(]*(\d+(?:\.\d+)?(?:\s*[,;、]\s*\d+(?:\.\d+)?)*)[\s\])]*$/
  const list = numbers.exec(withPlainDigits(reply).trim())?.[1]?.split(/[,;、]/)
  if (list?.length === count) return list.map((item) => ({ rating: readRating(item, scale), details: item.trim() }))
  return Array.from({ length: count }, () => ({ rating: null, details: reply.trim() }))
}

/** Reads ratings from a list, from a list in a field, or from fields with the numbers of the options. */
function readJsonRatings(value: unknown, count: number, scale: number): OptionRating[] | null {
  if (typeof value !== 'object' || value === null) return null
  const fields = Object.entries(value)
  const list: unknown[] | undefined = Array.isArray(value)
    ? value
    : fields.map(([, field]: [string, unknown]) => field).find((field) => Array.isArray(field))
  if (list) return list.length === count ? inOrder(list).map((item) => readItem(item, scale)) : null
  const numbered = fields.flatMap(([key, field]: [string, unknown]) => {
    const number = /^\D{0,24}(\d{1,2})$/u.exec(withPlainDigits(key))?.[1]
    return number === undefined ? [] : [[Number(number), field] as const]
  })
  const ordered = numbered.toSorted(([a], [b]) => a - b)
  if (ordered.length === count) return ordered.map(([, field]) => readItem(field, scale))
  for (const [, field] of fields as [string, unknown][]) {
    const inner = readJsonRatings(field, count, scale)
    if (inner) return inner
  }
  return null
}

function readItem(item: unknown, scale: number): OptionRating {
  const details = typeof item === 'string' ? item : (JSON.stringify(item) ?? '')
  return { rating: readRating(details, scale), details }
}

/** Sorts items by the number of their option, when each says another one. */
function inOrder(items: readonly unknown[]): readonly unknown[] {
  const numbers = items.map((item) => {
    if (typeof item !== 'object' || item === null) return 0
    const [, index] = Object.entries(item).find(([key]) => INDEX.test(key)) ?? []
    return Number(/\d+/.exec(String(index))?.[0] ?? 0)
  })
  if (new Set(numbers).size < items.length || numbers.some((number) => number < 1 || number > items.length))
    return items
  const sorted: unknown[] = []
  numbers.forEach((number, i) => (sorted[number - 1] = items[i]))
  return sorted
}
