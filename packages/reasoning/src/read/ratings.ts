import { collapseBlanks, withoutThinking, withPlainDigits } from './normalize-reply.ts'
import { parseJson } from './parse-json.ts'
import { readRating } from './rating.ts'
import { NUMERAL_PATTERN, OPTION_WORD, readNumeral, STEP_WORD } from './words.ts'

/** A rating of one of several options. */
export interface OptionRating {
  /** From 1 to the scale; null if it could not be read. */
  rating: number | null
  /** The text that the rating was read from. */
  details: string
}

const BLOCK_START = '^[\\s>#*_`|(\\-【\\[•]*'
const NAMED_BLOCK = new RegExp(`${BLOCK_START}(?:${OPTION_WORD})\\s*[#№]?\\s*(${NUMERAL_PATTERN})(?![\\p{L}\\d])`, 'iu')
const HAN_BLOCK = new RegExp(
  `${BLOCK_START}(?:第\\s*)?(?:${OPTION_WORD})?\\s*(\\d{1,2}|[一二三四五六七八九十]{1,2})\\s*(?:个|個|番|번)?\\s*[:、)\\]】]`,
  'iu',
)
const NUMBERED_BLOCK = new RegExp(
  `${BLOCK_START}(?:${OPTION_WORD}|${STEP_WORD}|no\\.?)?\\s*#?(\\d{1,2})[*_\`]*\\s*[:.)|–—、\\]】-]`,
  'iu',
)
/** The label of a block with an unknown word: `Plan 1: …`. */
const ANY_BLOCK = new RegExp(
  `${BLOCK_START}\\p{L}[\\p{L}\\p{M}'’]{0,24}\\s*(\\d{1,2})[*_\`\\])】]*\\s*[:.)|–—、-]`,
  'iu',
)
const BLOCK_LABELS = [NAMED_BLOCK, HAN_BLOCK, NUMBERED_BLOCK, ANY_BLOCK] as const
const INDEX_KEY =
  /^(?:option|id|index|number|no|nr|#|选项|编号|序号|選択肢|番号|번호|вариант|номер|opción|opção|opzione)$/iu

/** Reads the ratings of `count` numbered options from a grader's reply; an unreadable rating is null. */
export function readRatings(reply: string, count: number, scale: number): OptionRating[] {
  const visible = withoutThinking(reply)
  return readJsonRatings(parseJson(visible), count, scale) ?? readTextRatings(collapseBlanks(visible), count, scale)
}

function readTextRatings(reply: string, count: number, scale: number): OptionRating[] {
  const lines = reply.split('\n')
  const plain = lines.map(withPlainDigits)
  for (const label of BLOCK_LABELS) {
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

/** Most lines of a reply that is read as a list of ratings. */
const MAX_RATING_LINES = 1000

/** Reads unnumbered ratings in order if there are as many as options; otherwise all are null. */
function readOrderedRatings(reply: string, count: number, scale: number): OptionRating[] {
  const lines = reply.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > MAX_RATING_LINES)
    return Array.from({ length: count }, () => ({ rating: null, details: reply.trim() }))
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

/** Sorts items by the numbers of their options, if all items have different numbers. */
function inOrder(items: readonly unknown[]): readonly unknown[] {
  const numbers = items.map((item) => {
    if (typeof item !== 'object' || item === null) return 0
    const [, index] = Object.entries(item).find(([key]) => INDEX_KEY.test(key)) ?? []
    return Number(/\d+/.exec(String(index))?.[0] ?? 0)
  })
  if (new Set(numbers).size < items.length || numbers.some((number) => number < 1 || number > items.length))
    return items
  const sorted: unknown[] = []
  numbers.forEach((number, i) => (sorted[number - 1] = items[i]))
  return sorted
}
