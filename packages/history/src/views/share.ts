import { XError } from '@x/kernel'
import type { OptionKinds } from '@x/kernel/options'

/** A share, above 0 and at most 1. */
export const SHARE: OptionKinds<{ its: number }>['its'] = {
  expected: 'a share above 0 and at most 1',
  takes: (value) => typeof value === 'number' && value > 0 && value <= 1,
}

/** A share up to 1, or a count above it. */
export const TOKENS: OptionKinds<{ its: number }>['its'] = {
  expected: 'a number of tokens, or a share of the window up to 1',
  takes: (value) => typeof value === 'number' && value > 0,
}

/** Refuses a number that an option of the same meaning would refuse. */
export function requireNumber(
  value: unknown,
  { expected, takes }: OptionKinds<{ its: number }>['its'],
  of: string,
): void {
  if (takes(value as number)) return
  throw new XError('invalid-argument', `cannot run \`${of}\` with ${String(value)}: give ${expected}`)
}
