import { collapseBlanks } from './collapse-blanks.ts'
import { parseJson } from './parse-json.ts'

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'] as const
/** A number that is not part of `1.2.3`, of a range or of a word. */
const NUMBER = String.raw`(?<![\w.])-?\d+(?:[.,]\d+)?(?![\d]|\.\d|[a-z])`
const OF = String.raw`\s*(?:\/|out\s+of|of)\s*`
const RANGE =
  /(?:\b(?:scale|range|from|between|rating|score)\b[^\n\d]{0,24})?[[(]?\b[01]\s*(?:\([^)\n]*\)\s*)?(?:to|and|through|[-–—…]|\.\.\.?)\s*(?:10{0,2}|[2-9]\d?|N)\b[\])]?/gi
/** Numbers that are labels of something else. */
const NAMED =
  /\b(?:steps?|options?|possibilit(?:y|ies)|level|stage|points?|part|section|line|criteri(?:on|a)|try)\s*#?\s*\d+(?:\.\d+)*/gi
const LABEL = String.raw`\b(?:rating|rated?|score|grade|mark|verdict|give|assign|deserves)\b`
const CLOSING = /\b(?:final|overall|total)\s+(?:rating|score|grade)\b/i

/**
 * Reads the rating from a grader's reply, as a number from 1 to `scale`; null when there is none. A labelled rating wins
 * over other numbers, a final rating over earlier ones; `4/5` and `80%` are converted to the scale; a number outside the
 * scale is clamped.
 */
export function readRating(reply: string, scale: number): number | null {
  const json = readJsonRating(parseJson(reply))
  if (json !== null) return clamp(json, scale)
  const text = replaceNumberWords(collapseBlanks(reply))
    .replaceAll(RANGE, ' ')
    .replaceAll(NAMED, ' ')
    .replaceAll(/[*_`~]/g, ' ')
  const stars = /[★⭐][★⭐☆✩]*/u.exec(text)?.[0]
  if (stars?.includes('☆') || stars?.includes('✩'))
    return clamp((stars.match(/[★⭐]/gu)!.length / stars.length) * scale, scale)
  const closing = CLOSING.exec(text)
  for (const part of closing ? [text.slice(closing.index), text] : [text]) {
    const labelled = new RegExp(`${LABEL}(?:[^\\d-]|-(?=\\s)){0,48}?(${NUMBER})(?:${OF}(\\d+)|\\s*(%))?`, 'i').exec(
      part,
    )
    if (labelled && (labelled[2] === undefined || isScale(labelled[2], scale))) return toScale(labelled, scale)
  }
  const numbers = [...text.matchAll(new RegExp(`(${NUMBER})(?:${OF}(\\d+)|\\s*(%))?`, 'gi'))]
  const rating = numbers.find((number) => isShare(number, scale)) ?? numbers.find(([, , of]) => of === undefined)
  return rating ? toScale(rating, scale) : null
}

/** Converts a rating from 1 to `scale` into a reward in [0, 1]. */
export const toReward = (rating: number, scale: number): number => (rating - 1) / (scale - 1)

/** Whether a number is a share, such as `8/10` and `80%`, and not a fraction in a text, such as `100/3`. */
function isShare([, number, of, percent]: RegExpExecArray, scale: number): boolean {
  if (percent) return true
  return isScale(of, scale) && Number(number) <= Number(of)
}

const isScale = (of: string | undefined, scale: number): boolean => [scale, 5, 10, 100].includes(Number(of))

function toScale([, number, of, percent]: RegExpExecArray, scale: number): number {
  const value = Number(number!.replace(',', '.'))
  if (percent) return clamp(1 + (value / 100) * (scale - 1), scale)
  const full = of === undefined ? scale : Number(of)
  return clamp(full === scale || full === 0 ? value : (value / full) * scale, scale)
}

const clamp = (value: number, scale: number): number => Math.min(scale, Math.max(1, value))

/** Replaces number words in the position of a rating: alone, before `out of` or `/`, after a label or `give it`. */
function replaceNumberWords(text: string): string {
  const word = `(${WORDS.join('|')})`
  const digits = (numeral: string): string => String(WORDS.indexOf(numeral.toLowerCase() as (typeof WORDS)[number]))
  return text
    .replace(new RegExp(`^[\\s*_"]*${word}[\\s*_."!]*$`, 'i'), (_, numeral: string) => digits(numeral))
    .replaceAll(new RegExp(`\\b${word}(?=\\s*(?:\\/|out\\s+of|of)\\s*(?:${word}|\\d))`, 'gi'), (_, numeral: string) =>
      digits(numeral),
    )
    .replaceAll(
      new RegExp(`((?:\\/|out\\s+of|of)\\s*)${word}\\b`, 'gi'),
      (_, of: string, numeral: string) => of + digits(numeral),
    )
    .replaceAll(
      new RegExp(`(${LABEL}|\\bgive\\s+(?:it|this)|\\bas)([\\s:=*_-]*(?:is\\s+|an?\\s+|of\\s+)*)${word}\\b`, 'gi'),
      (_, label: string, between: string, numeral: string) => `${label}${between} ${digits(numeral)}`,
    )
}

function readJsonRating(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const record = value as Record<string, unknown>
  for (const key of ['rating', 'score', 'grade', 'value']) {
    const field = record[key]
    const number = typeof field === 'string' ? Number.parseFloat(field) : field
    if (typeof number === 'number' && Number.isFinite(number)) return number
  }
  return null
}
