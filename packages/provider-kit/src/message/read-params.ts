import type { ChatMessage, FunctionSchema, JsonSchema, ModelParams, RequestParams } from '@x/interfaces'
import { isRecord } from '../json/wire-values.ts'
import { option, readNested, readOptions, type OptionKind } from '../json/read-options.ts'

/** A tool of a request: a function of the caller, or a tool in the form of the provider. */
export interface RequestTool {
  readonly function?: FunctionSchema | undefined
  readonly cache_control?: unknown
  readonly [key: string]: unknown
}

/** Parameters that every wire format has in some form. */
type SharedParams = Omit<RequestParams, 'model' | 'messages' | 'tools' | 'functions'>

/** Checked parameters of a request: each has its type, and null counts as absent. */
export interface CheckedParams extends Readonly<{ [K in keyof SharedParams]?: NonNullable<SharedParams[K]> }> {
  /** Messages; a `prompt` becomes one message of the user. */
  readonly messages: readonly ChatMessage[]
  /** Tools, then the older `functions` as tools. */
  readonly tools: readonly RequestTool[]
  /** The older `functions` alone, for providers that take them. */
  readonly functions: readonly FunctionSchema[]
  /** Set when the answer has to be JSON: `response_format` without its wrapping. */
  readonly json: { readonly schema: JsonSchema | undefined } | undefined
  /** Type of a `response_format` that asks for neither text nor JSON. */
  readonly otherFormat: string | undefined
  /** Parameters that only some providers know, as they were given. */
  readonly others: Readonly<Record<string, unknown>>
  /** All parameters but `messages` and those of streaming, as they were given. */
  readonly given: Readonly<Record<string, unknown>>
  /** Parameters of `given` that were written for this provider (`providerOptions`): they are never left out. */
  readonly own: Readonly<Record<string, unknown>>
  /** Parameters for one provider alone, those of others included, as they were given. */
  readonly providerOptions: Readonly<Record<string, unknown>>
}

const BIAS_KIND: OptionKind<Record<string, number>> = {
  expected: 'an object of numbers',
  read: (value) => (isRecord(value) && hasNumbers(value) ? value : undefined),
}

const hasNumbers = (value: Record<string, unknown>): value is Record<string, number> =>
  Object.values(value).every((bias) => typeof bias === 'number')

/** A function with a name; its other keys stay, since a provider may know them. */
const FUNCTION_KIND: OptionKind<FunctionSchema> = {
  expected: 'an object with a `name`',
  read(value, origin) {
    if (!isRecord(value)) return undefined
    const { name } = readNested(value, FUNCTION_KINDS, origin)
    return name === undefined ? undefined : { ...value, name }
  },
}

const FUNCTION_KINDS = {
  name: option.text,
  description: option.text,
  parameters: option.object,
  strict: option.boolean,
}

const TOOL_KIND: OptionKind<RequestTool> = {
  expected: 'an object',
  read(value, origin) {
    if (!isRecord(value)) return undefined
    const { function: called } = readNested(value, { function: FUNCTION_KIND }, origin)
    const { function: _, ...rest } = value
    return called ? { ...rest, function: called } : rest
  },
}

const TOOL_LIST_KINDS = { tools: option.list(TOOL_KIND), functions: option.list(FUNCTION_KIND) }

/** Kinds of the shared parameters; the type demands one for each parameter of `RequestParams`. */
const SHARED_PARAM_KINDS: { readonly [K in keyof SharedParams]-?: OptionKind<NonNullable<SharedParams[K]>> } = {
  temperature: option.number,
  top_p: option.number,
  top_k: option.number,
  max_tokens: option.number,
  max_completion_tokens: option.number,
  stop: option.either(option.text, option.list(option.text)),
  seed: option.number,
  n: option.number,
  presence_penalty: option.number,
  frequency_penalty: option.number,
  logit_bias: BIAS_KIND,
  logprobs: option.either(option.boolean, option.number),
  top_logprobs: option.number,
  tool_choice: option.either(option.text, option.object),
  parallel_tool_calls: option.boolean,
  function_call: option.either(option.text, FUNCTION_KIND),
  response_format: option.object,
  reasoning_effort: option.text,
  verbosity: option.text,
  service_tier: option.text,
  user: option.text,
  metadata: option.object,
}

/** Word for a parameter in errors. */
const PARAMETER_WORD = 'request parameter'

/** Messages, and options of the call, which are not parameters. */
const CALL_OPTIONS: ReadonlySet<string> = new Set(
  'messages stream stream_options extra_body extra_headers includeRaw providerOptions'.split(' '),
)

/** Parameters that are read separately. */
const SEPARATE_PARAMS: ReadonlySet<string> = new Set(['model', 'messages', 'prompt', 'tools', 'functions'])

/**
 * Checks the parameters of a request once, for all adapters. Fails with `invalid-config` for a parameter of a wrong type,
 * naming it, its value and the expected kind. Unknown parameters pass as they are. `names` are the names of the provider in
 * `providerOptions`.
 */
export function readParams(params: ModelParams, names: readonly string[] = []): CheckedParams {
  const { messages, prompt, providerOptions } = params
  const own = providerOptions ? ownOptions(params, names) : NO_OPTIONS
  const all = providerOptions ? { ...params, ...own } : params
  const given: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  const shared: Record<string, unknown> = {}
  for (const key of Object.keys(all)) {
    const value = key === 'tool_choice' && !(key in own) ? sharedChoice(all[key]) : all[key]
    if (value === undefined || value === null || CALL_OPTIONS.has(key)) continue
    given[key] = value
    if (SEPARATE_PARAMS.has(key)) continue
    if (Object.hasOwn(SHARED_PARAM_KINDS, key)) shared[key] = value
    else others[key] = value
  }
  const { tools, functions = NONE } = readOptions(given, TOOL_LIST_KINDS, PARAMETER_WORD)
  const read = readOptions<SharedParams>(shared, kindsFor(shared), PARAMETER_WORD)
  return {
    ...read,
    messages: typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : messages,
    tools: functions.length > 0 ? [...(tools ?? []), ...functions.map((fn) => ({ function: fn }))] : (tools ?? NONE),
    functions,
    ...formatOf(read.response_format),
    others,
    given,
    own,
    providerOptions: providerOptions ?? NO_OPTIONS,
  }
}

const NONE: readonly never[] = Object.freeze([])

/** Choices of a tool without a name, by their types in the forms of Anthropic and others. */
const CHOICES: ReadonlyMap<unknown, string> = new Map([
  ['any', 'required'],
  ['auto', 'auto'],
  ['none', 'none'],
])

/** Returns the choice of a tool in the form of chat completions; one that says more stays as it is. */
function sharedChoice(choice: unknown): unknown {
  if (!isRecord(choice)) return choice === 'any' ? 'required' : choice
  const { type, name, ...others } = choice
  if (Object.keys(others).length > 0) return choice
  if (name === undefined) return CHOICES.get(type) ?? choice
  return type === 'function' || type === 'tool' ? { type: 'function', function: { name } } : choice
}

/** Returns the kinds of the shared parameters that a request has: most requests have few. */
function kindsFor(shared: object): typeof SHARED_PARAM_KINDS {
  const kinds: Record<string, OptionKind<unknown>> = {}
  for (const key of Object.keys(shared)) kinds[key] = SHARED_PARAM_KINDS[key as keyof SharedParams]
  return kinds as typeof SHARED_PARAM_KINDS
}

/**
 * Reads the parameters of the requests of one client. Most differ from the one before in their messages alone: then all else
 * is known, and `given` and the other parts are the same objects.
 */
export class ParamsReader {
  /** Names of the provider in `providerOptions`. */
  readonly names: readonly string[]
  #latest: ModelParams | undefined
  #count = 0
  #checked: CheckedParams | undefined

  constructor(names: readonly string[]) {
    this.names = names
  }

  /** Checks a request; see `readParams`. */
  read(params: ModelParams): CheckedParams {
    if (this.#checked && this.#isLatest(params)) return { ...this.#checked, messages: params.messages }
    const checked = readParams(params, this.names)
    const isFixed = isUnchanging(params)
    this.#latest = isFixed ? { ...params, messages: [] } : undefined
    this.#checked = isFixed ? checked : undefined
    this.#count = Object.keys(params).length
    return checked
  }

  #isLatest(params: ModelParams): boolean {
    const latest = this.#latest!
    let count = 0
    for (const key in params) {
      if (key !== 'messages' && params[key] !== latest[key]) return false
      count++
    }
    return count === this.#count
  }
}

/** Tells parameters that cannot change from one request to the next without being other values: texts, numbers, flags. */
function isUnchanging(params: ModelParams): boolean {
  for (const key in params) {
    const value = params[key]
    if (key === 'prompt' || (key !== 'messages' && typeof value === 'object' && value !== null)) return false
  }
  return true
}

const NO_OPTIONS: Readonly<Record<string, unknown>> = Object.freeze({})

/** Reads the options for a provider under any of its names; later names win. */
function ownOptions({ providerOptions }: ModelParams, names: readonly string[]): Record<string, unknown> {
  const kinds = Object.fromEntries(names.map((name) => [name, option.object]))
  const { providerOptions: optionsOf } = readOptions(
    { providerOptions },
    { providerOptions: option.shape(kinds) },
    PARAMETER_WORD,
  )
  return Object.assign({}, ...names.map((name) => optionsOf?.[name])) as Record<string, unknown>
}

function formatOf(format: object | undefined): Pick<CheckedParams, 'json' | 'otherFormat'> {
  if (!isRecord(format)) return NO_FORMAT
  const { type, json_schema: described } = readNested(format, FORMAT_KINDS, {
    what: PARAMETER_WORD,
    path: 'response_format.',
  })
  const { schema } = described ?? {}
  if (type === 'text') return NO_FORMAT
  const isJson = schema !== undefined || type === 'json_object' || type === 'json_schema'
  return isJson ? { json: { schema }, otherFormat: undefined } : { json: undefined, otherFormat: String(type) }
}

const NO_FORMAT = { json: undefined, otherFormat: undefined }

const FORMAT_KINDS = { type: option.text, json_schema: option.shape({ schema: option.object }) }
