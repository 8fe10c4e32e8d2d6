import type { EventOptions, RunOptions } from '@x/interfaces'
import { XError } from './x-error.ts'

/**
 * Describes the values that an option takes. In a table of `OptionKinds`, a kind that leaves out a value of the
 * option's type does not compile.
 */
export interface OptionKind<in T> {
  /** Names the values, as in `a whole number of at least 1`. */
  readonly expected: string
  /** Tells whether the option takes a value. */
  readonly takes: (value: T) => boolean
  /** Says what to write in place of some wrong values; default: to give what is `expected`. */
  readonly remedy?: ((value: unknown) => string | undefined) | undefined
  /** True for an option that errors of unknown ones do not list. */
  readonly isQuiet?: boolean | undefined
}

/** Describes every option of a type by its kind; the compiler refuses a table that is not in step with the type. */
export type OptionKinds<O> = { readonly [K in keyof Required<O>]: OptionKind<Exclude<O[K], undefined>> }

/** Seconds of an hour. */
const HOUR_S = 3600

type Callable = (...args: never) => unknown

function numbers(article: string, lowest: number, isOne: (value: number) => boolean): OptionKind<number> {
  return {
    expected: `${article} of at least ${lowest}`,
    takes: (value) => typeof value === 'number' && value >= lowest && isOne(value),
  }
}

/** Kinds of options. */
export const kind: {
  readonly any: OptionKind<unknown>
  readonly flag: OptionKind<boolean>
  readonly text: OptionKind<string>
  readonly call: OptionKind<Callable>
  readonly object: OptionKind<object>
  readonly list: OptionKind<readonly unknown[]>
  /** A number above 0. */
  readonly positive: OptionKind<number>
  /** Seconds above 0; its `warning` says that a time-out above an hour was probably meant in milliseconds. */
  readonly timeout: OptionKind<number> & { warning(what: string, seconds: number): string | undefined }
  /** A finite number. */
  readonly finite: OptionKind<number>
  /** A number, `Infinity` included. */
  number(lowest: number): OptionKind<number>
  /** A whole number. */
  whole(lowest: number): OptionKind<number>
  /** A whole number, or `Infinity` for no limit. */
  limit(lowest: number): OptionKind<number>
  oneOf<const V extends readonly (string | number | boolean)[]>(...values: V): OptionKind<V[number]>
  /** An object with these methods. */
  having(expected: string, ...methods: readonly string[]): OptionKind<object>
  /** A value of another kind, or null. */
  orNull<T>(inner: OptionKind<T>): OptionKind<T | null>
  either<A, B>(one: OptionKind<A>, other: OptionKind<B>): OptionKind<A | B>
} = {
  any: { expected: 'a value', takes: () => true },
  flag: { expected: 'true or false', takes: (value) => typeof value === 'boolean' },
  text: { expected: 'a text', takes: (value) => typeof value === 'string' },
  call: { expected: 'a function', takes: (value) => typeof value === 'function' },
  object: { expected: 'an object', takes: (value) => isObject(value) && !Array.isArray(value) },
  list: { expected: 'a list', takes: Array.isArray },
  positive: { expected: 'a number above 0', takes: (value) => typeof value === 'number' && value > 0 },
  timeout: {
    expected: 'a number of seconds above 0',
    takes: (value) => typeof value === 'number' && value > 0,
    warning: (what, seconds) =>
      seconds > HOUR_S
        ? `${what} is ${seconds} seconds, which is ${Math.round(seconds / 360) / 10} hours: it is in seconds, not in milliseconds`
        : undefined,
  },
  finite: { expected: 'a finite number', takes: Number.isFinite },
  number: (lowest) => numbers('a number', lowest, () => true),
  whole: (lowest) => numbers('a whole number', lowest, Number.isInteger),
  limit: (lowest) =>
    numbers('a whole number', lowest, (value) => Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
  oneOf: (...values) => ({
    expected: values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' or '),
    takes: (value) => values.includes(value),
  }),
  having: (expected, ...methods) => ({
    expected,
    takes: (value) =>
      isObject(value) && methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  }),
  orNull: ({ expected, takes, remedy }) => ({
    expected: `${expected}, or null`,
    takes: (value) => value === null || takes(value),
    remedy,
  }),
  either: (one, other) => ({
    expected: `${one.expected}, or ${other.expected}`,
    takes: (value) => one.takes(value as never) || other.takes(value as never),
    remedy: (value) => one.remedy?.(value) ?? other.remedy?.(value),
  }),
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/**
 * Words of other libraries for options, with what to write here. A key may be several words, between spaces; undefined:
 * the usual sentence.
 */
type ForeignWords = Readonly<Record<string, string | ((value: unknown, options: object) => string | undefined)>>

/**
 * Refuses unknown keys and values of another kind with `invalid-argument`, the key, and what to write in its place.
 * `what` says what the options are for, as in `` run `search` ``. `more` says on what, or has words of other libraries.
 * An undefined option is absent, whatever its name.
 */
export function checkOptions<O>(
  options: unknown,
  kinds: OptionKinds<O>,
  what: string,
  more?: string | ForeignWords,
): void {
  if (options === undefined) return
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new XError('invalid-argument', `${attempt(what, more)}: ${notAnObject(options, kinds)}`)
  }
  for (const key in options) {
    const value = (options as Record<string, unknown>)[key]
    // What objects inherit, such as `constructor`, takes nothing.
    if (value === undefined || (kinds as Kinds)[key]?.takes?.(value as never) === true) continue
    // Platform objects such as an `AbortController`, which may stand for `{ signal }`, inherit enumerable methods.
    if (!Object.hasOwn(options, key)) continue
    const isForeign = typeof more === 'object' && !Object.hasOwn(kinds, key)
    const remedy = isForeign ? foreignRemedy(key, options, more) : undefined
    if (remedy !== undefined) throw unknownOption(attempt(what, more), remedy, { option: key })
    throw refusal(key, value, kinds, attempt(what, more))
  }
}

type Kinds = Readonly<Record<string, OptionKind<never> | undefined>>

const attempt = (what: string, more: string | ForeignWords | undefined): string =>
  `cannot ${what}${typeof more === 'string' ? ` of \`${more}\`` : ''}`

/** Returns what to write for an option by its word in another library, in camelCase or snake_case; undefined if it is none. */
function foreignRemedy(option: string, options: object, words: ForeignWords): string | undefined {
  const known = new Map(Object.entries(words).flatMap(([key, text]) => key.split(' ').map((word) => [word, text])))
  const remedy = known.get(option) ?? known.get(camelCase(option))
  return typeof remedy === 'function' ? remedy((options as Record<string, unknown>)[option], options) : remedy
}

const camelCase = (word: string): string =>
  word.replaceAll(/_([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase())

/** Says that an option is unknown, and what to write in its place. */
const unknownOption = (attempted: string, remedy: string, details: { readonly option: string }): XError =>
  new XError('invalid-argument', `${attempted}: the option \`${details.option}\` is unknown; ${remedy}`, { details })

function refusal(key: string, value: unknown, kinds: Kinds, attempted: string): XError {
  if (Object.hasOwn(kinds, key)) {
    const text = `${attempted}: ${wrongValue(key, value, kinds[key]!)}`
    return new XError('invalid-argument', text, { details: { option: key } })
  }
  const known = Object.keys(kinds).filter((each) => !kinds[each]?.isQuiet)
  const nearest = nearestName(key, known, true)
  const details = { option: key, nearest, known }
  return unknownOption(attempted, remedyOfUnknown(nearest, known), details)
}

const remedyOfUnknown = (nearest: string | undefined, known: readonly string[]): string =>
  nearest ? `did you mean \`${nearest}\`?` : `it takes \`${known.join('`, `')}\``

function notAnObject(value: unknown, kinds: Kinds): string {
  const first = Object.keys(kinds)[0]
  const isPlain = typeof value === 'string' || typeof value === 'number'
  const isFirst = isPlain && first !== undefined && kinds[first]!.takes(value as never)
  const example = isFirst ? `${first}: ${shown(value)}` : '…'
  return `its options are ${shown(value)}; give an object, such as { ${example} }`
}

function wrongValue(key: string, value: unknown, kind: OptionKind<never>): string {
  return `\`${key}\` is ${shown(value)}; ${kind.remedy?.(value) ?? defaultRemedy(key, value, kind)}`
}

/** Says what to write by the kind alone: a number that was given as a text, or as dollars, is shown as it should be. */
function defaultRemedy(key: string, value: unknown, { expected, takes }: OptionKind<never>): string {
  const digits = typeof value === 'string' ? /^\$?(\d{1,9}(?:\.\d{1,9})?)$/u.exec(value)?.[1] : undefined
  return digits && takes(Number(digits) as never) ? `write \`${key}: ${digits}\`, without quotes` : `give ${expected}`
}

/** Shows a value in an error; a longer text may be a secret. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length <= 12 ? `'${value}'` : 'a text'
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function signalRemedy(value: unknown): string | undefined {
  if (typeof value === 'number') return `write \`signal: AbortSignal.timeout(${value})\`, in milliseconds`
  const isController = typeof value === 'object' && value !== null && 'signal' in value && 'abort' in value
  return isController ? 'give the `signal` of the controller' : undefined
}

const EVENT_KINDS: OptionKinds<EventOptions> = {
  content: kind.flag,
  redact: kind.call,
  maxTextLength: kind.limit(0),
  recalled: kind.flag,
}

/** Says which option of `events` is unknown or wrong: content that a misspelt one was to hold back would leave the run. */
function problemOfEvents(events: EventOptions): string | undefined {
  if (!kind.object.takes(events)) return undefined
  const known = Object.keys(EVENT_KINDS)
  for (const [key, value] of Object.entries(events)) {
    if (value === undefined) continue
    if (!known.includes(key))
      return `its option \`${key}\` is unknown; ${remedyOfUnknown(nearestName(key, known, true), known)}`
    const each = (EVENT_KINDS as Kinds)[key]!
    if (!each.takes(value as never)) return `its ${wrongValue(key, value, each)}`
  }
  return undefined
}

/** Kinds of the options that every asynchronous operation has. `checkRunOptions` tells a run from a copy of one. */
export const runOptionKinds: OptionKinds<RunOptions> = {
  run: kind.any,
  signal: { ...kind.having('an `AbortSignal`', 'addEventListener'), remedy: signalRemedy },
  emit: kind.call,
  events: {
    expected: 'an object, as in { content: false }',
    takes: (value) => kind.object.takes(value) && problemOfEvents(value) === undefined,
    remedy: (value) =>
      typeof value === 'function' ? 'write `emit`, which gets every event' : problemOfEvents(value as EventOptions),
  },
  tracer: kind.having('a tracer, such as `traceRuns()`', 'begin'),
}

/** Marks options whose `signal` is that of their `run`: to read it would make it, with a controller. */
export const SIGNAL_OF_RUN: unique symbol = Symbol('signal of the run')

/**
 * Finds the candidate that a misspelt name likely means; undefined when none is near enough. A name that is wrong in
 * any case may be a letter further off.
 */
export function nearestName(name: string, candidates: Iterable<string>, isWrong = false): string | undefined {
  const plain = letters(name)
  let best: string | undefined
  let least = (plain.length >= 8 ? 3 : plain.length >= 6 ? 2 : 1) + (isWrong ? 1 : 0)
  for (const candidate of candidates) {
    const far = distance(plain, letters(candidate), least)
    if (far < least) {
      least = far
      best = candidate
    }
  }
  return best
}

const letters = (name: string): string => name.replaceAll(/[^a-z0-9]/giu, '').toLowerCase()

/** Number of letters to insert, drop, replace or swap with a neighbour, up to a bound. */
function distance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1)
      next.push(cost)
    }
    before = row
    row = next
  }
  return row[b.length]!
}

/** Versions of a platform, as in `process.versions`. */
type Versions = Readonly<Record<string, string | undefined>>

/** Says that Node is too old for this framework; null for a newer one, and for other platforms, whose number of Node is only a claim. */
export function oldNodeText({ node, bun, deno, workerd }: Versions): string | null {
  if (node === undefined || (bun ?? deno ?? workerd) !== undefined) return null
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 19) ? null : `@x needs Node 22.19 or newer, and this is Node ${node}`
}

// Said at the first import: on an older Node a call fails in the middle, at a function that it does not have.
const text = oldNodeText(globalThis.process?.versions ?? {})
if (text !== null) globalThis.process.stderr.write(`${text}\n`)
