import { isRecord } from './chat-request.ts'
import { strictMessages } from './strict-messages.ts'
import { strictTools } from './strict-tools.ts'
import { invalid, type Refusal } from './wire-error.ts'

/** Request parameters that the API knows (its public reference). */
const CHAT_PARAMETERS: ReadonlySet<string> = new Set(
  `model messages audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens
   metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention
   reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature
   tool_choice tools top_logprobs top_p user verbosity web_search_options`.split(/\s+/u),
)

const REFUSED_BY_REASONING_MODELS = [
  ...['max_tokens', 'temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs'],
  ...['logit_bias', 'stop'],
]

/** Returns the refusal of the real API; undefined for a request that it would accept. */
export function strictRefusal(body: unknown, azure: boolean): Refusal | undefined {
  if (!isRecord(body)) return invalid('We could not parse the JSON body of your request.')
  const unknown = Object.keys(body).find((key) => !CHAT_PARAMETERS.has(key))
  if (unknown !== undefined) return invalid(`Unrecognized request argument supplied: ${unknown}`)
  if (!azure && (typeof body['model'] !== 'string' || body['model'] === ''))
    return invalid('you must provide a model parameter')
  return (
    strictApi(body) ??
    strictParameters(body) ??
    strictTools(body) ??
    strictMessages(body['messages']) ??
    strictRoles(body)
  )
}

/** Refuses chat completions with models or tools that OpenAI serves by the Responses API only. */
function strictApi(body: Record<string, unknown>): Refusal | undefined {
  const model = typeof body['model'] === 'string' ? body['model'] : ''
  if (/codex|-pro(?:-|$)|deep-research|computer-use/u.test(model)) {
    const refused = invalid('This model is only supported in v1/responses and not in v1/chat/completions.', 'model')
    return { ...refused, status: 404 }
  }
  const effort = body['reasoning_effort'] ?? undefined
  const reasons = reasonsWithTools(model, effort !== undefined)
  if (!reasons || effort === 'none' || !Array.isArray(body['tools'])) return undefined
  return invalid(
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    'reasoning_effort',
  )
}

/** Tells whether a model reasons while it uses tools: gpt-5.4 if the request has an effort, later models always. */
function reasonsWithTools(model: string, withEffort: boolean): boolean {
  const [, major = '0', minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?(?!.*-chat)/u.exec(model) ?? []
  const version = Number(major) * 100 + Number(minor)
  return version > 504 || (version === 504 && withEffort)
}

/** Refuses the roles that the first reasoning models refuse. */
function strictRoles({ model, messages }: Record<string, unknown>): Refusal | undefined {
  if (typeof model !== 'string' || !/^o1-(?:mini|preview)/u.test(model)) return undefined
  const roles = (messages as { role: string }[]).map(({ role }) => role)
  const at = roles.findIndex((role) => role === 'system' || role === 'developer')
  if (at === -1) return undefined
  return invalid(
    `Unsupported value: 'messages[${at}].role' does not support '${roles[at]}' with this model.`,
    `messages[${at}].role`,
    'unsupported_value',
  )
}

function strictParameters(body: Record<string, unknown>): Refusal | undefined {
  const {
    max_tokens: older,
    max_completion_tokens: newer,
    stream,
    stream_options: options,
    n,
    temperature,
    stop,
  } = body
  if ((older ?? null) !== null && (newer ?? null) !== null) {
    return invalid(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens',
      'invalid_parameter_combination',
    )
  }
  if ((options ?? null) !== null && stream !== true) {
    return invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options')
  }
  for (const [name, value] of Object.entries({ max_tokens: older, max_completion_tokens: newer, n })) {
    const fits = (value ?? null) === null || (Number.isInteger(value) && (value as number) >= 1)
    if (!fits) return invalid(`Invalid '${name}': expected an integer of at least 1.`, name, 'integer_below_min_value')
  }
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 2)) {
    return invalid("Invalid 'temperature': expected a value between 0 and 2.", 'temperature', 'decimal_above_max_value')
  }
  if (Array.isArray(stop) && stop.length > 4) {
    return invalid(
      "Invalid 'stop': array too long. Expected an array with maximum length 4.",
      'stop',
      'array_above_max_length',
    )
  }
  return strictModel(body)
}

/** Tells whether a reasoning model takes a value of a parameter that others of its kind refuse. */
const takes = (model: string, key: string, value: unknown): boolean =>
  (key === 'temperature' && value === 1) || (key === 'stop' && /^o(?:1(?!-mini|-preview)|3-mini)/u.test(model))

/** Checks the parameters that only reasoning models refuse or accept, by the names of OpenAI's models. */
function strictModel(body: Record<string, unknown>): Refusal | undefined {
  const model = typeof body['model'] === 'string' ? body['model'] : ''
  const isSet = (key: string): boolean => (body[key] ?? null) !== null
  // Since gpt-5.1, models with the effort `none` accept sampling parameters.
  const quiet = body['reasoning_effort'] === 'none' && /^gpt-5\.\d/u.test(model)
  if (/^(?:o\d|gpt-5(?!.*-chat))/u.test(model) && !quiet) {
    const refused = REFUSED_BY_REASONING_MODELS.find((key) => isSet(key) && !takes(model, key, body[key]))
    if (refused === undefined) return undefined
    const hint = refused === 'max_tokens' ? " Use 'max_completion_tokens' instead." : ''
    return invalid(
      `Unsupported parameter: '${refused}' is not supported with this model.${hint}`,
      refused,
      'unsupported_parameter',
    )
  }
  return /^gpt-(?:3|4)/u.test(model) && isSet('reasoning_effort')
    ? invalid(
        "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
        'reasoning_effort',
        'unsupported_parameter',
      )
    : undefined
}
