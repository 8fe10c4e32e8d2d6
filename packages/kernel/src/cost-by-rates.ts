import type { AnswerUsage, TokenRates } from '@x/interfaces'

/** Names of the rates that a price may have. */
export const RATE_NAMES: readonly (keyof TokenRates)[] = Object.freeze([
  'input',
  'output',
  'cached',
  'cacheWrite',
  'cacheWriteHour',
  'audioInput',
  'cachedAudio',
  'audioOutput',
  'imageInput',
  'imageOutput',
  'searches',
])

/**
 * Returns the cost of some usage in US dollars. Cached, cache-written, audio and image tokens are part of the input,
 * reasoning tokens of the output.
 */
export function costByRates(rates: TokenRates, usage: AnswerUsage): number {
  const { input, output, cached = input, cacheWrite = input } = rates
  const prompt = finite(usage.prompt_tokens)
  const read = Math.min(finite(usage.cached_tokens), prompt)
  const written = Math.min(finite(usage.cache_write_tokens), prompt - read)
  const fresh = prompt - read - written
  const sum = fresh * input + read * cached + written * cacheWrite + finite(usage.completion_tokens) * output
  return (sum + surcharges(rates, usage)) / 1e6
}

/** Returns what some tokens cost more than the others of their side, times a million. */
function surcharges(rates: TokenRates, usage: AnswerUsage): number {
  const { input, output, cached = input, cacheWrite = input } = rates
  const audio = finite(usage.audio_prompt_tokens)
  const cachedAudio = Math.min(finite(usage.cached_audio_tokens), audio)
  return (
    finite(usage.searches) * (rates.searches ?? 0) * 1000 +
    finite(usage.cache_write_hour_tokens) * ((rates.cacheWriteHour ?? cacheWrite) - cacheWrite) +
    (audio - cachedAudio) * ((rates.audioInput ?? input) - input) +
    cachedAudio * ((rates.cachedAudio ?? cached) - cached) +
    finite(usage.image_prompt_tokens) * ((rates.imageInput ?? input) - input) +
    finite(usage.audio_completion_tokens) * ((rates.audioOutput ?? output) - output) +
    finite(usage.image_completion_tokens) * ((rates.imageOutput ?? output) - output)
  )
}

/** Returns a count or a sum; 0 for one that is missing or wrong. */
export const finite = (count: number | undefined): number =>
  count !== undefined && Number.isFinite(count) && count > 0 ? count : 0
