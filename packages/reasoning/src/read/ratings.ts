import { collapseBlanks, withoutThinking, withPlainDigits } from './normalize-reply.ts'
import { parseJson } from './parse-json.ts'
import { INDEX_KEY, RATING_KEY, readRating } from './rating.ts'
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
const SIGNS = '[\\s#№*_"\'(\\[-]*'
/** The number of an option, alone or as a label before its text; a text that begins with a number of its own has none. */
const OPTION_NUMBER = new RegExp(
  `^${SIGNS}(?:(?:${OPTION_WORD}|${STEP_WORD})${SIGNS}(\\d{1,2})(?![\\d.])|(\\d{1,2})(?:[\\s*_)\\]]*$|[:.)\\]](?!\\d)))`,
  'iu',
)
/** A key that is the number of an option: `2`, `option_2`. */
const NUMBER_KEY = new RegExp(`^(?:(?:${OPTION_WORD})[\\s_-]*)?#?(\\d{1,2})$`, 'iu')

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

/**
 * Reads ratings from a list, from a list in a field, or from fields with the numbers of the options. An option that a
 * numbered list leaves out has no rating; a list without numbers has to be complete.
 */
function readJsonRatings(value: unknown, count: number, scale: number): OptionRating[] | null {
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) return readJsonList(value, count, scale)
  const fields = Object.entries(value) as [string, unknown][]
  const lists = fields.filter((field): field is [string, unknown[]] => Array.isArray(field[1]))
  // The list of the reasons may stand before that of the ratings.
  const ranked = lists.toSorted(([one], [other]) => Number(RATING_KEY.test(other)) - Number(RATING_KEY.test(one)))
  const read = ranked.flatMap(([, list]) => [readJsonList(list, count, scale)] as const)
  const best = read.find((ratings) => ratings?.some(({ rating }) => rating !== null)) ?? read.find(Boolean)
  if (best) return best
  const numbered = fields.flatMap(([key, field]) => {
    const number = /^\D{0,24}(\d{1,2})$/u.exec(withPlainDigits(key))?.[1]
    return number === undefined ? [] : [[Number(number), field] as const]
  })
  const ordered = numbered.toSorted(([a], [b]) => a - b)
  if (ordered.length === count) return ordered.map(([, field]) => readItem(field, scale))
  const some = fields.map(
    ([key, field]) => [Number(NUMBER_KEY.exec(withPlainDigits(key))?.[1] ?? Number.NaN), field] as const,
  )
  const placed = readNumbered(
    some.filter(([number]) => !Number.isNaN(number)),
    count,
    scale,
  )
  if (placed) return placed
  for (const [, field] of fields) {
    const inner = Array.isArray(field) ? null : readJsonRatings(field, count, scale)
    if (inner) return inner
  }
  return null
}

function readJsonList(items: readonly unknown[], count: number, scale: number): OptionRating[] | null {
  const numbered = items.map((item) => [numberIn(item), item] as const)
  if (numbered.length > 0 && numbered.every(([number]) => number !== null)) {
    const placed = readNumbered(numbered as readonly (readonly [number, unknown])[], count, scale)
    if (placed) return placed
  }
  return items.length === count ? items.map((item) => readItem(item, scale)) : null
}

/** Reads the items of different numbers from 1 to `count`, or from 0; null if there are no such numbers. */
function readNumbered(
  numbered: readonly (readonly [number, unknown])[],
  count: number,
  scale: number,
): OptionRating[] | null {
  const items = new Map(numbered)
  const first = items.has(0) ? 0 : 1
  // Numbers that are none of these options follow another count; only a longer list may name further options.
  const isOther = ([number]: readonly [number, unknown]): boolean => number < first || number >= first + count
  if (numbered.length <= count && numbered.some(isOther)) return null
  const ratings = Array.from({ length: count }, (_, i) =>
    items.has(first + i) ? readItem(items.get(first + i), scale) : { rating: null, details: '' },
  )
  return items.size === numbered.length && ratings.some(({ rating }) => rating !== null) ? ratings : null
}

/** Returns the number of the option that an item is about; null if it names none. */
function numberIn(item: unknown): number | null {
  if (typeof item !== 'object' || item === null) return null
  const [, index] = Object.entries(item).find(([key]) => INDEX_KEY.test(key)) ?? []
  if (typeof index === 'number') return Number.isInteger(index) ? index : null
  const [, named, bare] = (typeof index === 'string' && OPTION_NUMBER.exec(withPlainDigits(index))) || []
  const digits = named ?? bare
  return digits === undefined ? null : Number(digits)
}

function readItem(item: unknown, scale: number): OptionRating {
  const details = typeof item === 'string' ? item : (JSON.stringify(item) ?? '')
  return { rating: readRating(details, scale), details }
}
