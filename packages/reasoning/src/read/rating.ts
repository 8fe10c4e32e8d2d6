import { jsonReply } from './json-reply.ts'
import { tamed } from './tamed.ts'

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'] as const
/** A number, but not a part of `1.2.3`, of a range or of a word. */
const NUMBER = String.raw`(?<![\w.])-?\d+(?:[.,]\d+)?(?![\d]|\.\d|[a-z])`
const OF = String.raw`\s*(?:\/|out\s+of|of)\s*`
const RANGE =
  /(?:\b(?:scale|range|from|between|rating|score)\b[^\n\d]{0,24})?[[(]?\b[01]\s*(?:\([^)\n]*\)\s*)?(?:to|and|through|[-–—…]|\.\.\.?)\s*(?:10{0,2}|[2-9]\d?|N)\b[\])]?/gi
/** Numbers that name something else. */
const NAMED =
  /\b(?:steps?|options?|possibilit(?:y|ies)|level|stage|points?|part|section|line|criteri(?:on|a)|try)\s*#?\s*\d+(?:\.\d+)*/gi
const LABEL = String.raw`\b(?:rating|rated?|score|grade|mark|verdict|give|assign|deserves)\b`
const CLOSING = /\b(?:final|overall|total)\s+(?:rating|score|grade)\b/i

/**
 * Reads the rating out of a grader's words as a number from 1 to `scale`; null when there is none. A labelled rating wins
 * over other numbers, a final one over earlier ones; `4/5` and `80%` are brought to the scale; what lies outside is
 * brought to its nearer end.
 */
export function readRating(reply: string, scale: number): number | null {
  const json = fromJson(jsonReply(reply))
  if (json !== null) return clamp(json, scale)
  const text = spelled(tamed(reply))
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
    if (labelled && (labelled[2] === undefined || isScale(labelled[2], scale))) return scaled(labelled, scale)
  }
  const numbers = [...text.matchAll(new RegExp(`(${NUMBER})(?:${OF}(\\d+)|\\s*(%))?`, 'gi'))]
  const found = numbers.find((number) => isShare(number, scale)) ?? numbers.find(([, , of]) => of === undefined)
  return found ? scaled(found, scale) : null
}

/** The reward in [0, 1] of a rating from 1 to `scale`. */
export const reward = (rating: number, scale: number): number => (rating - 1) / (scale - 1)

/** `8/10` and `80%` say a rating; `100/3` is something that the grader talks about. */
function isShare([, number, of, percent]: RegExpExecArray, scale: number): boolean {
  if (percent) return true
  return isScale(of, scale) && Number(number) <= Number(of)
}

const isScale = (of: string | undefined, scale: number): boolean => [scale, 5, 10, 100].includes(Number(of))

function scaled([, number, of, percent]: RegExpExecArray, scale: number): number {
  const value = Number(number!.replace(',', '.'))
  if (percent) return clamp(1 + (value / 100) * (scale - 1), scale)
  const full = of === undefined ? scale : Number(of)
  return clamp(full === scale || full === 0 ? value : (value / full) * scale, scale)
}

const clamp = (value: number, scale: number): number => Math.min(scale, Math.max(1, value))

/** Number words where a rating would stand: alone, before `out of` or `/`, after a label or `give it`. */
function spelled(text: string): string {
  const word = `(${WORDS.join('|')})`
  const digits = (found: string): string => String(WORDS.indexOf(found.toLowerCase() as (typeof WORDS)[number]))
  return text
    .replace(new RegExp(`^[\\s*_"]*${word}[\\s*_."!]*$`, 'i'), (_, found: string) => digits(found))
    .replaceAll(new RegExp(`\\b${word}(?=\\s*(?:\\/|out\\s+of|of)\\s*(?:${word}|\\d))`, 'gi'), (_, found: string) =>
      digits(found),
    )
    .replaceAll(
      new RegExp(`((?:\\/|out\\s+of|of)\\s*)${word}\\b`, 'gi'),
      (_, of: string, found: string) => of + digits(found),
    )
    .replaceAll(
      new RegExp(`(${LABEL}|\\bgive\\s+(?:it|this)|\\bas)([\\s:=*_-]*(?:is\\s+|an?\\s+|of\\s+)*)${word}\\b`, 'gi'),
      (_, label: string, between: string, found: string) => `${label}${between} ${digits(found)}`,
    )
}

function fromJson(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const record = value as Record<string, unknown>
  for (const key of ['rating', 'score', 'grade', 'value']) {
    const field = record[key]
    const number = typeof field === 'string' ? Number.parseFloat(field) : field
    if (typeof number === 'number' && Number.isFinite(number)) return number
  }
  return null
}
