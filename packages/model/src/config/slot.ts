import type { ConfigEntry, ModelClient, ModelResponse, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { secretsOf } from '@x/kernel/redact'
import { type Endpoint, endpointOf } from '../cache/cache-key.ts'
import { sha256 } from '../cache/sha256.ts'
import { CLIENT_KEYS } from './config-keys.ts'
import { remedyForType } from './endpoint-advice.ts'
import { checkEntry, isProvider, splitOptions, type SplitOptions, withoutEndSlashes } from './entry.ts'
import { entryPrice, type EntryPrice } from '../usage/price.ts'

/** One checked entry of a config list: its client, and the options that are merged into every call. */
export interface Slot {
  /** Index in the list: the `configId` of its answers. */
  readonly index: number
  /** The config of the client: the client-level keys of the base and the entry, and the model. */
  readonly client: ConfigEntry
  /** The merged entry that the caller's client class is given. */
  readonly entry: ConfigEntry
  /** Request parameters and wrapper options of the base and the entry; they win over those of a call. */
  readonly stored: SplitOptions
  /**
   * A request of messages and an agent alone with the options of this config, to be copied: all copies have its layout,
   * which lives as long as the config. Null if the stored parameters have messages or a prompt.
   */
  readonly plain: SplitOptions | null
  /** The provider that makes the client; null for the caller's client class. */
  readonly provider: Provider | null
  readonly price: EntryPrice | null
  /** The part of the config that answers depend on, for cache keys. */
  readonly endpoint: Endpoint
  /** True if the entry has an `apiKey` that is empty or undefined: what it was read from may not be set. */
  readonly hasEmptyKey: boolean
  /** A response without texts, whose layout lives as long as the config; undefined before the first. */
  response?: ModelResponse | null
  /** Secret texts of all configs of the list, for redaction: one set, since the forms of a set are made once. */
  readonly secrets: ReadonlySet<string>
  /** Returns the account at this endpoint, for rate limits: a hash from which no key can be read. */
  readonly account: () => string
}

/** Instances of the caller's client classes, by slot; `undefined` until they are registered. */
export type OwnClients = (ModelClient | undefined)[]

/** Checks a base config and a config list and returns a slot per entry. */
export function slotsOf(
  base: Readonly<ConfigEntry>,
  configList: readonly Readonly<ConfigEntry>[] | null | undefined,
  providers: readonly Provider[],
): Slot[] {
  if (configList !== null && configList !== undefined && !Array.isArray(configList)) {
    throw new XError('invalid-config', '`configList` is not a list: put the entry into square brackets')
  }
  const common = splitRef(base)
  const entries = (configList && configList.length > 0 ? configList : [{}]).map(splitRef)
  const known = new Set([...providers, ...[common, ...entries].flatMap(({ provider }) => provider ?? [])])
  for (const provider of known) checkSpecVersion(provider)
  const clientKeys = [...known].flatMap((provider) => provider.clientKeys ?? [])
  const shared = checkEntry(common.keys, 'the config', clientKeys)
  const secrets = new Set<string>()
  return entries.map(({ keys, provider = common.provider }, index) => {
    const own = checkEntry(keys, `entry ${index} of \`configList\``, clientKeys)
    const entry = withoutNulls({ ...shared, ...own }, clientKeys)
    const isOwnClient = entry.modelClientCls !== undefined
    const isListed = configList !== undefined && configList !== null && configList.length > 0
    // Comes before the search for a provider: a ref in the place of a name brings its own along.
    refuseForeignModel(entry, index, isListed)
    if (!isOwnClient && !provider && providers.length === 0 && entry.model === undefined) throw noModel(isListed, index)
    const hasEmptyKey = !entry.apiKey && ('apiKey' in keys || 'apiKey' in common.keys)
    const chosen = isOwnClient ? null : (provider ?? providerFor(entry, index, providers))
    const slot = slotOf(index, entry, chosen)
    for (const secret of secretsOf(slot.client)) secrets.add(secret)
    return { ...slot, hasEmptyKey, secrets }
  })
}

/** The keys of an entry, and the provider that it brings along: then it is a `ModelRef`. */
interface SplitEntry {
  readonly keys: Readonly<ConfigEntry>
  readonly provider: Provider | undefined
}

/** Separates the provider that a `ModelRef` brings along from the keys of its entry. */
function splitRef(entry: Readonly<ConfigEntry>): SplitEntry {
  const { provider, environment: _, ...keys } = (entry as Readonly<ConfigEntry> | null) ?? {}
  return isProvider(provider) ? { keys, provider } : { keys: entry, provider: undefined }
}

/** Returns how errors name a provider, whose fields may be missing. */
export const providerInErrors = ({ module, apiTypes }: Partial<Provider>): string | undefined =>
  module?.specifier ?? apiTypes?.join(', ')

/** Version of the provider interface that this package supports. */
const SPEC_VERSION = 1

/** Refuses a provider of another version of the interface. */
function checkSpecVersion(provider: Provider): void {
  const version: number | undefined = provider.specVersion
  if (version === SPEC_VERSION) return
  const says =
    version === undefined
      ? `does not say its version of the provider interface: give it \`specVersion: ${SPEC_VERSION}\``
      : `implements version ${version} of the provider interface, and \`@x/model\` supports version ${SPEC_VERSION}: upgrade ${version > SPEC_VERSION ? '`@x/model`' : 'the provider'}`
  throw new XError('invalid-config', `the provider \`${providerInErrors(provider)}\` ${says}`, {
    details: { apiTypes: provider.apiTypes, specVersion: version, takes: SPEC_VERSION },
  })
}

/** Returns the provider of an entry by its `apiType`. */
function providerFor(entry: ConfigEntry, index: number, providers: readonly Provider[]): Provider {
  const { apiType = 'openai', model } = entry
  const provider = providers.find(({ apiTypes }) => apiTypes.includes(apiType))
  if (provider) return provider
  const variantOf = providers.find(({ apiTypes }) => apiTypes.some((type) => apiType.startsWith(`${type}_`)))
  if (variantOf) return variantOf
  const known = providers.flatMap(({ apiTypes }) => apiTypes)
  const there = known.length > 0 ? ` (there: ${known.join(', ')})` : ''
  throw new XError(
    'unknown-provider',
    `no provider answers for \`apiType: '${apiType}'\` of entry ${index}: ${remedyForType(apiType, model, known)}${there}`,
    { details: { apiType, known } },
  )
}

function slotOf(index: number, entry: ConfigEntry, provider: Provider | null): Omit<Slot, 'hasEmptyKey' | 'secrets'> {
  const isClientKey = (key: string): boolean => CLIENT_KEYS.has(key) || (provider?.clientKeys?.includes(key) ?? false)
  const client: ConfigEntry = {}
  const stored: ConfigEntry = {}
  for (const key of Object.keys(entry)) (isClientKey(key) ? client : stored)[key] = entry[key]
  const { model } = entry
  if (model !== undefined) client.model = model
  if (model === '' || (model === undefined && provider && needsModel(entry))) {
    throw new XError(
      'invalid-config',
      `entry ${index} of \`configList\` has no \`model\`: add one there or beside the list, as in { model: 'gpt-5-mini' }`,
      { details: { configId: index } },
    )
  }
  if (provider) checkBaseUrl(entry, index)
  const endpoint = endpointOf(client, provider)
  const split = splitOptions(stored)
  return {
    index,
    client,
    entry,
    stored: split,
    plain: plainRequest(split),
    provider,
    endpoint,
    price: entryPrice(entry.price),
    account: accountOf(client, endpoint),
  }
}

const OPENAI_PATHS = /\/(?:chat\/completions|completions|responses)$/u

/** Ends of URLs that an adapter adds to each request, by `apiType`. */
const ADDED_PATHS: Readonly<Record<string, RegExp>> = {
  openai: OPENAI_PATHS,
  azure: OPENAI_PATHS,
  anthropic: /(?:\/v1)?\/messages$/u,
  google: /\/models\/[^/]+:\w+$/u,
}

/** Refuses a `baseUrl` that ends in the path of a request, as documentation often shows it, and says what to write. */
export function checkBaseUrl({ apiType = 'openai', baseUrl }: ConfigEntry, index: number): void {
  const url = baseUrl && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url?.protocol.startsWith('http')) return
  const path = withoutEndSlashes(url.pathname)
  const added = Object.hasOwn(ADDED_PATHS, apiType) ? ADDED_PATHS[apiType]!.exec(path)?.[0] : undefined
  if (added === undefined) return
  const root = url.origin + path.slice(0, -added.length)
  // No part of this is a secret: name, password and parameters of the URL are left out.
  const remedy = apiType === 'azure' ? azureRemedy(root, url.searchParams.get('api-version')) : `\`baseUrl: '${root}'\``
  throw new XError(
    'invalid-config',
    `\`baseUrl\` of entry ${index} of \`configList\` ends in \`${added}\`, which is added to each request: write ${remedy}`,
    { details: { configId: index } },
  )
}

/** Takes the target URI apart that the portal of Azure shows. */
function azureRemedy(root: string, apiVersion: string | null): string {
  const [, resource = root, deployment] = /^(.*)\/openai(?:\/deployments\/([^/]+))?$/u.exec(root) ?? []
  const parts = [`\`baseUrl: '${resource}'\``]
  if (deployment) parts.push(`\`model: '${deployment}'\``)
  if (apiVersion) parts.push(`\`apiVersion: '${apiVersion}'\``)
  return parts.join(', ')
}

const plainRequest = ({ params, extra }: SplitOptions): SplitOptions | null =>
  'messages' in params || 'prompt' in params
    ? null
    : { params: { messages: [], ...params }, extra: { ...extra, agent: extra.agent } }

/** The error of a config without a model and without providers. */
const noModel = (isListed: boolean, index: number): XError =>
  new XError(
    'invalid-config',
    `${isListed ? `entry ${index} of \`configList\`` : 'the config'} names no model: write \`openai('gpt-5-mini')\` in its place, with \`openai\` of \`@x/provider-openai\``,
    { details: { configId: index } },
  )

/** Refuses a model that is not a text, such as one of a provider in the place of its name. */
function refuseForeignModel({ model }: ConfigEntry, index: number, isListed: boolean): void {
  if (model === undefined || typeof model === 'string') return
  const where = isListed ? `entry ${index} of \`configList\`` : 'the config'
  const itself = isListed
    ? "put `openai('gpt-5-mini')` itself into the list, without `{ model }` around it"
    : "write `llmConfig(openai('gpt-5-mini'))`, without `{ model }` around it"
  const problem = isProvider((model as { provider?: unknown } | null)?.provider)
    ? `is a model of a provider: ${itself}`
    : "is of a wrong kind; give a text, such as 'gpt-5-mini'"
  throw new XError('invalid-config', `\`model\` of ${where} ${problem}`, { details: { configId: index } })
}

/** Hashes the endpoint and the API key of a client. A function for keys may return several of one account, so it is left out. */
function accountOf({ apiKey, organization }: ConfigEntry, { provider, baseUrl }: Endpoint): () => string {
  let account: string | undefined
  const key = typeof apiKey === 'string' ? apiKey : null
  return () => (account ??= sha256(JSON.stringify(['account', provider, baseUrl, organization, key])).slice(0, 16))
}

/** Returns the name of the provider of a config, or of its module; null for the caller's client class. */
export const providerNameOf = ({ provider }: Pick<Slot, 'provider'>): string | null =>
  provider?.name ?? provider?.module?.specifier ?? null

/** Lists the models of configs in an error. */
export const modelsText = (slots: readonly Slot[]): string =>
  slots.map(({ client }) => `\`${client.model ?? client.modelClientCls ?? 'a model'}\``).join(', ')

/** Returns the host of a URL, with its port; null for anything else, which may be a key in the wrong place. */
export function hostOf(url: string | undefined): string | null {
  if (url === undefined) return null
  const known = HOSTS.get(url)
  if (known !== undefined) return known
  const host = URL.canParse(url) ? new URL(url).host || null : null
  if (HOSTS.size >= MAX_HOSTS) HOSTS.clear()
  HOSTS.set(url, host)
  return host
}

/** Hosts of URLs: each attempt of a model tells that of its endpoint, which takes longer to parse than the rest to tell. */
const HOSTS = new Map<string, string | null>()
const MAX_HOSTS = 100

/** Drops keys that are null: as in JSON, null counts as absent, except for options of the wrapper. */
function withoutNulls(entry: ConfigEntry, clientKeys: readonly string[]): ConfigEntry {
  const isAbsent = (key: string): boolean =>
    entry[key] === null && (CLIENT_KEYS.has(key) || clientKeys.includes(key) || key === 'model')
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !isAbsent(key)))
}

/** True if the entry needs a `model`: for a compatible endpoint the call may name it. */
const needsModel = ({ apiType, baseUrl }: ConfigEntry): boolean => baseUrl === undefined || isAzure(apiType)

/** Tells whether an `apiType` is Azure OpenAI, where model names are deployments. */
export const isAzure = (apiType: string | undefined): boolean => apiType?.startsWith('azure') ?? false
