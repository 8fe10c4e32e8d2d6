import { XError } from '@x/kernel'
import { nearestName } from '@x/kernel/options'
import { isRecord } from './is-record.ts'

/** Kind of value that an option takes. */
export interface OptionKind<T> {
  /** The kind in words, for errors: "give …". */
  readonly expected: string
  /** Returns the value, typed; undefined for a value of another kind. */
  read(value: unknown, origin: OptionOrigin): T | undefined
}

/** Position of an option, for errors. */
export interface OptionOrigin {
  /** The usual word for the options, such as `config key`. */
  readonly what: string
  /** Keys on the way to the option, with dots. */
  readonly path: string
}

/** Kind of each option. */
export type OptionKinds<T> = { readonly [K in keyof T]-?: OptionKind<NonNullable<T[K]>> }

/** Options that have a value. */
export type OptionValues<T> = { [K in keyof T]?: NonNullable<T[K]> }

/**
 * Reads options out of data of any type: those that are named and have a value, each typed. Null counts as absent. Fails
 * with `invalid-config` for a value of another type, naming the key, what was given and what to give; `what` is the word
 * for a key in that error.
 */
export function readOptions<T extends object>(
  data: Readonly<Record<string, unknown>>,
  kinds: OptionKinds<T>,
  what: string = 'config key',
): OptionValues<T> {
  return readNested(data, kinds, { what, path: '' })
}

/** Reads options of an object inside another; see `readOptions`. */
export function readNested<T extends object>(
  data: Readonly<Record<string, unknown>>,
  kinds: OptionKinds<T>,
  { what, path }: OptionOrigin,
): OptionValues<T> {
  const out: OptionValues<T> = {}
  for (const key in kinds) {
    const value = data[key]
    if (value === undefined || value === null) continue
    const kind = kinds[key]
    const read = kind.read(value, { what, path: `${path}${key}.` })
    if (read === undefined) throw misfit(value, kind.expected, { what, path: path + key })
    out[key] = read
  }
  return out
}

function misfit(value: unknown, expected: string, { what, path }: OptionOrigin): XError {
  return new XError(
    'invalid-config',
    `the ${what} \`${path}\` cannot be used: it is ${described(value)}; give ${expected}`,
    { details: { key: path, expected } },
  )
}

function unknownKey(key: string, kinds: object, { what, path }: OptionOrigin): XError {
  const nearest = nearestName(key, Object.keys(kinds), true)
  return new XError(
    'invalid-config',
    `the ${what} \`${path}${key}\` is unknown: ${nearest ? `did you mean \`${nearest}\`?` : `choose among \`${Object.keys(kinds).join('`, `')}\``}`,
    { details: { key: path + key, nearest } },
  )
}

/** A value as an error may show it: a long text might be a secret. */
function described(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'string')
    return value.length > 20 ? `a text of ${value.length} characters` : `the text "${value}"`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const kind = <T>(expected: string, is: (value: unknown) => value is T): OptionKind<T> => ({
  expected,
  read: (value) => (is(value) ? value : undefined),
})

const isText = (value: unknown): value is string => typeof value === 'string'

/** Kinds of values for `readOptions`. */
export const option: {
  readonly boolean: OptionKind<boolean>
  readonly number: OptionKind<number>
  readonly text: OptionKind<string>
  readonly object: OptionKind<Record<string, unknown>>
  /** A list whose items are all of one kind. */
  list<T>(item: OptionKind<T>): OptionKind<readonly T[]>
  /** One of some values. */
  oneOf<const V extends readonly (string | number | boolean)[]>(...values: V): OptionKind<V[number]>
  /** A value of one of two kinds. */
  either<A, B>(a: OptionKind<A>, b: OptionKind<B>): OptionKind<A | B>
  /** An object with options of its own; other keys are left out. */
  shape<T extends object>(kinds: OptionKinds<T>, closed?: boolean): OptionKind<OptionValues<T>>
} = {
  boolean: kind('true or false', (value) => typeof value === 'boolean'),
  number: kind('a number', (value): value is number => typeof value === 'number' && !Number.isNaN(value)),
  text: kind('a text', isText),
  object: kind('an object', isRecord),
  list: (item) => ({
    expected: `a list, each item ${item.expected}`,
    read(value, { what, path }) {
      if (!Array.isArray(value)) return undefined
      const items = value.map((each: unknown, at) => item.read(each, { what, path: `${path}${at}.` }))
      return items.every((each) => each !== undefined) ? items : undefined
    },
  }),
  oneOf: <const V extends readonly (string | number | boolean)[]>(...values: V) =>
    kind(alternatives(values), (value): value is V[number] => values.some((each) => each === value)),
  either: (a, b) => ({
    expected: `${a.expected} or ${b.expected}`,
    read: (value, origin) => a.read(value, origin) ?? b.read(value, origin),
  }),
  shape: (kinds, closed = false) => ({
    expected: 'an object',
    read(value, origin) {
      if (!isRecord(value)) return undefined
      const unknown = closed ? Object.keys(value).find((key) => !Object.hasOwn(kinds, key)) : undefined
      if (unknown !== undefined) throw unknownKey(unknown, kinds, origin)
      return readNested(value, kinds, origin)
    },
  }),
}

function alternatives(values: readonly (string | number | boolean)[]): string {
  const words = values.map((value) => (isText(value) ? `'${value}'` : String(value)))
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
