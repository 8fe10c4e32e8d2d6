import type { ConfigEntry, ModelClient, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { respondentOf, type Respondent } from '../cache/cache-key.ts'
import { sha256 } from '../cache/sha256.ts'
import { CLIENT_KEYS } from './config-keys.ts'
import { checkEntry } from './entry.ts'
import { splitOptions, type SplitOptions } from './split-options.ts'
import { entryPrice, type EntryPrice } from '../usage/price.ts'
import { secretsOf } from '@x/kernel/redact'

/** One entry of a config list, checked: who answers, and what is merged into every call. */
export interface Slot {
  /** Place in the list: the `configId` of its answers. */
  readonly index: number
  /** The config of its client: client-level keys of the base and the entry, and the model. */
  readonly client: ConfigEntry
  /** The entry as a client class of the caller's gets it. */
  readonly entry: ConfigEntry
  /** Request parameters and extra options of the base and the entry; they win over those of a call. */
  readonly stored: SplitOptions
  /** The provider that makes the client; null for a class of the caller's. */
  readonly provider: Provider | null
  readonly price: EntryPrice | null
  /** The part of the config that answers depend on; it goes into cache keys. */
  readonly respondent: Respondent
  /** Texts that must not be shown. */
  readonly secrets: readonly string[]
  /** Names who pays at this endpoint, for limits: a hash, from which no key can be read. */
  readonly account: () => string
}

/** The own clients of the slots, once they are registered: `undefined` is a placeholder. */
export type OwnClients = (ModelClient | undefined)[]

/** Checks a base config and a config list and gives a slot per entry. */
export function slotsOf(
  base: Readonly<ConfigEntry>,
  configList: readonly Readonly<ConfigEntry>[] | null | undefined,
  providers: readonly Provider[],
): Slot[] {
  if (configList !== null && configList !== undefined && !Array.isArray(configList)) {
    throw new XError('invalid-config', '`configList` is not a list: put the entry into square brackets')
  }
  for (const provider of providers) checkVersion(provider)
  const clientKeys = providers.flatMap((provider) => provider.clientKeys ?? [])
  const common = checkEntry(base, 'the config', clientKeys)
  const entries = configList && configList.length > 0 ? configList : [{}]
  return entries.map((entry, index) => {
    const where = `entry ${index} of \`configList\``
    return slotOf(index, common, checkEntry(entry, where, clientKeys), providers)
  })
}

function slotOf(index: number, base: ConfigEntry, own: ConfigEntry, providers: readonly Provider[]): Slot {
  const entry = withoutNulls({ ...base, ...own }, providers)
  const provider = entry.modelClientCls === undefined ? providerFor(entry, index, providers) : null
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
  const respondent = respondentOf(client, provider)
  return {
    index,
    client,
    entry,
    stored: splitOptions(stored),
    provider,
    respondent,
    price: entryPrice(entry.price),
    secrets: [...secretsOf(client)],
    account: accountOf(client, respondent),
  }
}

/** Hashes the endpoint and the key of a client; a function that gives keys may give others of the same account. */
function accountOf({ apiKey, organization }: ConfigEntry, { provider, baseUrl }: Respondent): () => string {
  let account: string | undefined
  const key = typeof apiKey === 'string' ? apiKey : null
  return () => (account ??= sha256(JSON.stringify(['account', provider, baseUrl, organization, key])).slice(0, 16))
}

/** Version of the provider interface that this package takes. */
const SPEC_VERSION = 1

function checkVersion({ apiTypes, specVersion, module }: Provider): void {
  const version: unknown = specVersion
  if (version === SPEC_VERSION) return
  const newer = typeof version === 'number' && version > SPEC_VERSION
  throw new XError(
    'invalid-config',
    `the provider \`${module?.specifier ?? apiTypes?.join(', ')}\` implements version ${String(version)} of the provider interface, and \`@x/model\` takes version ${SPEC_VERSION}: upgrade ${newer ? '`@x/model`' : 'the provider'}`,
    { details: { apiTypes, specVersion: version, takes: SPEC_VERSION } },
  )
}

/** JSON says null for a key that is not there; only options that steer the wrapper give it a meaning of its own. */
function withoutNulls(entry: ConfigEntry, providers: readonly Provider[]): ConfigEntry {
  const own = new Set(providers.flatMap(({ clientKeys }) => clientKeys ?? []))
  const absent = (key: string): boolean =>
    entry[key] === null && (CLIENT_KEYS.has(key) || own.has(key) || key === 'model')
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !absent(key)))
}

/** A compatible endpoint may be asked for a model that is named with the call. */
const needsModel = ({ apiType, baseUrl }: ConfigEntry): boolean => baseUrl === undefined || isAzure(apiType)

/** Tells the hosted variant, whose model names are deployments. */
export const isAzure = (apiType: string | undefined): boolean => apiType?.startsWith('azure') ?? false

const PACKAGES: Readonly<Record<string, string>> = {
  openai: '@x/provider-openai',
  azure: '@x/provider-openai',
  anthropic: '@x/provider-anthropic',
  google: '@x/provider-google',
}

function providerFor({ apiType = 'openai' }: ConfigEntry, index: number, providers: readonly Provider[]): Provider {
  const provider = providers.find(({ apiTypes }) => apiTypes.includes(apiType))
  if (provider) return provider
  const near = providers.find(({ apiTypes }) => apiTypes.some((type) => apiType.startsWith(`${type}_`)))
  if (near) return near
  const name = PACKAGES[apiType]
  const known = providers.flatMap(({ apiTypes }) => apiTypes)
  throw new XError(
    'unknown-provider',
    `no provider answers for \`apiType: '${apiType}'\` of entry ${index}: ${
      name ? `install \`${name}\` and add it to \`providers\`` : 'add a provider for it to `providers`'
    }${known.length > 0 ? ` (there: ${known.join(', ')})` : ''}`,
    { details: { apiType, known } },
  )
}
