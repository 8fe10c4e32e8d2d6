import type { ChatMessage, FunctionSchema, JsonSchema, ModelParams, RequestParams } from '@x/interfaces'
import { isRecord } from '../json/is-record.ts'
import { option, readNested, readOptions, type OptionKind } from '../json/read-options.ts'

/** A tool of a request: a function of the caller's, or a tool in the provider's own form. */
export interface RequestTool {
  readonly function?: FunctionSchema | undefined
  readonly cache_control?: unknown
  readonly [key: string]: unknown
}

/** Parameters that every wire format has in some form. */
type SharedParams = Omit<RequestParams, 'model' | 'messages' | 'tools' | 'functions'>

/** Parameters of a request, checked: each has the type that it says, and null counts as absent. */
export interface CheckedParams extends Readonly<{ [K in keyof SharedParams]?: NonNullable<SharedParams[K]> }> {
  /** Messages; a `prompt` is one message of the user. */
  readonly messages: readonly ChatMessage[]
  /** Tools, with those of the older `functions` behind the others. */
  readonly tools: readonly RequestTool[]
  /** The older `functions` alone, for a provider that still takes them. */
  readonly functions: readonly FunctionSchema[]
  /** Set when the answer has to be JSON: `response_format` without its wrapping. */
  readonly json: { readonly schema: JsonSchema | undefined } | undefined
  /** Parameters that only some providers know, as they were given. */
  readonly others: Readonly<Record<string, unknown>>
  /** All parameters but `messages` and those of streaming, as they were given. */
  readonly given: Readonly<Record<string, unknown>>
  /** Those of `given` that were written for this provider (`providerOptions`): they are never left out. */
  readonly own: Readonly<Record<string, unknown>>
}

const BIAS: OptionKind<Record<string, number>> = {
  expected: 'an object of numbers',
  read: (value) => (isRecord(value) && hasNumbers(value) ? value : undefined),
}

const hasNumbers = (value: Record<string, unknown>): value is Record<string, number> =>
  Object.values(value).every((each) => typeof each === 'number')

/** A function with a name; what a provider may know beside these keys stays in it. */
const FUNCTION: OptionKind<FunctionSchema> = {
  expected: 'an object with a `name`',
  read(value, origin) {
    if (!isRecord(value)) return undefined
    const { name } = readNested(value, FUNCTION_KEYS, origin)
    return name === undefined ? undefined : { ...value, name }
  },
}

const FUNCTION_KEYS = {
  name: option.text,
  description: option.text,
  parameters: option.object,
  strict: option.boolean,
}

const TOOL: OptionKind<RequestTool> = {
  expected: 'an object',
  read(value, origin) {
    if (!isRecord(value)) return undefined
    const { function: called } = readNested(value, { function: FUNCTION }, origin)
    const { function: _, ...rest } = value
    return called ? { ...rest, function: called } : rest
  },
}

const LISTS = { tools: option.list(TOOL), functions: option.list(FUNCTION) }

/** Kinds of the shared parameters; the type demands one for each parameter of `RequestParams`. */
const KINDS: { readonly [K in keyof SharedParams]-?: OptionKind<NonNullable<SharedParams[K]>> } = {
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
  logit_bias: BIAS,
  logprobs: option.either(option.boolean, option.number),
  top_logprobs: option.number,
  tool_choice: option.either(option.text, option.object),
  parallel_tool_calls: option.boolean,
  function_call: option.either(option.text, FUNCTION),
  response_format: option.object,
  reasoning_effort: option.text,
  verbosity: option.text,
  service_tier: option.text,
  user: option.text,
  metadata: option.object,
}

const WHAT = 'request parameter'

/** Options of the way of asking, which are no parameters. */
const NOT_GIVEN: ReadonlySet<string> = new Set(
  'messages stream stream_options extra_body extra_headers includeRaw providerOptions'.split(' '),
)

/** Parameters that are read by themselves, or that belong to the way of asking. */
const NOT_SHARED: ReadonlySet<string> = new Set(['model', 'messages', 'prompt', 'tools', 'functions'])

/**
 * Checks the parameters of a request once, for all adapters. Fails with `invalid-config` for a parameter of a wrong type,
 * naming it, what was given and what to give. Unknown parameters pass as they are. `names` are those under which
 * `providerOptions` are written for the provider.
 */
export function readParams(params: ModelParams, names: readonly string[] = []): CheckedParams {
  const { messages, prompt, providerOptions } = params
  const own = providerOptions ? ownOptions(params, names) : NONE
  const all = providerOptions ? { ...params, ...own } : params
  const given: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  for (const key of Object.keys(all)) {
    const value = all[key]
    if (value === undefined || value === null || NOT_GIVEN.has(key)) continue
    given[key] = value
    if (!NOT_SHARED.has(key) && !Object.hasOwn(KINDS, key)) others[key] = value
  }
  const shared = readOptions<SharedParams>(given, KINDS, WHAT)
  const { tools = [], functions = [] } = readOptions(given, LISTS, WHAT)
  return {
    ...shared,
    messages: typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : messages,
    tools: [...tools, ...functions.map((each) => ({ function: each }))],
    functions,
    json: jsonOf(shared.response_format),
    others,
    given,
    own,
  }
}

const NONE: Readonly<Record<string, unknown>> = Object.freeze({})

/** Reads what is written for a provider, under any of its names; later names win. */
function ownOptions({ providerOptions }: ModelParams, names: readonly string[]): Record<string, unknown> {
  const kinds = Object.fromEntries(names.map((name) => [name, option.object]))
  const { providerOptions: read } = readOptions({ providerOptions }, { providerOptions: option.shape(kinds) }, WHAT)
  return Object.assign({}, ...names.map((name) => read?.[name])) as Record<string, unknown>
}

function jsonOf(format: object | undefined): CheckedParams['json'] {
  if (!isRecord(format)) return undefined
  const { type, json_schema: described } = readNested(format, FORMAT, { what: WHAT, path: 'response_format.' })
  const { schema } = described ?? {}
  return type === 'json_object' || (schema && type !== 'text') ? { schema } : undefined
}

const FORMAT = { type: option.text, json_schema: option.shape({ schema: option.object }) }
