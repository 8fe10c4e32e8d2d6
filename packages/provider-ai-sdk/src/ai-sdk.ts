import type { ConfigEntry, ModelRef, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { secretsOf } from '@x/kernel/redact'
import {
  createAdapterClient,
  createCatalogue,
  isRecord,
  platformClock,
  withModelRefs,
  type CatalogueData,
  type Dialect,
  type Wire,
} from '@x/provider-kit'
import { refusalOf } from './errors.ts'
import { nameOf, PROVIDER } from './lower-prompt.ts'
import { lowerRequest } from './lower-request.ts'
import type { AiSdkModel, GenerateResult } from './model-types.ts'
import { createReader } from './read-answer.ts'

/** A config entry for a model of the AI SDK, as `aiSdk(model, options)` makes it. */
export interface AiSdkConfig extends ConfigEntry {
  apiType?: 'ai-sdk' | undefined
  /** The model, which has its own key, endpoint and `fetch`. */
  languageModel?: AiSdkModel | undefined
}

/** Options of `createAiSdk`. */
interface AiSdkOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
  /** Limits and prices of models; default: none are known. */
  catalogue?: CatalogueData | undefined
}

const ADAPTER_KINDS: OptionKinds<AiSdkOptions> = {
  catalogue: kind.object,
  clock: kind.having('a clock with `sleep` and `random`', 'sleep', 'random'),
  now: kind.call,
}

/** Words of other libraries for options of the adapter: what configures requests belongs to a model. */
const FOREIGN_WORDS = {
  'apiKey baseURL baseUrl headers fetch model provider':
    "give it to the model's own package, as in `aiSdk(createCohere({ apiKey })('command-a-03-2025'))`",
}

/** Options of a model where it is named. */
type AiSdkRefOptions = Omit<NonNullable<Parameters<ReturnType<typeof withModelRefs<AiSdkConfig>>>[1]>, 'languageModel'>

/** An adapter that is called with a model of the AI SDK. */
type AiSdkProvider = Provider & ((model: AiSdkModel, options?: AiSdkRefOptions) => ModelRef)

/** Creates an adapter for models of the AI SDK. Called with one, it returns a `ModelRef`. */
export function createAiSdk(options: AiSdkOptions = {}): AiSdkProvider {
  checkOptions(options, ADAPTER_KINDS, 'run `createAiSdk`', FOREIGN_WORDS)
  const { clock = platformClock(), now = Date.now, catalogue: data } = options
  const catalogue = createCatalogue(...(data ? [data] : []))
  const refTo = withModelRefs<AiSdkConfig>(
    {
      name: '@x/provider-ai-sdk',
      apiTypes: ['ai-sdk'],
      specVersion: 1,
      clientKeys: ['languageModel'],
      createClient(config) {
        const languageModel = requireModel(config['languageModel'])
        refuseOwnKeys(config)
        const dialect = createDialect(languageModel)
        const connect = (): Wire => connectTo(languageModel, config)
        return createAdapterClient({ config, endpoint: undefined, catalogue, clock, now, dialect, connect })
      },
    },
    () => [],
  )
  // Two models with one name are told apart by their provider, which stands in the key of a cache as the version of the API.
  const refer = (model: AiSdkModel, more: AiSdkRefOptions = {}): ModelRef => {
    const { modelId, provider } = requireModel(model)
    return refTo(modelId, { apiVersion: provider, ...more, languageModel: model })
  }
  return Object.defineProperties(refer, Object.getOwnPropertyDescriptors(refTo)) as unknown as AiSdkProvider
}

/**
 * Adapter for any language model of the AI SDK, version 3 or 4 of its interface: `aiSdk(cohere('command-a-03-2025'))` is a
 * model of it, for `llmConfig` and agents.
 */
export const aiSdk: AiSdkProvider = createAiSdk()

/** Checks a model: fails with `invalid-config` for other things, such as the name of one or a model of an older interface. */
function requireModel(model: unknown): AiSdkModel {
  const isModel = typeof model === 'object' && model !== null && 'doGenerate' in model && 'doStream' in model
  const version: unknown = isModel ? (model as Partial<AiSdkModel>).specificationVersion : undefined
  if (version === 'v3' || version === 'v4') return model as AiSdkModel
  const problem = isModel ? `it has version \`${String(version)}\` of the interface` : 'it is not a model of the AI SDK'
  throw new XError(
    'invalid-config',
    `the model cannot be used: ${problem}; give one of version 3 or 4, as in \`aiSdk(cohere('command-a-03-2025'))\` with \`@ai-sdk/cohere\``,
    { details: { key: 'languageModel' } },
  )
}

/** Keys of an entry that a model of the AI SDK has in its own package. */
const OWN_KEYS = ['apiKey', 'baseUrl', 'fetch', 'organization']

function refuseOwnKeys(config: ConfigEntry): void {
  const key = OWN_KEYS.find((name) => config[name] !== undefined && config[name] !== null)
  if (key === undefined) return
  throw new XError(
    'invalid-config',
    `the config key \`${key}\` is not for a model of the AI SDK: give it to the package of the model, as in \`createCohere({ apiKey, baseURL, fetch })\``,
    { details: { key } },
  )
}

/** Ids that Mistral takes: nine letters and digits. */
const MISTRAL_ID_LENGTH = 9

function createDialect(languageModel: AiSdkModel): Dialect {
  const ids: Dialect['ids'] = languageModel.provider.startsWith('mistral')
    ? { minLength: MISTRAL_ID_LENGTH, maxLength: MISTRAL_ID_LENGTH, forbidden: /[^a-zA-Z0-9]/gu }
    : { maxLength: 64, forbidden: /[^\w-]/gu }
  return {
    provider: PROVIDER,
    ids,
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities: () => ({ streaming: true }),
    lower: (params, context) => lowerRequest(params, context, { languageModel, ids }),
    reader: () => createReader(nameOf(languageModel), () => {}),
  }
}

/** Connects by the model: each call of it sends one request. */
function connectTo(languageModel: AiSdkModel, config: ConfigEntry): Wire {
  const { defaultHeaders } = config
  type Call = Parameters<Wire['complete']>
  const optionsOf = ([{ body, headers }, { signal }]: Call): never => {
    const all = Object.entries({ ...defaultHeaders, ...headers }).filter(([, value]) => value !== null)
    return { ...body, ...(all.length > 0 && { headers: Object.fromEntries(all) }), abortSignal: signal } as never
  }
  const tellHeaders = ({ response }: GenerateResult, [, { onHeaders }]: Call): void => {
    if (isRecord(response?.headers)) onHeaders?.(new Headers(response.headers))
  }
  return {
    secrets: secretsOf(config),
    url: nameOf(languageModel),
    async complete(...call) {
      const result = await languageModel.doGenerate(optionsOf(call))
      tellHeaders(result, call)
      return result
    },
    async stream(...call) {
      const result = await languageModel.doStream(optionsOf(call))
      tellHeaders(result as GenerateResult, call)
      return partsOf(result.stream)
    },
    refusalOf,
  }
}

/** Yields the parts of a stream as they arrive, and cancels it when its reader leaves. */
async function* partsOf(stream: ReadableStream): AsyncGenerator<readonly unknown[], void> {
  const reader = stream.getReader() as ReadableStreamDefaultReader<unknown>
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield [value]
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
