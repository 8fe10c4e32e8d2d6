import type { ConfigEntry } from '@x/interfaces'
import type { OpenAIKeys } from './config.ts'
import { ENDPOINTS, type EndpointName, type EndpointProfile, type EndpointRow } from './endpoint-profiles.ts'

/** Rules of the endpoint of a config entry, with its name in the table. */
export interface NamedProfile extends EndpointProfile {
  readonly name: EndpointName
}

/** Returns the rules of the endpoint of a config entry: those of its host, changed by `endpointProfile` of the entry. */
export function profileOf(config: ConfigEntry, { endpointProfile }: OpenAIKeys, defaultUrl?: string): NamedProfile {
  const { extends: base, ...overrides } =
    typeof endpointProfile === 'string' ? { extends: endpointProfile } : (endpointProfile ?? {})
  const name = base ?? nameOf(config, defaultUrl)
  return { ...ENDPOINTS[name], ...overrides, name }
}

function nameOf({ apiType, baseUrl }: ConfigEntry, defaultUrl: string | undefined): EndpointName {
  if (apiType?.startsWith('azure')) return 'azure'
  const url = baseUrl || defaultUrl
  if (!url) return 'openai'
  if (!URL.canParse(url)) return 'compatible'
  const { hostname, port } = new URL(url)
  const rows = Object.entries(ENDPOINTS) as [EndpointName, EndpointRow][]
  const isOf = (domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`)
  const byHost = rows.find(([, { hosts }]) => hosts.some(isOf))
  const byPort = rows.find(([, row]) => row.port !== undefined && row.port === port)
  return (byHost ?? byPort)?.[0] ?? 'compatible'
}
