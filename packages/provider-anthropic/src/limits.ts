import type { CheckedParams, LowerContext } from '@x/provider-kit'
import type { AnthropicModelFamily } from './family.ts'
import type { Thinking } from './thinking.ts'

/** Sampling parameters of a request. */
interface Sampling {
  temperature?: number | undefined
  top_p?: number | undefined
  top_k?: number | undefined
}

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const

/** Length, stop texts and sampling as the provider takes them. */
export interface Limits extends Sampling {
  readonly max_tokens: number
  readonly stop_sequences?: readonly string[]
}

/** Model that is asked, and where to warn. */
export interface LimitContext {
  readonly family: AnthropicModelFamily
  readonly model: string
  readonly warn: LowerContext['warn']
}

/** Returns length, stop texts and sampling as the model takes them. */
export function lowerLimits(
  params: CheckedParams,
  { budget, on }: Thinking,
  { family, model, warn }: LimitContext,
): Limits {
  const { stop, temperature, top_p: topP, top_k: topK } = params
  const asked = params.max_completion_tokens ?? params.max_tokens
  if (asked === undefined && !family.known) {
    warn('max_tokens', `\`${model}\` is not known: \`max_tokens\` was taken to be ${family.maxTokens}; set it`)
  }
  const wanted = (asked ?? family.maxTokens) + (asked === undefined && family.known ? 0 : budget)
  const most = family.known ? Math.min(wanted, family.maxTokens) : wanted
  if (asked !== undefined && asked > most) {
    warn('max_tokens', `\`${model}\` gives at most ${family.maxTokens} tokens: \`max_tokens\` was lowered`)
  }
  // A blank stop text is refused.
  const stops = [stop ?? []].flat().filter((text) => text.trim() !== '')
  const sampling: Sampling = { temperature: clamped(temperature, warn), top_p: topP, top_k: topK }
  const refused = on ? SAMPLING : refusedSampling(family, sampling)
  for (const key of refused) {
    if (sampling[key] === undefined) continue
    delete sampling[key]
    warnLeftOut(key, model, warn)
  }
  return {
    max_tokens: most,
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)),
  }
}

/** Temperatures above 1 are other providers'. */
function clamped(temperature: number | undefined, warn: LowerContext['warn']): number | undefined {
  if (temperature === undefined || (temperature >= 0 && temperature <= 1)) return temperature
  warn('temperature', `\`temperature: ${temperature}\` is out of range: it was brought to 0 to 1`)
  return Math.min(1, Math.max(0, temperature))
}

function refusedSampling({ sampling }: AnthropicModelFamily, { temperature }: Sampling): readonly (keyof Sampling)[] {
  if (sampling === 'none') return SAMPLING
  return sampling === 'one' && temperature !== undefined ? ['top_p'] : []
}

/** Warns that a parameter was left out. */
export function warnLeftOut(key: string, model: string, warn: LowerContext['warn']): void {
  warn('parameter', `\`${model}\` does not take \`${key}\`: it was left out`)
}
