/** An exact fraction in lowest terms with a positive denominator. */
export type Rational = readonly [numerator: number, denominator: number]

const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) || 1 : gcd(b, a % b))

/** Makes a fraction in lowest terms. */
export function rational(numerator: number, denominator: number = 1): Rational {
  const sign = denominator < 0 ? -1 : 1
  const divisor = gcd(numerator, denominator)
  return [(sign * numerator) / divisor, (sign * denominator) / divisor]
}

/** The four operations by their signs; a division by zero returns null. */
export const OPERATIONS: Readonly<Record<string, (a: Rational, b: Rational) => Rational | null>> = {
  '+': (a, b) => rational(a[0] * b[1] + b[0] * a[1], a[1] * b[1]),
  '-': (a, b) => rational(a[0] * b[1] - b[0] * a[1], a[1] * b[1]),
  '*': (a, b) => rational(a[0] * b[0], a[1] * b[1]),
  '/': (a, b) => (b[0] === 0 ? null : rational(a[0] * b[1], a[1] * b[0])),
}

/** Compares two fractions; negative if the first is smaller. */
export const compare = (a: Rational, b: Rational): number => a[0] * b[1] - b[0] * a[1]

/** Writes `7` or `7/2`. */
export const show = ([numerator, denominator]: Rational): string =>
  denominator === 1 ? String(numerator) : `${numerator}/${denominator}`

/** Reads `7` or `7/2`; null for any other text. */
export function readRational(text: string): Rational | null {
  const match = /^(-?\d+)(?:\/(\d+))?$/.exec(text.trim())
  if (!match || match[2] === '0') return null
  return rational(Number(match[1]), Number(match[2] ?? 1))
}
