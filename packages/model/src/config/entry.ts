import type { ConfigEntry, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, nearestName } from '@x/kernel/options'
import { ENTRY_KINDS, type Extra, EXTRA_KEYS, TIMEOUT_NAMES, WIRE_KEYS } from './config-keys.ts'

/**
 * Returns an entry in the spelling of this library: known snake_case keys become camelCase, request parameters keep the
 * wire's names. Throws `invalid-config` for an unknown camelCase key or a near miss, and names the nearest key.
 */
export function checkEntry(
  entry: Readonly<ConfigEntry>,
  where: string,
  clientKeys: readonly string[] = [],
): ConfigEntry {
  if (isProvider(entry)) {
    throw new XError('invalid-config', `${where} is a provider: name a model, as in \`openai('gpt-5-mini')\``)
  }
  if (!kind.object.takes(entry)) {
    throw new XError(
      'invalid-config',
      `${where} is not an object: give { model: 'gpt-5-mini' } or \`openai('gpt-5-mini')\`, with \`openai\` of \`@x/provider-openai\``,
    )
  }
  if (typeof entry['provider'] === 'string') {
    throw new XError(
      'invalid-config',
      `\`provider\` of ${where} is a text: write \`apiType\`, or \`openai('gpt-5-mini')\` in place of the entry`,
    )
  }
  const checked = spellKeys(entry, where, clientKeys)
  for (const [name, value] of Object.entries(checked)) checkEntryValue(name, value, where)
  refuseExecutableTools(checked['tools'], where)
  return checked
}

/** Refuses tools with functions of the program among those that are sent as they are: nobody would execute their calls. */
export function refuseExecutableTools(
  tools: unknown,
  where: string,
  code: 'invalid-argument' | 'invalid-config' = 'invalid-config',
): void {
  if (!Array.isArray(tools)) return
  const at = tools.findIndex((tool: { execute?: unknown } | null) => typeof tool?.execute === 'function')
  if (at === -1) return
  throw new XError(
    code,
    `\`tools[${at}]\` of ${where} has an \`execute\`, which nobody would call: give the tool to an agent, as in \`createAgent({ name, model, tools })\``,
    { details: { key: 'tools' } },
  )
}

/** Returns an entry, or a filter for entries, with the spelling of this library; a key that is undefined is left out. */
export function spellKeys(
  entry: Readonly<Record<string, unknown>>,
  where: string,
  clientKeys?: readonly string[],
): Record<string, unknown> {
  const spelt: Record<string, unknown> = {}
  for (const key of Object.keys(entry)) {
    if (entry[key] === undefined) continue
    const name = spellKey(key, where, clientKeys)
    if (name !== key && entry[name] !== undefined) {
      throw new XError('invalid-config', `${where} has both \`${key}\` and \`${name}\`: keep one of them`)
    }
    spelt[name] = entry[key]
  }
  return spelt
}

/** Options of `llmConfig` that are not keys of an entry, so that a misspelling of one is not sent as a parameter. */
const LLM_CONFIG_OPTIONS: readonly string[] = ['configList', 'providers', 'defaultCache', 'io', 'logger', 'runtime']

/** Words of other libraries for keys of an entry: their small letters, and what is written here. */
const WORDS_ELSEWHERE: readonly (readonly [words: string, remedy: string])[] = [
  ['apibase azureendpoint clienthost endpoint host openaiapibase url', 'write `baseUrl`'],
  [
    'anthropicapikey azureadtokenprovider googleapikey key openaiapikey token',
    'write `apiKey`, which may be a function',
  ],
  ['azuredeployment azureopenaiapideploymentname deployment deploymentname modelid modelname', 'write `model`'],
  ['requesttimeout timeoutms', 'write `timeout`, in seconds'],
  ['maxretry numretries', 'write `maxRetries`'],
  ['headers', 'write `defaultHeaders`'],
  ['httpclient', 'write `fetch`'],
  ['proxy', 'set `HTTPS_PROXY` and `NODE_USE_ENV_PROXY=1`, or write `fetch`'],
  ['apiratelimit', 'write `limiter`'],
  ['llmconfig', 'put its keys here, without it'],
  ['routingmethod', 'leave it out: configs are asked in their order'],
  ['hidetools nativetoolcalls', 'leave it out: tools are always sent, and called in the form of the provider'],
  ['builtintools', "write them as `tools`, as in [{ type: 'web_search' }]"],
  // Secrets among them would go to the provider as parameters.
  [
    'awsaccesskey awsaccesskeyid awsprofilename awsregion awsregionname awssecretaccesskey awssecretkey awssessiontoken',
    'for Claude, write `anthropicBedrock` of `@x/provider-anthropic/bedrock`, with `region` and `credentials`',
  ],
  [
    'gcpauthtoken gcpprojectid gcpregion vertexcredentials vertexlocation vertexproject',
    'for Claude, write `anthropicVertex` of `@x/provider-anthropic/vertex`, with `project`, `location` and `apiKey`',
  ],
  [
    'projectid',
    'for Claude on Vertex, write `project`; for Gemini, its `baseUrl` there, and an access token as `apiKey`',
  ],
  ['googleapplicationcredentials', 'for Vertex, write its `baseUrl`, and as `apiKey` a function for an access token'],
  ...['systemMessage', 'humanInputMode', 'maxConsecutiveAutoReply', 'codeExecutionConfig'].map(
    (option) => [option.toLowerCase(), `it is an option of the agent: write \`${option}\` there`] as const,
  ),
]

const REMEDIES: ReadonlyMap<string, string> = new Map(
  WORDS_ELSEWHERE.flatMap(([words, remedy]) => words.split(' ').map((word) => [word, remedy] as const)),
)

/** Names of request parameters in camelCase, which are other parameters in snake_case. */
const PARAMS_ELSEWHERE: Readonly<Record<string, string>> = { maxOutputTokens: 'max_tokens', stopSequences: 'stop' }

/** Returns the spelling of one key in this library, or throws as `checkEntry` does. */
export function spellKey(key: string, where: string, clientKeys: readonly string[] = []): string {
  if (key === '__proto__') throw new XError('invalid-config', `${where} has a key \`__proto__\`: remove it`)
  if (ENTRY_KINDS.has(key) || WIRE_KEYS.has(key) || clientKeys.includes(key)) return key
  const camel = camelCase(key)
  if (ENTRY_KINDS.has(camel) || WIRE_KEYS.has(camel) || clientKeys.includes(camel)) return camel
  if (LLM_CONFIG_OPTIONS.includes(camel)) {
    throw new XError(
      'invalid-config',
      `${where} has the key \`${key}\`, which belongs beside the list: llmConfig({ providers: [openai], configList: [{ model: 'gpt-5-mini' }] })`,
      { details: { key } },
    )
  }
  const remedy = remedyFor(key)
  const near = remedy
    ? undefined
    : nearestName(key, [...ENTRY_KINDS.keys(), ...clientKeys, ...WIRE_KEYS, ...LLM_CONFIG_OPTIONS])
  if (!remedy && near === undefined && key === key.toLowerCase()) return key
  const advice = remedy ?? (near ? `did you mean \`${near}\`?` : "request parameters keep the wire's names")
  throw new XError('invalid-config', `${where} has an unknown key \`${key}\`: ${advice}`, {
    details: { key, nearest: near },
  })
}

/** Says what is written here for a word of another library; undefined for a word that none has. */
function remedyFor(key: string): string | undefined {
  const param = Object.hasOwn(PARAMS_ELSEWHERE, key) ? PARAMS_ELSEWHERE[key] : undefined
  return param ? `write \`${param}\`` : REMEDIES.get(key.replaceAll(/[_-]/gu, '').toLowerCase())
}

const camelCase = (key: string): string => key.replaceAll(/_([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase())

/** Returns a warning for each time limit that was probably meant in milliseconds. */
export function doubtfulTimeouts(
  { timeout, timeouts }: Pick<ConfigEntry, 'timeout' | 'timeouts'>,
  where: string,
): string[] {
  const limits: [name: string, seconds: number | undefined][] = [['timeout', timeout]]
  for (const name of TIMEOUT_NAMES) limits.push([`timeouts.${name}`, timeouts?.[name]])
  return limits.flatMap(([name, seconds]) => {
    const text = seconds === undefined ? undefined : kind.timeout.warning(`\`${name}\` of ${where}`, seconds)
    return text === undefined ? [] : [text]
  })
}

/** Refuses a value of a wrong type without showing it: it may be an API key. Null counts as absent, as in JSON. */
export function checkEntryValue(
  name: string,
  value: unknown,
  where: string,
  code: 'invalid-argument' | 'invalid-config' = 'invalid-config',
): void {
  const kindOf = value === null || value === undefined ? undefined : ENTRY_KINDS.get(name)
  if (!kindOf || kindOf.takes(value as never)) return
  throw new XError(code, `\`${name}\` of ${where} is of a wrong kind; give ${kindOf.expected}`, {
    details: { key: name },
  })
}

/** Options, split into request parameters and options of the wrapper. */
export interface SplitOptions {
  readonly params: Readonly<Record<string, unknown>>
  readonly extra: Extra
}

/** Keys that are ignored: the method that is called decides whether the answer is streamed. */
const METHOD_KEYS: ReadonlySet<string> = new Set(['stream', 'stream_options'])

/** Keys for which null means the default. */
const NULL_IS_DEFAULT: ReadonlySet<string> = new Set([
  'timeout',
  'timeouts',
  'maxRetryAfter',
  'retryTimeouts',
  'batch',
  'model',
  'cacheTimeout',
  'cacheWait',
])

/** Splits options into request parameters and options of the wrapper; absent values are left out. */
export function splitOptions(options: Readonly<ConfigEntry>): SplitOptions {
  const split = { params: {}, extra: {} }
  for (const key of Object.keys(options)) addOption(split, key, options[key])
  return split
}

/** Adds one option to the part that it belongs to. */
export function addOption({ params, extra }: SplitOptions, key: string, value: unknown): void {
  if (value === undefined || METHOD_KEYS.has(key) || (value === null && NULL_IS_DEFAULT.has(key))) return
  const target = key === 'timeout' || EXTRA_KEYS.has(key) ? extra : params
  ;(target as Record<string, unknown>)[key] = value
}

/** Tells a provider from any other value. */
export const isProvider = (value: unknown): value is Provider =>
  typeof (value as Partial<Provider> | null | undefined)?.createClient === 'function'

/** Returns a path without the slashes at its end. */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end)
}
