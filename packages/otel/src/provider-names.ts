/** Ends of the hosts of endpoints, with the providers as the conventions name them. */
const HOSTS: readonly (readonly [end: string, provider: string])[] = [
  ['api.openai.com', 'openai'],
  ['.openai.azure.com', 'azure.ai.openai'],
  ['.services.ai.azure.com', 'azure.ai.inference'],
  ['models.inference.ai.azure.com', 'azure.ai.inference'],
  ['api.anthropic.com', 'anthropic'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
  ['aiplatform.googleapis.com', 'gcp.vertex_ai'],
  ['.amazonaws.com', 'aws.bedrock'],
  ['api.mistral.ai', 'mistral_ai'],
  ['api.deepseek.com', 'deepseek'],
  ['api.groq.com', 'groq'],
  ['api.x.ai', 'x_ai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.cohere.com', 'cohere'],
  ['api.cohere.ai', 'cohere'],
  ['.ml.cloud.ibm.com', 'ibm.watsonx.ai'],
]

/** Ends of the names of adapters, with the provider whose wire format they speak. */
const ADAPTERS: readonly (readonly [end: string, provider: string])[] = [
  ['provider-openai', 'openai'],
  ['provider-anthropic', 'anthropic'],
  ['provider-google', 'gcp.gen_ai'],
]

/** Stands for a provider that is not known. */
export const UNKNOWN_PROVIDER = '_OTHER'

/** Returns the provider of an attempt as the conventions name it: by the host of its endpoint, or else by its adapter. */
export function providerName(adapter: string | null, endpoint: string | null): string {
  const host = splitEndpoint(endpoint)?.host ?? ''
  const known = HOSTS.find(([end]) => host === end || host.endsWith(end.startsWith('.') ? end : `-${end}`))
  if (known) return known[1]
  if (adapter === null) return UNKNOWN_PROVIDER
  return ADAPTERS.find(([end]) => adapter.endsWith(end))?.[1] ?? adapter
}

/** Port of an endpoint whose host tells none. */
const DEFAULT_PORT = 443

/** Splits the host of an endpoint, which may have a port; undefined without one. */
export function splitEndpoint(endpoint: string | null): { readonly host: string; readonly port: number } | undefined {
  if (endpoint === null || endpoint === '') return undefined
  const [port] = /:\d{1,5}$/u.exec(endpoint) ?? []
  if (port === undefined) return { host: endpoint, port: DEFAULT_PORT }
  return { host: endpoint.slice(0, -port.length), port: Number(port.slice(1)) }
}
