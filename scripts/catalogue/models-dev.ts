import type { ModelPrice } from '../../packages/provider-kit/src/catalogue/model-facts.ts'
import { isAnswering } from './is-answering.ts'
import { dollars, type SourceFacts } from './source-facts.ts'
import { ENDPOINTS, type PublicTable } from './sources.ts'

/** Names of endpoints in models.dev. */
const IDS: Readonly<Record<string, string>> = {
  fireworks: 'fireworks-ai',
  perplexity: 'perplexity',
  together: 'togetherai',
}

/** A model of models.dev. */
interface ApiRow {
  readonly id: string
  readonly reasoning?: boolean
  readonly tool_call?: boolean
  readonly structured_output?: boolean
  readonly modalities?: { readonly input?: readonly string[]; readonly output?: readonly string[] }
  readonly cost?: ApiRates & { readonly context_over_200k?: ApiRates }
  readonly limit?: { readonly context?: number; readonly output?: number }
}

interface ApiRates {
  readonly input?: number
  readonly output?: number
  readonly cache_read?: number
  readonly cache_write?: number
  readonly input_audio?: number
  readonly output_audio?: number
}

/** A model in the npm package that copies models.dev. */
interface Row {
  readonly id: string
  readonly type?: string
  readonly reasoning?: boolean
  readonly input?: readonly string[]
  readonly cost?: Rates & { readonly tiers?: readonly (Rates & { readonly inputTokensAbove: number })[] }
  readonly contextWindow?: number
  readonly maxTokens?: number
}

interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** Reads the files of the npm package that copies models.dev, by name without extension. */
export function readModelsDev(files: ReadonlyMap<string, string>, origin: string): PublicTable {
  const models = new Map<string, Map<string, SourceFacts>>()
  for (const [endpoint, { modelsDev }] of Object.entries(ENDPOINTS)) {
    const text = modelsDev === undefined ? undefined : files.get(modelsDev)
    const groups = Object.values(JSON.parse(text ?? '{}') as Readonly<Record<string, Readonly<Record<string, Row>>>>)
    const rows = groups
      .flatMap((group) => Object.values(group))
      .filter(({ type, id }) => type === 'chat' && isAnswering(id))
    models.set(endpoint, new Map(rows.map((row) => [row.id, factsOf(row)])))
  }
  return { origin, models }
}

function factsOf({ cost, contextWindow, maxTokens, reasoning, input = [] }: Row): SourceFacts {
  const price = cost && priceOf(cost)
  return {
    ...(contextWindow && { contextWindow }),
    ...(maxTokens && { maxOutput: maxTokens }),
    ...(price && { price }),
    // The package lists only models that can call tools.
    abilities: ['tools', ...(input.includes('image') ? ['images'] : []), ...(reasoning ? ['reasoning'] : [])],
  }
}

/** Drops zeros, which stand for unknown prices: a free model says so in its name, and needs no price. */
function priceOf({ tiers = [], ...usual }: NonNullable<Row['cost']>): ModelPrice | undefined {
  const rates = ratesOf(usual)
  if (rates.input === 0 && rates.output === 0) return undefined
  const [tier] = tiers
  return { ...rates, ...(tier && { long: { above: tier.inputTokensAbove, ...ratesOf(tier) } }) }
}

const ratesOf = ({ input, output, cacheRead, cacheWrite }: Rates): { input: number; output: number } => ({
  input: dollars(input),
  output: dollars(output),
  ...(cacheRead && { cached: dollars(cacheRead) }),
  ...(cacheWrite && { cacheWrite: dollars(cacheWrite) }),
})

/** Reads the table of models.dev itself. */
export function readModelsDevApi(text: string): PublicTable {
  const providers = JSON.parse(text) as Readonly<Record<string, { models: Readonly<Record<string, ApiRow>> }>>
  const models = new Map<string, Map<string, SourceFacts>>()
  for (const [endpoint, { modelsDev }] of Object.entries(ENDPOINTS)) {
    const rows = Object.values(providers[IDS[endpoint] ?? modelsDev ?? '']?.models ?? {})
    const answering = rows.filter(
      ({ id, modalities }) => isAnswering(id) && modalities?.output?.includes('text') !== false,
    )
    models.set(endpoint, new Map(answering.map((row) => [row.id, apiFacts(row)])))
  }
  return { origin: 'models.dev', models }
}

function apiFacts({ cost, limit, modalities, ...row }: ApiRow): SourceFacts {
  const input = modalities?.input ?? []
  const abilities = [
    ...(row.tool_call ? ['tools'] : []),
    ...(input.includes('image') ? ['images'] : []),
    ...(input.includes('audio') ? ['audio'] : []),
    ...(row.reasoning ? ['reasoning'] : []),
    ...(row.structured_output ? ['schema'] : []),
  ]
  const rates = cost && apiRates(cost)
  const above = cost?.context_over_200k && apiRates(cost.context_over_200k)
  return {
    ...(limit?.context && { contextWindow: limit.context }),
    ...(limit?.output && { maxOutput: limit.output }),
    ...(rates && { price: { ...rates, ...(above && { long: { above: 200_000, ...above } }) } }),
    ...(abilities.length > 0 && { abilities }),
  }
}

function apiRates(rates: ApiRates): { input: number; output: number } | undefined {
  const {
    input,
    output,
    cache_read: cached,
    cache_write: cacheWrite,
    input_audio: audioInput,
    output_audio: audioOutput,
  } = rates
  if (!input && !output) return undefined
  const known = Object.entries({ cached, cacheWrite, audioInput, audioOutput }).flatMap(([key, rate]) =>
    rate ? [[key, dollars(rate)] as const] : [],
  )
  return { input: dollars(input ?? 0), output: dollars(output ?? 0), ...Object.fromEntries(known) }
}
