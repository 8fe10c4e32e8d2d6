import type { TokenRates } from '../../packages/interfaces/src/usage.ts'
import type { ModelPrice, TierRates } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { isAnswering, isEmbedding } from './is-answering.ts'
import { dollars, type SourceFacts } from './source-facts.ts'
import { ENDPOINTS, type PublicTable } from './sources.ts'
import { withTier } from './tier.ts'

type Row = Readonly<Record<string, unknown>>

const RATES: readonly (readonly [key: string, rate: keyof TokenRates])[] = [
  ['input_cost_per_token', 'input'],
  ['output_cost_per_token', 'output'],
  ['cache_read_input_token_cost', 'cached'],
  ['cache_creation_input_token_cost', 'cacheWrite'],
  ['cache_creation_input_token_cost_above_1hr', 'cacheWriteHour'],
  ['input_cost_per_audio_token', 'audioInput'],
  ['cache_read_input_audio_token_cost', 'cachedAudio'],
  ['output_cost_per_audio_token', 'audioOutput'],
  ['input_cost_per_image_token', 'imageInput'],
  ['output_cost_per_image_token', 'imageOutput'],
]

const TIERS: Readonly<Record<string, string>> = { flex: 'flex', priority: 'priority', batches: 'batch' }

const ABILITIES: Readonly<Record<string, string>> = {
  supports_function_calling: 'tools',
  supports_vision: 'images',
  supports_audio_input: 'audio',
  supports_reasoning: 'reasoning',
  supports_response_schema: 'schema',
}

/** Modes of models that answer chats; some of Google's image models do too. */
const CHAT_MODES = new Set(['chat', 'responses', 'completion'])

/** Reads the table inside LiteLLM. */
export function readLitellm(text: string, origin: string): PublicTable {
  const rows = Object.entries(JSON.parse(text) as Readonly<Record<string, Row>>)
  const models = new Map<string, Map<string, SourceFacts>>()
  for (const [endpoint, { litellm, prefix = `${litellm}/` }] of Object.entries(ENDPOINTS)) {
    const own = new Map<string, SourceFacts>()
    for (const [full, row] of rows) {
      if (row['litellm_provider'] !== litellm) continue
      const name = full.startsWith(prefix) ? full.slice(prefix.length) : full
      const makesImages = row['mode'] === 'image_generation' && name.startsWith('gemini-')
      if ((CHAT_MODES.has(String(row['mode'])) || makesImages) && isAnswering(name)) own.set(name, factsOf(row))
      if (row['mode'] === 'embedding' && isEmbedding(name)) own.set(name, embeddingFactsOf(row))
    }
    models.set(endpoint, own)
  }
  return { origin, models }
}

function factsOf(row: Row): SourceFacts {
  const price = priceOf(row)
  const window = count(row['max_input_tokens'])
  const maxOutput = count(row['max_output_tokens'])
  const abilities = Object.keys(ABILITIES).flatMap((key) => (row[key] === true ? [ABILITIES[key]!] : []))
  return {
    ...(window !== undefined && { contextWindow: window }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(price && { price }),
    ...(abilities.length > 0 && { abilities }),
  }
}

/** Returns the facts of a model whose answers are vectors, which have no tokens. */
function embeddingFactsOf(row: Row): SourceFacts {
  const window = count(row['max_input_tokens'])
  const input = row['input_cost_per_token']
  return {
    ...(window !== undefined && { contextWindow: window }),
    ...(typeof input === 'number' && input > 0 && { price: { input: dollars(input * 1e6), output: 0 } }),
  }
}

const count = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 ? value : undefined)

function priceOf(row: Row): ModelPrice | undefined {
  const usual = ratesOf(row, '')
  const { input, output } = usual
  if (input === undefined || output === undefined) return undefined
  const queries = row['search_context_cost_per_query'] as Readonly<Record<string, number>> | undefined
  const searches = queries && queries['search_context_size_medium']
  let price: ModelPrice = { ...usual, input, output, ...(searches && { searches: dollars(searches * 1000) }) }
  for (const [suffix, tier] of Object.entries(TIERS)) {
    const rates = ratesOf(row, `_${suffix}`)
    if (Object.keys(rates).length > 0) price = withTier(price, tier, rates)
  }
  const factors = row['provider_specific_entry'] as Readonly<Record<string, number>> | undefined
  for (const tier of ['fast', 'us']) {
    const factor = factors?.[tier]
    if (factor !== undefined && factor !== 1) price = { ...price, tiers: { ...price.tiers, [tier]: factor } }
  }
  return price
}

/** Reads the rates of a tier, and its rates for long requests. */
function ratesOf(row: Row, suffix: string): TierRates {
  const usual = read(row, '', suffix)
  const above = Object.keys(row)
    .map((key) => /^input_cost_per_token_above_(\d+)k_tokens$/u.exec(key)?.[1])
    .find((each) => each !== undefined)
  if (above === undefined) return usual
  const long = read(row, `_above_${above}k_tokens`, suffix)
  return Object.keys(long).length === 0 ? usual : { ...usual, long: { above: Number(above) * 1000, ...long } }
}

function read(row: Row, long: string, suffix: string): Partial<TokenRates> {
  const entries = RATES.flatMap(([key, rate]) => {
    const value = row[key + long + suffix]
    return typeof value === 'number' ? [[rate, dollars(value * 1e6)] as const] : []
  })
  return Object.fromEntries(entries)
}
