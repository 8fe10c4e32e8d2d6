import type { ConfigEntry, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'

/** The keys of an entry, and the provider that it brings along: then it is a `ModelRef`. */
interface SplitEntry {
  readonly keys: Readonly<ConfigEntry>
  readonly provider: Provider | undefined
}

/** Separates the provider that a `ModelRef` brings along from the keys of its entry. */
export function splitRef(entry: Readonly<ConfigEntry>): SplitEntry {
  const { provider, environment: _, ...keys } = (entry as Readonly<ConfigEntry> | null) ?? {}
  return isProvider(provider) ? { keys, provider } : { keys: entry, provider: undefined }
}

/** Tells a provider from any other value. */
export const isProvider = (value: unknown): value is Provider =>
  typeof (value as Partial<Provider> | null | undefined)?.createClient === 'function'

/** Version of the provider interface that this package supports. */
const SPEC_VERSION = 1

/** Refuses a provider of another version of the interface. */
export function checkSpecVersion({ apiTypes, specVersion, module }: Provider): void {
  const version: unknown = specVersion
  if (version === SPEC_VERSION) return
  const newer = typeof version === 'number' && version > SPEC_VERSION
  throw new XError(
    'invalid-config',
    `the provider \`${module?.specifier ?? apiTypes?.join(', ')}\` implements version ${String(version)} of the provider interface, and \`@x/model\` supports version ${SPEC_VERSION}: upgrade ${newer ? '`@x/model`' : 'the provider'}`,
    { details: { apiTypes, specVersion: version, takes: SPEC_VERSION } },
  )
}

/** The packages to install, by `apiType`. */
const PROVIDER_PACKAGES: Readonly<Record<string, string>> = {
  openai: '@x/provider-openai',
  azure: '@x/provider-openai',
  anthropic: '@x/provider-anthropic',
  google: '@x/provider-google',
}

/** Returns the provider of an entry by its `apiType`. */
export function providerFor(
  { apiType = 'openai' }: ConfigEntry,
  index: number,
  providers: readonly Provider[],
): Provider {
  const provider = providers.find(({ apiTypes }) => apiTypes.includes(apiType))
  if (provider) return provider
  const variantOf = providers.find(({ apiTypes }) => apiTypes.some((type) => apiType.startsWith(`${type}_`)))
  if (variantOf) return variantOf
  const name = PROVIDER_PACKAGES[apiType]
  const known = providers.flatMap(({ apiTypes }) => apiTypes)
  throw new XError(
    'unknown-provider',
    `no provider answers for \`apiType: '${apiType}'\` of entry ${index}: ${
      name ? `install \`${name}\` and add it to \`providers\`` : 'add a provider for it to `providers`'
    }${known.length > 0 ? ` (there: ${known.join(', ')})` : ''}`,
    { details: { apiType, known } },
  )
}
