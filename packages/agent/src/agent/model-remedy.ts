/** Exports that name models, by the beginning of the names of their models. */
const MODEL_MAKERS: readonly (readonly [models: RegExp, maker: string])[] = [
  [/^claude-/u, 'anthropic'],
  [/^gemini-/u, 'google'],
  [/^(?:gpt|o\d|chatgpt-)/u, 'openai'],
]

/** Exports that name models, by the word that other libraries write before a model or as its provider. */
const PROVIDER_WORDS: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'openai',
  anthropic: 'anthropic',
  claude: 'anthropic',
  google: 'google',
  gemini: 'google',
  vertex: 'google',
  vertexai: 'google',
}

/** Words for endpoints with the wire format of OpenAI, which `openai` reaches by their `baseUrl`. */
const ENDPOINT_WORDS: ReadonlySet<string> = new Set(
  'cerebras cohere deepseek fireworks groq lmstudio mistral mistralai moonshot ollama openrouter perplexity together togetherai vllm xai'.split(
    ' ',
  ),
)

/** The model that stands in an example. */
const EXAMPLE = { maker: 'openai', model: 'gpt-5-mini' }

/** A model in the words of this library. */
interface NamedModel {
  readonly maker: string
  readonly model: string
  readonly options?: string
}

/** Says how to write models of `llmConfig` that were given by a name, by an entry, by a list or by a provider itself. */
export function llmRemedy(value: unknown, option: 'llmConfig: ' | '' = ''): string | undefined {
  const models = modelsIn(value)
  if (!models) return undefined
  return `write \`${option}llmConfig(${codeOf(value, models)})\`, with \`llmConfig\` of \`@x/model\` and ${originsOf(models, 'the provider')}`
}

/** Says how to write the `model` of `createAgent`; `takesRefs`: it takes `openai('…')` as it is, as that of `@x/kit` does. */
export function modelRemedy(value: unknown, takesRefs: boolean): string {
  const models = modelsIn(value) ?? [EXAMPLE]
  const code = codeOf(value, models)
  return takesRefs
    ? `write \`model: ${code}\`, with ${originsOf(models, 'the kit')}`
    : `write \`model: llmConfig(${code})\`, with \`llmConfig\` of \`@x/model\` and ${originsOf(models, 'the provider')}`
}

const codeOf = (value: unknown, models: readonly NamedModel[]): string => {
  const refs = models.map(({ maker, model, options = '' }) => `${maker}('${model}'${options})`)
  return refs.length > 1 || (Array.isArray(value) && value.length > 0) ? `[${refs.join(', ')}]` : refs[0]!
}

const originsOf = (models: readonly NamedModel[], from: 'the kit' | 'the provider'): string =>
  [...new Set(models.map(({ maker }) => maker))]
    .map((maker) => `\`${maker}\` of ${from === 'the kit' ? '`@x/kit` or ' : ''}\`@x/provider-${maker}\``)
    .join(' and ')

/** Reads the models that somebody meant; undefined for a value that names none. */
function modelsIn(value: unknown): readonly NamedModel[] | undefined {
  if (typeof value === 'string') return [namedModel(value)]
  if (typeof value === 'function') return isProvider(value) ? [exampleOf(value)] : undefined
  if (typeof value !== 'object') return undefined
  const list = Array.isArray(value)
    ? value
    : ((Object(value) as Fields).configList ?? (Object(value) as Fields).config_list)
  if (!Array.isArray(list) || list.length === 0) return [entryModel(Object(value) as Fields)]
  return list
    .slice(0, 3)
    .map((each: unknown) => (typeof each === 'string' ? namedModel(each) : entryModel(Object(each) as Fields)))
}

/** A provider, in place of a model of it. */
interface ProviderLike {
  readonly apiTypes?: readonly string[]
}

const isProvider = (value: object): value is ProviderLike => 'createClient' in value && 'apiTypes' in value

const exampleOf = ({ apiTypes = [] }: ProviderLike): NamedModel => {
  const maker = makerOf(apiTypes[0])
  return maker === undefined || maker === 'openai' ? EXAMPLE : { maker, model: '…' }
}

/** Fields by which an entry, or a model of another library, names its model and its provider. */
type Fields = Readonly<Record<string, unknown>>

function entryModel(entry: Fields): NamedModel {
  const { provider, apiType = entry['api_type'] } = entry
  const name = [entry['model'], entry['modelId'], entry['modelName'], provider && entry['name']].find(
    (each) => typeof each === 'string',
  )
  const named = name === undefined ? EXAMPLE : namedModel(name)
  const own = makerOf(typeof provider === 'string' ? provider : apiType)
  const hasKey = 'apiKey' in entry || 'api_key' in entry
  const hasUrl = 'baseUrl' in entry || 'base_url' in entry || 'baseURL' in entry
  const keys = [...(hasKey ? ['apiKey'] : []), ...(hasUrl ? ['baseUrl'] : [])].join(', ')
  return {
    ...named,
    ...(named.model === '…' && own && { maker: own }),
    ...(keys && { options: `, { ${keys} }` }),
  }
}

/** Reads the name of a model, with or without its provider before it. A text that may be a secret is not shown. */
function namedModel(text: string): NamedModel {
  const end = text.search(/[/:]/u)
  const [prefix, rest] = end < 1 ? ['', ''] : [text.slice(0, end), text.slice(end + 1)]
  const isEndpoint = ENDPOINT_WORDS.has(prefix.toLowerCase())
  const maker = isEndpoint ? 'openai' : makerOf(prefix)
  if (maker !== undefined && isName(rest)) {
    return { maker, model: rest, ...(isEndpoint && { options: ', { baseUrl }' }) }
  }
  const own = MODEL_MAKERS.find(([models]) => models.test(text))?.[1]
  return own && isName(text) ? { maker: own, model: text } : { maker: 'openai', model: '…' }
}

const isName = (text: string): boolean => /^[a-z][\w./:-]{1,60}$/iu.test(text) && !/^sk-/iu.test(text)

/** Returns the export for the word of a provider, such as `openai`, `openai.chat` or `google_genai`. */
function makerOf(word: unknown): string | undefined {
  const first = typeof word === 'string' ? (/^[a-z]+/iu.exec(word)?.[0] ?? '').toLowerCase() : ''
  return Object.hasOwn(PROVIDER_WORDS, first) ? PROVIDER_WORDS[first] : undefined
}
