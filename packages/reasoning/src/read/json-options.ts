import { NUMERAL } from './numeral.ts'
import { withPlainDigits } from './plain-digits.ts'
import type { ThinkerReply } from './reply-parts.ts'
import { OPTION_WORD, REFLECTION_WORD, STEP_WORD } from './words.ts'

const NAMED = new RegExp(`^(?:(?:${OPTION_WORD}|${STEP_WORD})?[\\s_-]*${NUMERAL})$`, 'iu')
const LISTED = new RegExp(`${OPTION_WORD}|${STEP_WORD}`, 'iu')
const REVIEW = new RegExp(`^(?:${REFLECTION_WORD})$`, 'iu')
const TEXT_KEYS = ['title', 'name', 'content', 'text', 'description', 'option', 'step'] as const
/** A text that only numbers its option. */
const NUMBER = new RegExp(`^(?:(?:${OPTION_WORD})\\s*)?${NUMERAL}$`, 'iu')
const DEPTH = 3

/** Reads the options from the JSON of a reply: a list, fields with numbers, or either inside other fields; null without any. */
export function readJsonOptions(value: unknown, depth: number = DEPTH): ThinkerReply | null {
  if (typeof value !== 'object' || value === null) return null
  const record = value as Record<string, unknown>
  const entries = Object.entries(record)
  const named = Array.isArray(value) ? [] : entries.filter(([key]) => NAMED.test(withPlainDigits(key)))
  const lists = entries.filter(([, field]) => Array.isArray(field))
  const [, listed] = lists.find(([key]) => LISTED.test(key)) ?? lists[0] ?? []
  const items = Array.isArray(value) ? value : named.length > 0 ? named.map(([, field]) => field) : listed
  const options = ((items ?? []) as unknown[]).flatMap((item) => readOptionText(item) ?? [])
  if (options.length > 0) return { reflection: readReflection(entries), options }
  if (depth === 0 || Array.isArray(value)) return null
  for (const [, field] of entries) {
    const inner = readJsonOptions(field, depth - 1)
    if (inner) return { ...inner, reflection: inner.reflection || readReflection(entries) }
  }
  return null
}

function readReflection(entries: readonly (readonly [string, unknown])[]): string {
  const [, text] = entries.find(([key, field]) => typeof field === 'string' && REVIEW.test(key)) ?? []
  return typeof text === 'string' ? text.trim() : ''
}

function readOptionText(item: unknown): string | null {
  if (typeof item === 'string') return item.trim() || null
  if (typeof item !== 'object' || item === null) return null
  const record = item as Record<string, unknown>
  const known = TEXT_KEYS.flatMap((key) => (typeof record[key] === 'string' ? [record[key]] : []))
  const texts = known.length > 0 ? known : Object.values(record).filter((field) => typeof field === 'string')
  const said = texts.filter((text) => !NUMBER.test(withPlainDigits(text.trim())))
  return (said.length > 0 ? said : texts).join('\n').trim() || null
}
