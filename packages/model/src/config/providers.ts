import type { ConfigEntry, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { nearestName } from '@x/kernel/options'
import { ENDPOINT_URLS } from './base-url.ts'

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

/** The exports that answer for an `apiType`; each package has the name of its export. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'openai',
  anthropic: 'anthropic',
  google: 'google',
}

/** Words of other libraries for an `apiType`, in small letters alone. */
const TYPES_ELSEWHERE: Readonly<Record<string, string>> = {
  azureopenai: 'azure',
  claude: 'anthropic',
  gemini: 'google',
  googleai: 'google',
  vertex: 'google',
  vertexai: 'google',
}

/** Returns the provider of an entry by its `apiType`. */
export function providerFor(entry: ConfigEntry, index: number, providers: readonly Provider[]): Provider {
  const { apiType = 'openai', model } = entry
  const provider = providers.find(({ apiTypes }) => apiTypes.includes(apiType))
  if (provider) return provider
  const variantOf = providers.find(({ apiTypes }) => apiTypes.some((type) => apiType.startsWith(`${type}_`)))
  if (variantOf) return variantOf
  const known = providers.flatMap(({ apiTypes }) => apiTypes)
  const there = known.length > 0 ? ` (there: ${known.join(', ')})` : ''
  throw new XError(
    'unknown-provider',
    `no provider answers for \`apiType: '${apiType}'\` of entry ${index}: ${remedyFor(apiType, model, known)}${there}`,
    { details: { apiType, known } },
  )
}

/** Says what to write in place of an `apiType` that no provider has. */
function remedyFor(apiType: string, model: unknown, known: readonly string[]): string {
  if (Object.hasOwn(PROVIDER_NAMES, apiType)) {
    const { name, ref } = refTo(apiType, typeof model === 'string' ? model : 'model')
    return `install \`@x/provider-${name}\` and write \`providers: [${name}]\`, or \`${ref}\` in place of the entry`
  }
  const word = apiType.replaceAll(/[^a-z]/giu, '').toLowerCase()
  if (word.startsWith('responses')) return "leave `apiType` out and write `api: 'responses'`"
  if (word === 'bedrock') {
    return 'there is no provider for it: reach it by a gateway with the wire format of OpenAI, and write its `baseUrl` without `apiType`'
  }
  const types = [...known, ...Object.keys(PROVIDER_NAMES)]
  const near =
    (Object.hasOwn(TYPES_ELSEWHERE, word) ? TYPES_ELSEWHERE[word] : undefined) ??
    nearestName(apiType, [...types, ...Object.keys(ENDPOINT_URLS)])
  if (near === undefined) return 'add a provider for it to `providers`'
  const url = types.includes(near) ? undefined : ENDPOINT_URLS[near]
  if (url === undefined) return `write \`apiType: '${near}'\``
  return `leave \`apiType\` out and write \`baseUrl: '${url}'\`, which \`openai\` of \`@x/provider-openai\` reaches`
}

/** The beginnings of names of models, and who has them: an `apiType`, or an endpoint of `ENDPOINT_URLS`. */
const MODEL_HOMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|o\d|chatgpt-)/u, 'openai'],
  [/^claude/u, 'anthropic'],
  [/^gemini/u, 'google'],
  [/^(?:mistral|ministral|magistral|codestral|pixtral)-/u, 'mistral'],
  [/^deepseek-/u, 'deepseek'],
  [/^grok-/u, 'xai'],
  [/^kimi-/u, 'moonshot'],
  [/^sonar/u, 'perplexity'],
]

/**
 * Says what to write for a model that an endpoint does not have, by its name: it is of another provider, or has the name of
 * its provider before it, as in `openai/gpt-5`. Undefined if the name tells nothing.
 */
export function refElsewhere(model: string, apiType: string = 'openai'): string | undefined {
  const [, prefix = '', rest = model] = /^([\w-]+)[/:](.+)$/u.exec(model) ?? []
  const isKnown = Object.hasOwn(PROVIDER_NAMES, prefix) || Object.hasOwn(ENDPOINT_URLS, prefix)
  const home = isKnown ? prefix : MODEL_HOMES.find(([pattern]) => pattern.test(model))?.[1]
  if (home === undefined || (!isKnown && home === PROVIDER_NAMES[apiType])) return undefined
  const { name, ref } = refTo(home, isKnown ? rest : model)
  return `write \`${ref}\`, with \`${name}\` of \`@x/provider-${name}\``
}

/** Returns the code that names a model of an `apiType` or of an endpoint, and the export that is called. */
function refTo(home: string, model: string): { readonly name: string; readonly ref: string } {
  const name = Object.hasOwn(PROVIDER_NAMES, home) ? PROVIDER_NAMES[home]! : 'openai'
  const url = Object.hasOwn(PROVIDER_NAMES, home) ? undefined : ENDPOINT_URLS[home]
  const option = url === undefined ? `apiType: '${home}'` : `baseUrl: '${url}'`
  return { name, ref: `${name}('${model}'${name === home ? '' : `, { ${option} }`})` }
}
