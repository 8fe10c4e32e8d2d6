import type { ConfigEntry, EmbedAnswer, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import {
  createAdapterClient,
  createTransport,
  platformClock,
  withModelRefs,
  createCatalogue,
  inBandFailure,
  isRecord,
  listOf,
  type Catalogue,
  type CatalogueData,
  type Dialect,
  type Wire,
} from '@x/provider-kit'
import { BATCHES } from './batches.ts'
import { CONFIG_KEYS, readConfig, type GoogleConfig, type GoogleSdk } from './config.ts'
import { isVertex, createFetchWire, endpointUrl, keyVariablesOf, modelPath } from './endpoint.ts'
import { createFamilies, googleFamilies } from './family.ts'
import { createGenAiWire, createGenerativeAiWire, SDK_LOADERS } from './sdk-wires.ts'
import { ID_RULE } from './lower-messages.ts'
import { lowerCount, lowerRequest, type LowerConfig } from './lower-request.ts'
import { createReader } from './read-answer.ts'
import data from './catalogue.json' with { type: 'json' }

/** Limits, prices and abilities of Google's models, with the day they were looked up. */
export const googleCatalogue: CatalogueData = data

/** Options of `createGoogle`. */
export interface GoogleOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
  /** Facts about models, such as limits, prices and what they allow; they win over those of the package. */
  catalogue?: CatalogueData | undefined
  /** SDK for configs without `sdk`; default `fetch`. */
  sdk?: GoogleSdk | undefined
  /** Sends requests for configs without a `fetch`; default: a lean transport. */
  fetch?: typeof globalThis.fetch | undefined
}

const ADAPTER_KINDS: OptionKinds<GoogleOptions> = {
  catalogue: kind.object,
  clock: kind.having('a clock with `sleep` and `random`', 'sleep', 'random'),
  now: kind.call,
  fetch: kind.call,
  sdk: kind.oneOf('generative-ai', 'genai', 'fetch'),
}

/** Words of other libraries for options of the adapter: what configures requests belongs to a model. */
const FOREIGN_WORDS = {
  'apiKey baseURL baseUrl headers defaultHeaders timeout maxRetries vertexai project location':
    "give it with the model, as in `google('gemini-2.5-flash', { apiKey })`, with `baseUrl`, `timeout` in seconds, `maxRetries` and `defaultHeaders`",
}

/** An adapter that names its models when it is called. */
type GoogleProvider = ReturnType<typeof withModelRefs<GoogleConfig>>

/** Creates an adapter for Google's generateContent API. Called with the name of a model, it returns a `ModelRef`. */
export function createGoogle(options: GoogleOptions = {}): GoogleProvider {
  checkOptions(options, ADAPTER_KINDS, 'run `createGoogle`', FOREIGN_WORDS)
  const { clock = platformClock(), now = Date.now, sdk } = options
  const fetch = createTransport(options.fetch)
  let catalogue: Catalogue | undefined
  // Another thread can import this adapter only without options; prices are applied in this thread.
  const isPlain = Object.keys(options).every((name) => name === 'catalogue')
  const provider: Provider = {
    name: '@x/provider-google',
    apiTypes: ['google'],
    ...(isPlain && { module: { specifier: '@x/provider-google', export: 'google', url: import.meta.url } }),
    specVersion: 1,
    clientKeys: CONFIG_KEYS,
    createClient(config) {
      const keys = readConfig(config)
      const send = config.fetch ? createTransport(config.fetch) : fetch
      const sender = keys.sdk ?? sdk
      const connect = withCounts(connectBy(sender, config, send), () => createFetchWire(config, send))
      const models = (catalogue ??= createCatalogue(
        ...(options.catalogue ? [options.catalogue] : []),
        googleFamilies,
        googleCatalogue,
      ))
      const familyOf = createFamilies(models, keys.modelFamily)
      const dialect = createDialect({ ...keys, baseUrl: config.baseUrl, familyOf })
      const endpoint = endpointUrl(config, sender)
      const load = sender && SDK_LOADERS[sender]
      return createAdapterClient({ config, endpoint, catalogue: models, clock, now, dialect, load, connect })
    },
  }
  return withModelRefs<GoogleConfig>(provider, keyVariablesOf)
}

/** Chooses the connection; the older SDK does not know Vertex. */
function connectBy(sdk: GoogleSdk = 'fetch', config: ConfigEntry, fetch: typeof globalThis.fetch): () => Wire {
  switch (sdk) {
    case 'generative-ai':
      if (isVertex(config.baseUrl)) {
        throw new XError(
          'invalid-config',
          "`@google/generative-ai` knows no Vertex endpoint: leave `sdk` out, or set `sdk: 'genai'`",
        )
      }
      return () => createGenerativeAiWire(config, fetch)
    case 'genai':
      return () => createGenAiWire(config, fetch)
    case 'fetch':
      return () => createFetchWire(config, fetch)
  }
}

/** Sends requests for token counts and vectors without an SDK: each has a form of its own for them. */
function withCounts(connect: () => Wire, connectPlain: () => Wire): () => Wire {
  return () => {
    const wire = connect()
    let plain: Wire | undefined
    return {
      ...wire,
      get secrets() {
        return plain ? new Set([...wire.secrets, ...plain.secrets]) : wire.secrets
      },
      complete: async (request, call) => {
        if ((request.operation ?? 'answer') === 'answer') return await wire.complete(request, call)
        plain ??= connectPlain()
        return await plain.complete(request, call)
      },
      exchange: async (request, call) => {
        plain ??= connectPlain()
        return await plain.exchange!(request, call)
      },
      refusalOf: (error) => plain?.refusalOf?.(error) ?? wire.refusalOf?.(error),
    }
  }
}

function createDialect(config: LowerConfig): Dialect {
  return {
    provider: 'google',
    ids: ID_RULE,
    // A name begins with a letter or `_`: digits, dots and dashes at the start are forbidden characters too.
    names: { maxLength: 64, forbidden: /[^\w.:-]|^[^A-Za-z_]/gu },
    capabilities(model) {
      const { jsonWithTools, contextWindow, maxTokens: maxOutput } = config.familyOf(model)
      const format = { structuredOutputWithTools: jsonWithTools }
      const limits = { contextWindow, maxOutput }
      return { tools: true, images: true, structuredOutput: 'schema', ...format, streaming: true, ...limits }
    },
    lower: (params, context) => lowerRequest(params, context, config),
    reader: () => createReader(''),
    lowerCount: (params, context) => lowerCount(params, context, config),
    readCount: (body) => (body as { totalTokens?: unknown } | null)?.totalTokens,
    // Vertex has another form.
    ...(!isVertex(config.baseUrl) && { embeddings: EMBEDDINGS_DIALECT, batches: BATCHES }),
  }
}

/** Most texts of one request. */
const MAX_EMBEDDED_TEXTS = 100

/** Parameters that are lowered separately. */
const OWN_EMBED_PARAMS: ReadonlySet<string> = new Set(['model', 'input', 'dimensions', 'user'])

/** The wire format of `batchEmbedContents`. Further parameters, such as `taskType`, are sent with each text as they are. */
const EMBEDDINGS_DIALECT: NonNullable<Dialect['embeddings']> = {
  limits: { texts: MAX_EMBEDDED_TEXTS },
  lower(given, { model, warn }) {
    const { input, dimensions, user } = given
    if (user !== undefined) warn('parameter', '`user` was left out: the provider does not take it with texts to embed')
    const others = Object.entries(given).filter(([key]) => !OWN_EMBED_PARAMS.has(key))
    const requests = listOf(input).map((text) => ({
      model: modelPath(model),
      content: { parts: [{ text }] },
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
      ...Object.fromEntries(others),
    }))
    return { model, operation: 'embed', body: { requests } }
  },
  read: readVectors,
}

function readVectors(body: unknown, model: string): EmbedAnswer {
  if (!isRecord(body)) throw new TypeError('the answer is not an object')
  if (body['error']) throw inBandFailure(body)
  const { embeddings, usageMetadata: usage } = body
  const tokens = isRecord(usage) ? usage['promptTokenCount'] : undefined
  return {
    model,
    embeddings: listOf(embeddings).map((item) => listOf((item as { values?: unknown }).values) as number[]),
    ...(typeof tokens === 'number' &&
      tokens > 0 && { usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } }),
  }
}

/** Adapter for Google's generateContent API: `google('gemini-2.5-flash')` is a model of it, for `llmConfig` and agents. */
export const google: GoogleProvider = createGoogle()
