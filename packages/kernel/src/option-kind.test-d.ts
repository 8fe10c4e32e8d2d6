import { expectTypeOf } from 'vitest'
import { kind, type OptionKinds } from './options.ts'

interface Options {
  readonly limit?: number | null | undefined
  readonly mode?: 'fast' | 'slow' | undefined
  readonly make?: ((name: string) => number) | undefined
}

const KINDS: OptionKinds<Options> = {
  limit: kind.orNull(kind.whole(0)),
  mode: kind.oneOf('fast', 'slow'),
  make: kind.call,
}
expectTypeOf(KINDS.limit.expected).toBeString()

// @ts-expect-error A table without an option of the type.
export const missing: OptionKinds<Options> = { limit: KINDS.limit, mode: KINDS.mode }
// @ts-expect-error A kind that leaves out a value of the type.
export const withoutNull: OptionKinds<Options> = { ...KINDS, limit: kind.whole(0) }
// @ts-expect-error A word is missing.
export const withoutWord: OptionKinds<Options> = { ...KINDS, mode: kind.oneOf('fast') }
// @ts-expect-error An option that the type does not have.
export const further: OptionKinds<Options> = { ...KINDS, other: kind.any }
