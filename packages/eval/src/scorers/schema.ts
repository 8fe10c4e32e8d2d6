import type { JsonSchema } from '@x/interfaces'
import { XError } from '@x/kernel'
import { issuesText, validatorFor } from '@x/kernel/schema'
import type { Scorer } from '../task.ts'

/** Most characters of an answer that are parsed. */
const MAX_LENGTH = 1_000_000

/**
 * Makes a scorer of answers in JSON: right if the answer fits the schema, by default the `answerSchema` of its task, and equals
 * the `expected` of the task, where it has one. A fence of Markdown around the JSON may be there.
 */
export function schema(of?: JsonSchema): Scorer {
  const scorer: Scorer = ({ task, text }) => {
    const wanted = of ?? task.answerSchema
    if (!wanted)
      throw new XError(
        'invalid-argument',
        `the task \`${task.id}\` has no \`answerSchema\`: give one, or \`schema(…)\``,
      )
    const parsed = parseJson(text)
    if (!parsed) return { score: false, reason: 'the answer is not JSON' }
    const checked = checkedBy(validatorFor(wanted), parsed.value)
    if (!checked) return { score: false, reason: 'the answer is nested too deeply' }
    if ('issues' in checked) return { score: false, reason: issuesText(checked.issues).slice(0, 1000) }
    const isRight = task.expected === undefined || isDeepEqual(checked.value, task.expected)
    return { score: isRight, ...(!isRight && { reason: 'the value is another one than the expected one' }) }
  }
  return Object.assign(scorer, { title: 'schema' })
}

/** Checks a value; undefined for one that is nested so deeply that it cannot be. */
function checkedBy<T>(check: (value: unknown) => T, value: unknown): T | undefined {
  try {
    return check(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Reads JSON, perhaps in a fence; undefined for anything else, and for what would change prototypes. */
function parseJson(text: string): { readonly value: unknown } | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const trimmed = text.trim()
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && trimmed.includes('\n')
  const inner = isFenced ? trimmed.slice(trimmed.indexOf('\n'), -3) : trimmed
  try {
    return { value: JSON.parse(inner, (key, value: unknown) => (key === '__proto__' ? undefined : value)) }
  } catch {
    return undefined
  }
}

/** True if two values are the same JSON, whatever the order of keys. */
export function isDeepEqual(one: unknown, other: unknown): boolean {
  const open: (readonly [unknown, unknown])[] = [[one, other]]
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [a, b] = pair
    if (Object.is(a, b) || (a === 0 && b === 0)) continue
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (Array.isArray(a) !== Array.isArray(b)) return false
    const keys = Object.keys(a)
    if (keys.length !== Object.keys(b).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false
      open.push([(a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]])
    }
  }
  return true
}
