import type { TokenRates } from '../../packages/interfaces/src/usage.ts'
import type { TierRates } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { isEmbedding } from './is-answering.ts'
import { readPython, type PythonCall } from './read-python.ts'
import { dollars, present, type SourceFacts } from './source-facts.ts'
import { ENDPOINTS, type PublicTable } from './sources.ts'
import { withTier } from './tier.ts'

const RATES: Readonly<Record<string, keyof TokenRates>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cached',
  cache_write_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWriteHour',
  input_audio_mtok: 'audioInput',
  cache_audio_read_mtok: 'cachedAudio',
  output_audio_mtok: 'audioOutput',
  input_image_mtok: 'imageInput',
  output_image_mtok: 'imageOutput',
  web_searches_kcount: 'searches',
}

/** Reads the table of `genai-prices`, a Python module, with the prices of today. */
export function readGenaiPrices(source: string, origin: string, today: string): PublicTable {
  const list = readPython(
    source,
    source.indexOf('[', source.indexOf(' = ', source.indexOf('providers:'))),
  ) as PythonCall[]
  const models = new Map<string, Map<string, SourceFacts>>()
  for (const [endpoint, { genaiPrices }] of Object.entries(ENDPOINTS)) {
    const provider = list.find(({ id }) => id === genaiPrices)
    const rows = (provider?.['models'] ?? []) as readonly PythonCall[]
    models.set(
      endpoint,
      new Map(rows.flatMap((row) => namesOf(row).map((name) => [name, withoutOutput(name, factsOf(row, today))]))),
    )
  }
  return { origin, models }
}

/** Returns the facts of a model, without a price of output for one that returns vectors. */
function withoutOutput(name: string, facts: SourceFacts): SourceFacts {
  const { price } = facts
  return price && isEmbedding(name) ? { ...facts, price: { ...price, output: 0 } } : facts
}

/** Returns the name of a model and its aliases. */
function namesOf({ id, match }: PythonCall): string[] {
  const names = new Set([textOf(id)])
  const visit = (clause: PythonCall): void => {
    if (clause.call === 'ClauseEquals') names.add(textOf(clause['equals']))
    if (clause.call === 'ClauseOr') for (const each of clause['or_'] as readonly PythonCall[]) visit(each)
  }
  if (match) visit(match as PythonCall)
  return [...names]
}

function factsOf(row: PythonCall, today: string): SourceFacts {
  const standard = pricesOf(row['prices'], today)
  let price = standard
  for (const variant of (row['price_variants'] ?? []) as readonly PythonCall[]) {
    const tier = tierOf(variant['when'] as Readonly<Record<string, string>>)
    const rates = isInForce(variant, today) ? pricesOf(variant['prices'], today) : undefined
    if (tier && rates && price) price = withTier(price, tier, rates)
  }
  const contextWindow = row['context_window']
  return {
    ...(typeof contextWindow === 'number' && { contextWindow }),
    ...(price && { price }),
  }
}

/** `default` is the explicit name of the standard tier. */
function tierOf(when: Readonly<Record<string, string>>): string | undefined {
  const tier = when['processing'] ?? when['service_tier'] ?? when['speed']
  return tier === 'default' ? undefined : tier
}

function isInForce({ constraint }: PythonCall, today: string): boolean {
  if (!constraint) return true
  const { call, start_date: start } = constraint as PythonCall
  return call === 'StartDateConstraint' && textOf(start) <= today
}

/** Returns prices without the rates for certain hours of the day, or undefined if there is no price for tokens. */
function pricesOf(prices: unknown, today: string): (TierRates & TokenRates) | undefined {
  const list = (Array.isArray(prices) ? prices : [{ call: 'ConditionalPrice', prices }]) as readonly PythonCall[]
  const inForce = list.findLast((each) => isInForce(each, today))
  const call = inForce?.['prices'] as PythonCall | undefined
  if (!call) return undefined
  const usual: Partial<Record<keyof TokenRates, number>> = {}
  const long: Partial<Record<keyof TokenRates | 'above', number>> = {}
  for (const [key, name] of Object.entries(RATES)) {
    const value = call[key]
    if (typeof value === 'number') usual[name] = dollars(value)
    if (typeof value !== 'object' || value === null) continue
    const { base, tiers } = value as unknown as { base: number; tiers: readonly { start: number; price: number }[] }
    usual[name] = dollars(base)
    const [first] = tiers
    if (first) Object.assign(long, { above: first.start, [name]: dollars(first.price) })
  }
  if (usual.input === undefined && usual.output === undefined) return undefined
  return {
    input: 0,
    output: 0,
    ...usual,
    ...(present(long) && { long: { input: usual.input ?? 0, output: usual.output ?? 0, ...long } as never }),
  }
}

const textOf = (value: PythonCall[string]): string => (typeof value === 'string' ? value : '')
