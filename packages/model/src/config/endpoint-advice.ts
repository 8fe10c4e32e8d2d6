import type { ConfigEntry } from '@x/interfaces'
import { nearestName } from '@x/kernel/options'
import { withoutEndSlashes } from './entry.ts'

/** The exports that answer for an `apiType`; each package has the name of its export. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'openai',
  anthropic: 'anthropic',
  google: 'google',
}

/** Platforms of others that run Claude: the export, and the entry of the package that has it. */
const CLAUDE_PLATFORMS: Readonly<Record<string, readonly [name: string, entry: string]>> = {
  anthropicbedrock: ['anthropicBedrock', 'bedrock'],
  anthropicvertex: ['anthropicVertex', 'vertex'],
  bedrock: ['anthropicBedrock', 'bedrock'],
}

/** Words of other libraries for an `apiType`, in small letters alone. */
const TYPES_ELSEWHERE: Readonly<Record<string, string>> = {
  azureopenai: 'azure',
  claude: 'anthropic',
  gemini: 'google',
  googleai: 'google',
  vertex: 'google',
  vertexai: 'google',
  grok: 'xai',
  kimi: 'moonshot',
  pplx: 'perplexity',
}

/** Rows of endpoints whose addresses differ for each user, by their names elsewhere. */
const ROWS_ELSEWHERE: Readonly<Record<string, string>> = {
  snowflake: 'snowflake',
  snowflakecortex: 'snowflake',
  cortex: 'snowflake',
  hostedvllm: 'vllm',
  llamacpp: 'compatible',
  llamafile: 'compatible',
  localai: 'compatible',
  litellm: 'compatible',
  openaicompatible: 'compatible',
}

/** Endpoints of `ENDPOINT_URLS` without a row of their own. */
const WITHOUT_ROW: ReadonlySet<string> = new Set(['cohere'])

/** Says what to write in place of an `apiType` that no provider has. */
export function remedyForType(apiType: string, model: unknown, known: readonly string[]): string {
  if (Object.hasOwn(PROVIDER_NAMES, apiType)) {
    const { name, ref } = refTo(apiType, typeof model === 'string' ? model : 'model')
    return `install \`@x/provider-${name}\` and write \`providers: [${name}]\`, or \`${ref}\` in place of the entry`
  }
  const word = apiType.replaceAll(/[^a-z]/giu, '').toLowerCase()
  if (word.startsWith('responses')) return "leave `apiType` out and write `api: 'responses'`"
  if (Object.hasOwn(CLAUDE_PLATFORMS, word)) {
    const [name, entry] = CLAUDE_PLATFORMS[word]!
    return `for Claude, import \`${name}\` of \`@x/provider-anthropic/${entry}\`, and write \`providers: [${name}]\` with \`apiType: 'anthropic-${entry}'\`; other models by \`@x/provider-ai-sdk\``
  }
  if (Object.hasOwn(ROWS_ELSEWHERE, word)) {
    return `leave \`apiType\` out and write the \`baseUrl\` of the server and \`endpointProfile: '${ROWS_ELSEWHERE[word]}'\`, for \`openai\` of \`@x/provider-openai\``
  }
  const types = [...known, ...Object.keys(PROVIDER_NAMES)]
  const near =
    (Object.hasOwn(TYPES_ELSEWHERE, word) ? TYPES_ELSEWHERE[word] : undefined) ??
    [word, word.replace(/ai$/u, '')].find((name) => Object.hasOwn(ENDPOINT_URLS, name)) ??
    nearestName(apiType, [...types, ...Object.keys(ENDPOINT_URLS)])
  if (near === undefined) return 'add a provider for it to `providers`'
  const url = types.includes(near) ? undefined : ENDPOINT_URLS[near]
  if (url === undefined) return `write \`apiType: '${near}'\``
  const row = WITHOUT_ROW.has(near) ? 'compatible' : near
  return `leave \`apiType\` out and write \`baseUrl: '${url}'\`, which \`openai\` of \`@x/provider-openai\` reaches by its row \`${row}\``
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

/**
 * Returns the `baseUrl` to try where an endpoint with the wire format of OpenAI has no such path: the known one of its host,
 * or the given one with `/v1`; undefined where neither tells anything.
 */
export function urlToTry({ apiType = 'openai', baseUrl }: ConfigEntry): string | undefined {
  if (apiType !== 'openai' || !baseUrl || !URL.canParse(baseUrl)) return undefined
  const { origin, pathname, host } = new URL(baseUrl)
  const given = origin + withoutEndSlashes(pathname)
  const known = Object.values(ENDPOINT_URLS).find((url) => new URL(url).host === host)
  if (known !== undefined) return known === given ? undefined : known
  return /\/v\d\w*(?:\/|$)/u.test(pathname) ? undefined : `${given}/v1`
}
