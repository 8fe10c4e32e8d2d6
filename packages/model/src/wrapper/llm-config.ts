import type { CacheStore, ConfigEntry, Io, LlmConfig, Logger, Model, ModelRef, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { guardSecrets } from '@x/kernel/redact'
import type { ModelRuntime, WrapperPlan } from '../call/wrapper-parts.ts'
import { createSharedClients } from '../clients/shared-clients.ts'
import { slotsOf } from '../config/slot.ts'
import { checkFilter, checkModelOptions, checkWrapperOptions } from './check-options.ts'
import { consoleIo } from './console-io.ts'
import { ModelWrapper, runtimeOf } from './model-wrapper.ts'

/** Options of an `llmConfig`, beside request parameters and wrapper options for all entries. */
export interface LlmConfigOptions extends ConfigEntry {
  /** Adapters; an entry selects one by its `apiType`. A `ModelRef` brings its own. */
  providers?: readonly Provider[] | undefined
  /** Configs in order of preference, as entries or refs; without a list, the other options are the only config. */
  configList?: readonly (ConfigEntry | ModelRef)[] | undefined
  /** Makes the cache of a seed; default: in memory and in `.cache/<seed>` on disk. */
  defaultCache?: ((seed: number) => CacheStore) | undefined
  /** Receives warnings and summaries of models that are made without an `io`; default: the console. */
  io?: Io | undefined
  /** Receives log records of models that are made without a logger; default: no records. */
  logger?: Logger | undefined
  /** Source of time and ids. */
  runtime?: Partial<ModelRuntime> | undefined
}

/** A model of this package, which has the operations that models of others may lack. */
type CompleteModel = Model &
  Required<
    Pick<
      Model,
      'countTokens' | 'countTokensSync' | 'countTokensStream' | 'embed' | 'embedSync' | 'embedStream' | 'limitsOf'
    >
  >

/** The description that `llmConfig` makes. */
interface ModelConfig extends LlmConfig {
  with(changes: ConfigEntry): ModelConfig
  where(filter: Parameters<LlmConfig['where']>[0]): ModelConfig
  createModel(options?: Parameters<LlmConfig['createModel']>[0]): CompleteModel
}

/**
 * Describes the models that an agent may use, in order of preference: one `ModelRef` such as `openai('gpt-5-mini')`, a list of
 * them, or options. Entries are checked at once: an unknown key, a missing
 * `model` or an `apiType` without a provider throws. Clients are made at their first use, once for all agents of the
 * description and of descriptions derived from it. Refs alone have no cache by default; with options, answers are kept by
 * `cacheSeed`.
 */
export function llmConfig(models: LlmConfigOptions | ModelRef | readonly ModelRef[]): ModelConfig {
  const options = optionsOf(models)
  checkWrapperOptions(options, 'make an `llmConfig`')
  const { providers = [], defaultCache, io, logger, runtime, ...config } = options
  const shared = { shared: createSharedClients(defaultCache), runtime: runtimeOf(runtime), console: consoleIo() }
  return describe(config, { providers, io, logger, shared })
}

/**
 * Returns the options for models. Refs have no cache unless they name one: the answers on disk that the Python library keeps by
 * default are for its `config_list`.
 */
function optionsOf(models: LlmConfigOptions | ModelRef | readonly ModelRef[]): LlmConfigOptions {
  if (isList(models)) return { cacheSeed: null, configList: models }
  const isRef = typeof models === 'object' && models !== null && 'environment' in models
  if (!isRef) return models
  const { cache_seed: cacheSeed = null, ...ref } = models as ModelRef & { readonly cache_seed?: number | null }
  return { cacheSeed, ...ref }
}

// `Array.isArray` does not know lists that are read only.
const isList = (value: unknown): value is readonly ConfigEntry[] => Array.isArray(value)

/** The parts of a description that `with` and `where` do not change. */
interface ConfigContext {
  readonly providers: readonly Provider[]
  readonly shared: Omit<WrapperPlan, 'slots'>
  readonly io: Io | undefined
  readonly logger: Logger | undefined
}

type Config = LlmConfig['config']

function describe(given: ConfigEntry, context: ConfigContext): ModelConfig {
  const { providers, shared } = context
  const { configList, config_list: list = configList, ...base } = given as Config & { config_list?: ConfigEntry[] }
  const plan: WrapperPlan = { ...shared, slots: slotsOf(base, list, providers) }
  const config = guardSecrets(
    list ? { ...base, configList: Object.freeze(list.map((entry) => guardSecrets(entry))) } : base,
  )
  return Object.freeze({
    config,
    with: (changes: ConfigEntry) => describe({ ...config, ...changes }, context),
    where: (filter: Parameters<LlmConfig['where']>[0]) => {
      checkFilter(filter)
      return describe(filterEntries(config, filter), context)
    },
    createModel: (options = {}): CompleteModel => {
      checkModelOptions(options)
      const { replaces, io = context.io, logger = context.logger } = options
      return new ModelWrapper({ io, logger }, { plan, config, replaces })
    },
  } satisfies ModelConfig)
}

function filterEntries(config: Config, filter: Parameters<LlmConfig['where']>[0]): ConfigEntry {
  const { model, tags } = filter
  const models = listOf(model)
  const labels = listOf(tags)
  const keep = (entry: ConfigEntry): boolean => {
    const { model: name, tags: entryTags } = { ...config, ...entry }
    return (!models || models.includes(String(name))) && (!labels || labels.some((label) => entryTags?.includes(label)))
  }
  const entries = config.configList ?? [config]
  const remaining = entries.filter(keep)
  if (remaining.length === 0) {
    throw new XError(
      'invalid-config',
      `no entry of \`configList\` matches ${JSON.stringify(filter)}: there are ${entries
        .map((entry) => `\`${String(entry.model ?? config.model)}\`${entry.tags ? ` [${entry.tags.join(', ')}]` : ''}`)
        .join(', ')}`,
      { details: { filter } },
    )
  }
  return config.configList ? { ...config, configList: remaining } : { ...config }
}

const listOf = (value: string | readonly string[] | undefined): readonly string[] | undefined =>
  typeof value === 'string' ? [value] : value
