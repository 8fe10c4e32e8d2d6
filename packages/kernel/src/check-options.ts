import { nearestName } from './nearest.ts'
import type { OptionKind, OptionKinds } from './option-kind.ts'
import { XError } from './x-error.ts'

/**
 * Refuses options with `invalid-argument` when a key is unknown or a value is of another kind, with the key and what to
 * write in its place. `what` says what the options are for, as in `` run `search` ``, and `of` on what. An option that is
 * undefined is as good as absent, whatever its name.
 */
export function checkOptions<O>(options: unknown, kinds: OptionKinds<O>, what: string, of?: string): void {
  if (options === undefined) return
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new XError('invalid-argument', `${attempt(what, of)}: ${noObject(options, kinds)}`)
  }
  for (const key in options) {
    const value = (options as Record<string, unknown>)[key]
    // What objects inherit, such as `constructor`, takes nothing.
    if (value === undefined || (kinds as Kinds)[key]?.takes?.(value as never) === true) continue
    // Platform objects such as an `AbortController`, which may stand for `{ signal }`, inherit enumerable methods.
    if (Object.hasOwn(options, key)) throw refusal(key, value, kinds, attempt(what, of))
  }
}

type Kinds = Readonly<Record<string, OptionKind<never> | undefined>>

const attempt = (what: string, of: string | undefined): string =>
  `cannot ${what}${of === undefined ? '' : ` of \`${of}\``}`

function refusal(key: string, value: unknown, kinds: Kinds, attempted: string): XError {
  if (Object.hasOwn(kinds, key)) {
    const text = `${attempted}: ${wrongValue(key, value, kinds[key]!)}`
    return new XError('invalid-argument', text, { details: { option: key } })
  }
  const known = Object.keys(kinds)
  const nearest = nearestName(key, known, true)
  const remedy = nearest ? `did you mean \`${nearest}\`?` : `it takes \`${known.join('`, `')}\``
  return new XError('invalid-argument', `${attempted}: the option \`${key}\` is unknown; ${remedy}`, {
    details: { option: key, nearest, known },
  })
}

function noObject(value: unknown, kinds: Kinds): string {
  const first = Object.keys(kinds)[0]
  const isFirst = typeof value === 'string' && first !== undefined && kinds[first]!.takes(value as never)
  const example = isFirst ? `${first}: ${shown(value)}` : '…'
  return `its options are ${shown(value)}; give an object, such as { ${example} }`
}

function wrongValue(key: string, value: unknown, { expected, remedy }: OptionKind<never>): string {
  return `\`${key}\` is ${shown(value)}; ${remedy?.(value) ?? meant(key, value, expected)}`
}

/** A number that was given as a text is shown as it should be. */
function meant(key: string, value: unknown, expected: string): string {
  const isNumber = typeof value === 'string' && /^\d{1,9}$/u.test(value) && expected.includes('number')
  return isNumber ? `write \`${key}: ${value}\`, without quotes` : `give ${expected}`
}

/** Shows a value in an error; a longer text may be a secret. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length <= 12 ? `'${value}'` : 'a text'
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
