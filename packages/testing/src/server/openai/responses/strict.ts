import { isRecord } from '../chat-request.ts'
import { invalid, type Refusal } from '../wire-error.ts'
import { strictInput } from './strict-input.ts'
import { strictResponseTools } from './strict-tools.ts'

/** Request parameters that the Responses API knows (its public reference). */
const RESPONSES_PARAMETERS: ReadonlySet<string> = new Set(
  `background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model
   parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning
   safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p
   truncation user`.split(/\s+/u),
)

/** Parameters of chat completions with their names in the Responses API. */
const RENAMED_CHAT_PARAMETERS: Readonly<Record<string, string>> = {
  messages: 'input',
  reasoning_effort: 'reasoning.effort',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
}

const MIN_OUTPUT_TOKENS = 16

type Body = Readonly<Record<string, unknown>>

/** Returns the refusal of the Responses API; undefined for a request that it would accept. */
export function strictResponses(body: unknown): Refusal | undefined {
  if (!isRecord(body)) return invalid('We could not parse the JSON body of your request.')
  for (const key of Object.keys(body)) {
    const moved = RENAMED_CHAT_PARAMETERS[key]
    if (moved !== undefined) {
      const text = `Unsupported parameter: '${key}'. In the Responses API, this parameter has moved to '${moved}'.`
      return invalid(text, key, 'unsupported_parameter')
    }
    if (!RESPONSES_PARAMETERS.has(key)) return invalid(`Unknown parameter: '${key}'.`, key, 'unknown_parameter')
  }
  for (const key of ['model', 'input']) {
    if ((body[key] ?? '') === '')
      return invalid(`Missing required parameter: '${key}'.`, key, 'missing_required_parameter')
  }
  const model = String(body['model'])
  return (
    strictParameters(body) ??
    strictModel(body, model) ??
    strictResponseTools(body) ??
    strictInput(body['input'], { reasons: !plain(model), stored: body['store'] !== false })
  )
}

function strictParameters({ max_output_tokens: most, text, temperature }: Body): Refusal | undefined {
  if (typeof most === 'number' && most < MIN_OUTPUT_TOKENS) {
    return invalid(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${MIN_OUTPUT_TOKENS}, but got ${most} instead.`,
      'max_output_tokens',
      'integer_below_min_value',
    )
  }
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 2)) {
    return invalid("Invalid 'temperature': expected a value between 0 and 2.", 'temperature', 'decimal_above_max_value')
  }
  const format = isRecord(text) ? text['format'] : undefined
  if (!isRecord(format) || format['type'] !== 'json_schema') return undefined
  const missing = ['name', 'schema'].find((key) => format[key] === undefined)
  if (missing === undefined) return undefined
  const where = `text.format.${missing}`
  return invalid(`Missing required parameter: '${where}'.`, where, 'missing_required_parameter')
}

/** OpenAI's models that do not reason. */
const plain = (model: string): boolean => /^(?:gpt-[34]|gpt-5.*-chat|chatgpt)/u.test(model)

function strictModel({ include, reasoning, ...body }: Body, model: string): Refusal | undefined {
  const effort = isRecord(reasoning) ? reasoning['effort'] : undefined
  if (plain(model)) {
    if (effort !== undefined) return unsupported('reasoning.effort')
    if (Array.isArray(include) && include.includes('reasoning.encrypted_content'))
      return invalid('Encrypted content is not supported with this model.', 'include')
    return undefined
  }
  if (!/^(?:o\d|gpt-[5-9])/u.test(model) || effort === 'none') return undefined
  const refused = ['temperature', 'top_p', 'top_logprobs'].find((key) => (body[key] ?? null) !== null)
  return refused === undefined ? undefined : unsupported(refused)
}

const unsupported = (key: string): Refusal =>
  invalid(`Unsupported parameter: '${key}' is not supported with this model.`, key, 'unsupported_parameter')
