import { XError } from '@x/kernel'
import { nearestName } from '@x/kernel/options'
import { isRecord } from './wire-values.ts'

/** Kind of value that an option takes. */
export interface OptionKind<T> {
  /** The kind in words; an error says "give" before it. */
  readonly expected: string
  /** Returns the typed value; undefined for a value of another kind. */
  read(value: unknown, origin: OptionOrigin): T | undefined
}

/** Position of an option, for errors. */
export interface OptionOrigin {
  /** Word for an option in errors, such as `config key`. */
  readonly what: string
  /** Keys on the way to the option, with dots. */
  readonly path: string
}

/** Kind of each option. */
export type OptionKinds<T> = { readonly [K in keyof T]-?: OptionKind<NonNullable<T[K]>> }

/** The options that have a value. */
export type OptionValues<T> = { [K in keyof T]?: NonNullable<T[K]> }

/**
 * Reads the named options that have a value out of data of any type. Null counts as absent. Fails with `invalid-config` for
 * a value of another type, naming the key, the value and the expected kind; `what` is the word for a key in that error.
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
    if (read === undefined) throw wrongKind(value, kind.expected, { what, path: path + key })
    out[key] = read
  }
  return out
}

function wrongKind(value: unknown, expected: string, { what, path }: OptionOrigin): XError {
  return new XError(
    'invalid-config',
    `the ${what} \`${path}\` cannot be used: it is ${describeValue(value)}; give ${expected}`,
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

/** Characters of a text that an error shows; a longer one is described by its length. */
const MAX_SHOWN_CHARS = 20

/** Describes a value for an error without its text if it is long: that might be a secret. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'string')
    return value.length > MAX_SHOWN_CHARS ? `a text of ${value.length} characters` : `the text "${value}"`
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
  /** A list of items of one kind. */
  list<T>(item: OptionKind<T>): OptionKind<readonly T[]>
  /** One of some values. */
  oneOf<const V extends readonly (string | number | boolean)[]>(...values: V): OptionKind<V[number]>
  /** A value of one of two kinds. */
  either<A, B>(a: OptionKind<A>, b: OptionKind<B>): OptionKind<A | B>
  /** An object with options; other keys are left out, or refused if it is `closed`. */
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
      const items = value.map((element: unknown, at) => item.read(element, { what, path: `${path}${at}.` }))
      return items.every((element) => element !== undefined) ? items : undefined
    },
  }),
  oneOf: <const V extends readonly (string | number | boolean)[]>(...values: V) =>
    kind(alternatives(values), (value): value is V[number] => values.includes(value as V[number])),
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
