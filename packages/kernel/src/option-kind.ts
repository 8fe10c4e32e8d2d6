/**
 * Describes the values that an option takes. A kind that leaves out a value of the option's type does not compile in a
 * table of `OptionKinds`.
 */
export interface OptionKind<in T> {
  /** Names the values, as in `a whole number of at least 1`. */
  readonly expected: string
  /** Whether the option takes a value. */
  readonly takes: (value: T) => boolean
  /** Says what to write in place of some wrong values; default: to give what is `expected`. */
  readonly remedy?: ((value: unknown) => string | undefined) | undefined
}

/** Describes every option of a type by its kind; the compiler refuses a table that is not in step with the type. */
export type OptionKinds<O> = { readonly [K in keyof Required<O>]: OptionKind<Exclude<O[K], undefined>> }

/** Seconds of an hour. */
const HOUR = 3600

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
  orNull<T>(its: OptionKind<T>): OptionKind<T | null>
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
      seconds > HOUR
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
