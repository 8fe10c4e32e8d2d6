import { bothEnds, collapseBlanks, withoutThinking, withPlainDigits } from './normalize-reply.ts'
import { parseJson } from './parse-json.ts'
import {
  FINAL_LABEL,
  LABEL_PATTERN,
  NUMBER_PATTERN,
  OUT_OF_PATTERN,
  replaceNumberWords,
  WEAK_LABEL_PATTERN,
  withoutOtherNumbers,
} from './rating-phrases.ts'
import { RATING_UNIT, RATING_WORD, WEAK_RATING_WORD } from './words.ts'

const SHARE_PATTERN = `(?:${OUT_OF_PATTERN}(\\d+(?:\\.0+)?)(?![.,]?\\d)|\\s*(%))?`
const LABELLED_RATINGS = [LABEL_PATTERN, WEAK_LABEL_PATTERN].map(
  (label) => new RegExp(`${label}(?:[^\\d-]|-(?=\\s)){0,48}?(${NUMBER_PATTERN})${SHARE_PATTERN}`, 'iu'),
)
const WITH_UNIT = new RegExp(`(${NUMBER_PATTERN})${SHARE_PATTERN}\\s*(?:${RATING_UNIT})(?![\\p{L}])`, 'iu')
const WITH_HAN_UNIT = new RegExp(`(${NUMBER_PATTERN})${SHARE_PATTERN}\\s*[分点點점]`, 'iu')
/** Keys of fields that hold a rating, or several. */
export const RATING_KEY: RegExp = new RegExp(`^(?:${RATING_WORD}|grades|${WEAK_RATING_WORD}|value)$`, 'iu')
/** Keys of fields that number an option. */
export const INDEX_KEY: RegExp =
  /^(?=.)(?:option|step|选项|选項|選択肢|вариант|opción|opção|opzione)?[\s_-]?(?:id|index|number|no|nr|#|编号|序号|番号|번호|номер)?$/iu

/**
 * Reads the rating from a grader's reply, in many languages, as a number from 1 to `scale`; returns null if there is none.
 * A labelled rating wins over other numbers, a final rating over earlier ones; a denied rating (`not 3 but 7`) does not
 * count, nor does a quoted one where the grader has a word of its own. `4/5`, `80%` and `0.8` are shares of the scale; any
 * other number outside the scale is clamped. The thoughts of a reasoning model are ignored.
 */
export function readRating(reply: string, scale: number): number | null {
  const visible = withoutThinking(reply)
  const json = parseJson(visible)
  if (json !== undefined) {
    const rating = readJsonRating(json, scale)
    if (rating !== null) return rating
  }
  const said = bothEnds(collapseBlanks(json !== undefined && standsAlone(visible.trim()) ? textIn(json) : visible))
  // A thought may ask for a rating, and a grader quote it.
  const own = withoutQuotes(said)
  return (own === said ? null : readText(own, scale, { bare: false })) ?? readText(said, scale, { bare: true })
}

/** Reads the rating of a text; `bare`: from a number that nothing says is one, too. */
function readText(said: string, scale: number, { bare }: { readonly bare: boolean }): number | null {
  const text = withoutOtherNumbers(replaceNumberWords(shortNumbers(withPlainDigits(said))))
  const stars = /[★⭐][★⭐☆✩]*/u.exec(text)?.[0]
  if (stars?.includes('☆') || stars?.includes('✩'))
    return clamp((stars.match(/[★⭐]/gu)!.length / stars.length) * scale, scale)
  const closing = FINAL_LABEL.exec(text)
  for (const part of closing ? [text.slice(closing.index), text] : [text]) {
    const labelled = LABELLED_RATINGS.map((label) => label.exec(part)).find((match) => match && isRating(match))
    if (labelled) return toScale(labelled, scale)
  }
  const unit = WITH_HAN_UNIT.exec(text) ?? WITH_UNIT.exec(text)
  const numbers = [...text.matchAll(new RegExp(`(${NUMBER_PATTERN})${SHARE_PATTERN}`, 'giu'))]
  const rating =
    numbers.find((number) => isShare(number, scale)) ??
    unit ??
    (bare ? numbers.find(([, , of]) => of === undefined) : undefined)
  return rating ? toScale(rating, scale) : null
}

const QUOTED = /["“”„«»`「『][^"“”„«»`「」『』\n]*["“”«»`」』]/gu
const HAS_LABEL = new RegExp(`${LABEL_PATTERN}|${WEAK_LABEL_PATTERN}`, 'iu')
/** A mark of inches, and no quotation mark. */
const INCHES = /^[\p{L}\p{N}]"$/u

/** Leaves out the labelled numbers that a reply quotes. */
const withoutQuotes = (reply: string): string =>
  reply.replaceAll(QUOTED, (quoted, at: number) =>
    /\p{N}/u.test(quoted) && HAS_LABEL.test(quoted) && !INCHES.test(reply.slice(at - 1, at + 1)) ? ' ' : quoted,
  )

/** Cuts numbers to nine digits, above every scale: patterns take more than linear time on long ones. */
const shortNumbers = (text: string): string => text.replaceAll(/\d{10,}/g, (digits) => digits.slice(0, 9))

/** Converts a rating from 1 to `scale` into a reward in [0, 1]. */
export const toReward = (rating: number, scale: number): number => (rating - 1) / (scale - 1)

/** True if a number is a share, such as `8/10` and `80%`, and not a fraction in a text, such as `100/3`. */
function isShare([, number, of, percent]: RegExpExecArray, scale: number): boolean {
  if (percent) return true
  return [scale, 1, 5, 10, 20, 100].includes(Number(of)) && toNumber(number!) <= Number(of)
}

/** The largest scale that a labelled rating may name: `700 out of 1000`. */
const MAX_NAMED_SCALE = 1000

/** True if a labelled number is a rating: it stands alone, is a percentage, or is out of a plausible scale. */
function isRating([, number, of, percent]: RegExpExecArray): boolean {
  if (of === undefined || percent) return true
  const full = Number(of)
  return full === 5 || full === 10 || full === 100 || (full >= toNumber(number!) && full <= MAX_NAMED_SCALE)
}

function toScale([, number, of, percent]: RegExpExecArray, scale: number): number {
  const value = toNumber(number!)
  if (percent) return fromShare(value / 100, scale)
  if (of === undefined) return fromNumber(value, scale)
  const full = Number(of)
  if (full === 1) return fromShare(value, scale)
  return clamp(full === scale || full === 0 ? value : (value / full) * scale, scale)
}

/** Converts a number to the scale: a fraction below 1 is a share of the scale; 0, 1 and larger numbers are on it. */
const fromNumber = (value: number, scale: number): number =>
  value > 0 && value < 1 ? fromShare(value, scale) : clamp(value, scale)

const fromShare = (share: number, scale: number): number => clamp(1 + share * (scale - 1), scale)

const toNumber = (text: string): number => Number(text.replace(',', '.'))

const clamp = (value: number, scale: number): number => Math.min(scale, Math.max(1, value))

/** True if a reply with JSON has no text before it or behind it. */
const standsAlone = (reply: string): boolean => /^(?:\{|```)/.test(reply) && /(?:\}|```)$/.test(reply.slice(-3))

const MAX_TEXT_DEPTH = 4

/** Writes JSON as a text, a line for each field, without the numbers of options. */
function textIn(value: unknown, depth: number = MAX_TEXT_DEPTH): string {
  if (typeof value === 'string') return value
  if (value === null || depth === 0) return ''
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return value.map((item) => textIn(item, depth - 1)).join('\n')
  const fields = Object.entries(value).filter(([key]) => !INDEX_KEY.test(key))
  return fields.map(([key, field]) => `${key}: ${textIn(field, depth - 1)}`).join('\n')
}

/** Reads the rating from JSON: from the field named so, or from the only number; a text is read as a reply. */
function readJsonRating(value: unknown, scale: number, depth: number = 2): number | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const fields = Object.entries(value as Record<string, unknown>)
  const named = fields.filter(([key]) => RATING_KEY.test(key))
  const numbers = fields.filter(([key, field]) => typeof field === 'number' && !INDEX_KEY.test(key))
  for (const [, field] of named.length > 0 ? named : numbers.length === 1 ? numbers : []) {
    if (typeof field === 'number' && Number.isFinite(field)) return fromNumber(field, scale)
    const rating = typeof field === 'string' ? readRating(field, scale) : null
    if (rating !== null) return rating
  }
  if (depth === 0) return null
  for (const [, field] of fields) {
    const rating = readJsonRating(field, scale, depth - 1)
    if (rating !== null) return rating
  }
  return null
}
