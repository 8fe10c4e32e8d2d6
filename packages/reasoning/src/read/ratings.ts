import { jsonReply } from './json-reply.ts'
import { tamed } from './tamed.ts'
import { readRating } from './rating.ts'

/** One rating of several, with the words it was read from. */
export interface ReadRating {
  rating: number | null
  details: string
}

const BLOCK = /^[\s>#*_`|(-]*(?:option|choice|step|candidate|no\.?)?\s*#?(\d{1,2})[*_`]*\s*[:.)|–—-]/i
const NAMED_BLOCK = /^[\s>#*_`|(-]*(?:option|choice|candidate)\s*#?(\d{1,2})\b/i

/** Reads the ratings of `count` numbered options; what cannot be read is null and costs the others nothing. */
export function readRatings(reply: string, count: number, scale: number): ReadRating[] {
  const json = fromJson(jsonReply(reply), count, scale)
  return json ?? fromText(tamed(reply), count, scale)
}

function fromText(reply: string, count: number, scale: number): ReadRating[] {
  const lines = reply.split('\n')
  for (const label of [NAMED_BLOCK, BLOCK]) {
    const starts = lines.flatMap((line, at) => {
      const number = Number(label.exec(line)?.[1])
      return number >= 1 && number <= count ? [{ at, number }] : []
    })
    if (starts.length === 0) continue
    const found: ReadRating[] = Array.from({ length: count }, () => ({ rating: null, details: '' }))
    starts.forEach(({ at, number }, i) => {
      const [first, ...rest] = lines.slice(at, starts[i + 1]?.at)
      const rating = readRating([first!.replace(label, ''), ...rest].join('\n'), scale)
      // The last word on an option counts, a mention without a rating does not.
      if (rating !== null || found[number - 1]!.rating === null) {
        found[number - 1] = { rating, details: [first!, ...rest].join('\n').trim() }
      }
    })
    if (found.some(({ rating }) => rating !== null)) return found
  }
  return inOrder(reply, count, scale)
}

/** Without numbers: as many rated lines as options are taken in order; anything else is not known. */
function inOrder(reply: string, count: number, scale: number): ReadRating[] {
  const read = reply.split('\n').map((line) => ({ rating: readRating(line, scale), details: line.trim() }))
  const rated = read.filter(({ rating }) => rating !== null)
  if (rated.length === count) return rated
  const list = /^[\s[(]*(\d+(?:\.\d+)?(?:\s*[,;]\s*\d+(?:\.\d+)?)*)[\s\])]*$/.exec(reply.trim())?.[1]?.split(/[,;]/)
  if (list?.length === count) return list.map((item) => ({ rating: readRating(item, scale), details: item.trim() }))
  return Array.from({ length: count }, () => ({ rating: null, details: reply.trim() }))
}

function fromJson(value: unknown, count: number, scale: number): ReadRating[] | null {
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
