import type { ConfigEntry } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Root URLs of endpoints that `@x/provider-openai` reaches by `baseUrl`; a test compares them with `docs/endpoints.md`. */
export const ENDPOINT_URLS: Readonly<Record<string, string>> = {
  groq: 'https://api.groq.com/openai/v1',
  mistral: 'https://api.mistral.ai/v1',
  deepseek: 'https://api.deepseek.com',
  moonshot: 'https://api.moonshot.ai/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  xai: 'https://api.x.ai/v1',
  together: 'https://api.together.xyz/v1',
  fireworks: 'https://api.fireworks.ai/inference/v1',
  cerebras: 'https://api.cerebras.ai/v1',
  perplexity: 'https://api.perplexity.ai',
  cohere: 'https://api.cohere.ai/compatibility/v1',
  ollama: 'http://localhost:11434/v1',
  vllm: 'http://localhost:8000/v1',
  lmstudio: 'http://localhost:1234/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta/openai',
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
  const path = url.pathname.replace(/\/+$/u, '')
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

/**
 * Returns the `baseUrl` to try where an endpoint with the wire format of OpenAI has no such path: the known one of its host,
 * or the given one with `/v1`; undefined where neither tells anything.
 */
export function urlToTry({ apiType = 'openai', baseUrl }: ConfigEntry): string | undefined {
  if (apiType !== 'openai' || !baseUrl || !URL.canParse(baseUrl)) return undefined
  const { origin, pathname, host } = new URL(baseUrl)
  const given = origin + pathname.replace(/\/+$/u, '')
  const known = Object.values(ENDPOINT_URLS).find((url) => new URL(url).host === host)
  if (known !== undefined) return known === given ? undefined : known
  return /\/v\d\w*(?:\/|$)/u.test(pathname) ? undefined : `${given}/v1`
}
