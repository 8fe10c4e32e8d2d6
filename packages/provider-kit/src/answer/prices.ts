import type { AnswerUsage } from '@x/interfaces'

/** Prices of one model, in US dollars per 1,000,000 tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Input tokens that the provider reads from its cache; default: as `input`. */
  readonly cached?: number | undefined
  /** Input tokens that the provider writes to its cache; default: as `input`. */
  readonly cacheWrite?: number | undefined
  /** Prices of a request with more input tokens than `above`. */
  readonly long?: (Omit<ModelPrice, 'long'> & { readonly above: number }) | undefined
}

/** Prices by model name, and the day they were looked up. */
export interface PriceTable {
  /** ISO date. */
  readonly date: string
  readonly models: Readonly<Record<string, ModelPrice>>
}

/** Dated and tagged names of a model: `-2025-08-07`, `-0613`, `-latest`, `:tag`. */
const SUFFIX = /^(?:-\d{4}-\d{2}-\d{2}|-\d{4,8}|-latest|:[\w.-]+)$/u

/** Finds the price of a model; a dated name has the price of the name without its date. */
export function priceOf({ models }: PriceTable, model: string): ModelPrice | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1)
  if (Object.hasOwn(models, name)) return models[name]
  const known = Object.keys(models).filter(
    (prefix) => name.startsWith(prefix) && SUFFIX.test(name.slice(prefix.length)),
  )
  const longest = known.sort((a, b) => b.length - a.length)[0]
  return longest === undefined ? undefined : models[longest]
}

/** Cost of some usage in US dollars. Cached and cache-written tokens are part of the input, reasoning tokens of the output. */
export function costOf(price: ModelPrice, usage: AnswerUsage): number {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  const {
    input,
    output,
    cached = input,
    cacheWrite = input,
  } = price.long && prompt > price.long.above ? price.long : price
  const read = Math.min(usage.cached_tokens ?? 0, prompt)
  const written = Math.min(usage.cache_write_tokens ?? 0, prompt - read)
  const fresh = prompt - read - written
  return (fresh * input + read * cached + written * cacheWrite + completion * output) / 1e6
}
