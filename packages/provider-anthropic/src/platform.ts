import type { ConfigEntry, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import {
  createAdapterClient,
  createTransport,
  platformClock,
  withModelRefs,
  createCatalogue,
  type Catalogue,
  type CatalogueData,
  type Dialect,
  type Wire,
} from '@x/provider-kit'
import { anthropicCatalogue, costOfAnswer } from './catalogue.ts'
import { CONFIG_KEYS, readConfig } from './config.ts'
import { anthropicFamilies } from './family-rules.ts'
import { createFamilies } from './family.ts'
import { lowerCount, lowerRequest, type LowerConfig } from './lower-request.ts'
import { ID_RULE } from './lower-messages.ts'
import { createReader } from './read-answer.ts'

/** Options of `createAnthropic`, and of the same for other platforms. */
export interface AnthropicOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
  /** Facts about models, such as limits, prices and what they allow; they win over those of the package. */
  catalogue?: CatalogueData | undefined
  /** Sends requests for configs without a `fetch`; default: a lean transport. */
  fetch?: typeof globalThis.fetch | undefined
}

const ADAPTER_KINDS: OptionKinds<AnthropicOptions> = {
  catalogue: kind.object,
  clock: kind.having('a clock with `sleep` and `random`', 'sleep', 'random'),
  now: kind.call,
  fetch: kind.call,
}

/** A platform that runs Claude: its own API, or a cloud with other URLs, another signature and another frame around requests. */
export interface Platform {
  /** The module that exports the provider, without options; `create…` with the name of the export makes one with options. */
  readonly module: NonNullable<Provider['module']>
  readonly apiType: string
  /** Keys of a config entry for this platform alone. */
  readonly keys: readonly string[]
  /** Words of other libraries for options of the adapter, each with what to write instead. */
  readonly foreignWords: Readonly<Record<string, string>>
  /** Names the variables of the environment that may have the key of a config. */
  readonly keyVariablesOf: (entry: ConfigEntry) => readonly string[]
  /** Reads the config of a client; fails with `invalid-config`. */
  open(config: ConfigEntry, environment: Environment): OpenPlatform
}

/** Variables of the environment. */
type Environment = Readonly<Record<string, string | undefined>>

/** A platform with the config of a client. */
export interface OpenPlatform {
  /** Root URL of the endpoint. */
  readonly endpoint: string
  /** Loads what the first request needs; default: nothing. */
  readonly load?: (() => Promise<unknown>) | undefined
  /** Connects to the endpoint. `now` returns milliseconds since 1970. */
  readonly connect: (fetch: typeof globalThis.fetch, now: () => number) => Wire
  /** Returns the parts of the wire format that differ on the platform. */
  readonly dialect?: ((dialect: Dialect) => Partial<Dialect>) | undefined
}

/** An adapter that names its models when it is called. */
type AnthropicProvider<Entry extends ConfigEntry> = ReturnType<typeof withModelRefs<Entry>>

/** Creates an adapter for Claude on a platform. */
export function createProvider<Entry extends ConfigEntry>(
  platform: Platform,
  options: AnthropicOptions,
): AnthropicProvider<Entry> {
  const { module, apiType, keys } = platform
  const { export: name } = module
  const operation = `create${name[0]!.toUpperCase()}${name.slice(1)}`
  checkOptions(options, ADAPTER_KINDS, `run \`${operation}\``, platform.foreignWords)
  const { clock = platformClock(), now = Date.now } = options
  const fetch = createTransport(options.fetch)
  let catalogue: Catalogue | undefined
  // Another thread can import this adapter only without options; prices are applied in this thread.
  const isPlain = Object.keys(options).every((key) => key === 'catalogue')
  const provider: Provider = {
    name: '@x/provider-anthropic',
    apiTypes: [apiType],
    ...(isPlain && { module }),
    specVersion: 1,
    clientKeys: [...CONFIG_KEYS, ...keys],
    createClient(config) {
      const models = (catalogue ??= createCatalogue(
        ...(options.catalogue ? [options.catalogue] : []),
        anthropicFamilies,
        anthropicCatalogue,
      ))
      const own = readConfig(config)
      const familyOf = createFamilies(models, own.modelFamily)
      const dialect = createDialect({ ...own, defaultHeaders: config.defaultHeaders, familyOf })
      const { endpoint, load, connect, dialect: change } = platform.open(config, globalThis.process?.env ?? {})
      return createAdapterClient({
        config,
        endpoint,
        catalogue: models,
        clock,
        now,
        load,
        dialect: change ? { ...dialect, ...change(dialect) } : dialect,
        connect: () => connect(config.fetch ? createTransport(config.fetch) : fetch, now),
        cost: (answer) => costOfAnswer(answer, models),
      })
    },
  }
  return withModelRefs<Entry>(provider, platform.keyVariablesOf)
}

/** Returns a part of a host name; fails with `invalid-config` for a text that would lead to another host. */
export function hostPart(key: string, value: string): string {
  if (/^[a-z\d-]+$/iu.test(value)) return value
  throw new XError(
    'invalid-config',
    `the config key \`${key}\` is not letters, digits and \`-\`, such as \`us-east-1\``,
    {
      details: { key },
    },
  )
}

function createDialect(config: LowerConfig): Dialect {
  return {
    provider: 'anthropic',
    ids: ID_RULE,
    names: { maxLength: 64, forbidden: /[^\w-]/gu },
    capabilities(model) {
      const { structured, contextWindow, maxTokens: maxOutput } = config.familyOf(model)
      // Without structured output the answer is a call that the model has to make.
      const format = { structuredOutputWithTools: structured }
      const limits = { contextWindow, maxOutput }
      return { tools: true, images: true, structuredOutput: 'schema', ...format, streaming: true, ...limits }
    },
    lower: (params, context) => lowerRequest(params, context, config),
    reader: () => createReader(''),
    lowerCount: (params, context) => lowerCount(params, context, config),
    readCount: (body) => (body as { input_tokens?: unknown } | null)?.input_tokens,
  }
}
