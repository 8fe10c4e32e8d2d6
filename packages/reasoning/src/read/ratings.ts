import { collapseBlanks } from './collapse-blanks.ts'
import { parseJson } from './parse-json.ts'
import { readRating } from './rating.ts'

/** One of several ratings. */
export interface OptionRating {
  /** From 1 to the scale; null when it could not be read. */
  rating: number | null
  /** The text that it was read from. */
  details: string
}

const BLOCK = /^[\s>#*_`|(-]*(?:option|choice|step|candidate|no\.?)?\s*#?(\d{1,2})[*_`]*\s*[:.)|–—-]/i
const NAMED_BLOCK = /^[\s>#*_`|(-]*(?:option|choice|candidate)\s*#?(\d{1,2})\b/i

/** Reads the ratings of `count` numbered options from a grader's reply; a rating that cannot be read is null. */
export function readRatings(reply: string, count: number, scale: number): OptionRating[] {
  return readJsonRatings(parseJson(reply), count, scale) ?? readTextRatings(collapseBlanks(reply), count, scale)
}

function readTextRatings(reply: string, count: number, scale: number): OptionRating[] {
  const lines = reply.split('\n')
  for (const label of [NAMED_BLOCK, BLOCK]) {
    const starts = lines.flatMap((line, at) => {
      const number = Number(label.exec(line)?.[1])
      return number >= 1 && number <= count ? [{ at, number }] : []
    })
    if (starts.length === 0) continue
    const ratings: OptionRating[] = Array.from({ length: count }, () => ({ rating: null, details: '' }))
    starts.forEach(({ at, number }, i) => {
      const [first, ...rest] = lines.slice(at, starts[i + 1]?.at)
      const rating = readRating([first!.replace(label, ''), ...rest].join('\n'), scale)
      // The last rating of an option counts; a mention without a rating does not replace it.
      if (rating !== null || ratings[number - 1]!.rating === null) {
        ratings[number - 1] = { rating, details: [first!, ...rest].join('\n').trim() }
      }
    })
    if (ratings.some(({ rating }) => rating !== null)) return ratings
  }
  return readOrderedRatings(reply, count, scale)
}

/** Reads unnumbered ratings in order when there are as many as options; otherwise all are null. */
function readOrderedRatings(reply: string, count: number, scale: number): OptionRating[] {
  const read = reply.split('\n').map((line) => ({ rating: readRating(line, scale), details: line.trim() }))
  const rated = read.filter(({ rating }) => rating !== null)
  if (rated.length === count) return rated
  const list = /^[\s[(]*(\d+(?:\.\d+)?(?:\s*[,;]\s*\d+(?:\.\d+)?)*)[\s\])]*$/.exec(reply.trim())?.[1]?.split(/[,;]/)
  if (list?.length === count) return list.map((item) => ({ rating: readRating(item, scale), details: item.trim() }))
  return Array.from({ length: count }, () => ({ rating: null, details: reply.trim() }))
}

function readJsonRatings(value: unknown, count: number, scale: number): OptionRating[] | null {
  const record = (value ?? {}) as Record<string, unknown>
  const list = Array.isArray(value)
    ? value
    : [record['ratings'], record['options'], record['scores']].find(Array.isArray)
  if (!list || list.length !== count) return null
  return list.map((item: unknown) => {
    const details = typeof item === 'string' ? item : JSON.stringify(item)
    return { rating: readRating(details, scale), details }
  })
}
