import { XError } from '@x/kernel'
import type { OptionKinds } from '@x/kernel/options'

type NumberKind = OptionKinds<{ value: number }>['value']

/** A share, above 0 and at most 1. */
export const SHARE_KIND: NumberKind = {
  expected: 'a share above 0 and at most 1',
  takes: (value) => typeof value === 'number' && value > 0 && value <= 1,
}

/** A share of the window up to 1, or a count of tokens above 1. */
export const TOKENS_KIND: NumberKind = {
  expected: 'a number of tokens, or a share of the window up to 1',
  takes: (value) => typeof value === 'number' && value > 0,
}

/** Throws if the only argument of a view is not a number of the kind. */
export function requireNumber(value: unknown, { expected, takes }: NumberKind, view: string): void {
  if (takes(value as number)) return
  throw new XError('invalid-argument', `cannot run \`${view}\` with ${String(value)}: give ${expected}`)
}
