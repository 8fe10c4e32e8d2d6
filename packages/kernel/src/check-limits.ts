import type { RateLimits } from '@x/interfaces'
import { checkOptions } from './check-options.ts'
import { kind, type OptionKinds } from './option-kind.ts'
import { XError } from './x-error.ts'

const KINDS: OptionKinds<RateLimits> = {
  requests: kind.whole(1),
  tokens: kind.whole(1),
  inFlight: kind.whole(1),
  per: {
    expected: 'a finite number of seconds above 0',
    takes: (value) => Number.isFinite(value) && value > 0,
  },
}

/** Refuses limits that are none, for what is attempted. */
export function checkLimits(limits: unknown, attempt: string): void {
  const isObject = typeof limits === 'object' && limits !== null && !Array.isArray(limits)
  const entries = isObject ? Object.entries(limits) : []
  if (entries.length === 0) {
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: give limits by the name of the model, as in { 'gpt-5': { requests: 500, tokens: 2_000_000, inFlight: 100 } }`,
    )
  }
  for (const [model, own] of entries) {
    checkOptions((own as object | undefined) ?? null, KINDS, `${attempt} for \`${model}\``)
    const { requests, tokens, inFlight } = own as RateLimits
    if (requests !== undefined || tokens !== undefined || inFlight !== undefined) continue
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: \`${model}\` has no limit; give \`requests\`, \`tokens\` or \`inFlight\``,
    )
  }
}
