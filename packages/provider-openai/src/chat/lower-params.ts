import type { FunctionSchema } from '@x/interfaces'
import { isRecord, type CheckedParams, type LowerContext } from '@x/provider-kit'
import type { NamedProfile } from '../endpoint-profiles.ts'
import { fitChoice, fitEffort, fitFunction, lacksTier, refusedSampling, type OpenAIModelFamily } from '../family.ts'
import { fitMetadata, isOpenAI, withOwnTools, isRefused, warnRefused } from '../refused-params.ts'

type Warn = LowerContext['warn']

/** Returns the request parameters as the model takes them; messages are lowered by `lowerMessages`. */
export function lowerParams(
  params: CheckedParams,
  { model, names, schemas, warn }: LowerContext,
  { family, profile }: { family: OpenAIModelFamily; profile: NamedProfile },
): Record<string, unknown> {
  const body: Record<string, unknown> = { ...params.given, model }
  for (const key in params.given) {
    if (!isRefused(key, params, profile)) continue
    delete body[key]
    warnRefused(key, profile, warn)
  }
  if (body['metadata'] !== undefined) body['metadata'] = fitMetadata(params, profile, warn)
  if (lacksTier(family, params.service_tier)) drop(body, ['service_tier'], model, warn)
  if (family.efforts?.length === 0) drop(body, ['reasoning_effort'], model, warn)
  if (body['reasoning_effort'] !== undefined)
    body['reasoning_effort'] = fitEffort(body['reasoning_effort'], family, warn)
  if (family.reasoning) fitReasoning(body, family, warn)
  drop(body, refusedSampling(family, body, body['reasoning_effort']), model, warn)
  if (body['stop'] !== undefined) fitStop(body, params.stop, profile, warn)
  if (profile.limitKey !== 'by-model') renameLimit(body, profile.limitKey)
  if (profile.name === 'mistral') renameSeed(body)
  lowerTools(body, withOwnTools(params, profile, warn), { names, schemas, family, warn })
  if (isRecord(params.response_format)) body['response_format'] = lowerFormat(params.response_format, schemas, family)
  return body
}

/** Moves the limit of the answer to the key of the endpoint. */
function renameLimit(body: Record<string, unknown>, key: 'max_tokens' | 'max_completion_tokens'): void {
  const other = key === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  if (body[other] === undefined) return
  body[key] ??= body[other]
  delete body[other]
}

/** Moves the seed to the key of Mistral. */
function renameSeed(body: Record<string, unknown>): void {
  if (body['seed'] === undefined) return
  body['random_seed'] ??= body['seed']
  delete body['seed']
}

function fitReasoning(body: Record<string, unknown>, family: OpenAIModelFamily, warn: Warn): void {
  if (body['max_tokens'] !== undefined) {
    body['max_completion_tokens'] ??= body['max_tokens']
    delete body['max_tokens']
  }
  const isOff = body['reasoning_effort'] === 'none' && family.sampling === 'without-thinking'
  if (!isOff && !family.stop) drop(body, ['stop'], body['model'], warn)
}

/** Most stop texts that OpenAI takes (https://platform.openai.com/docs/api-reference/chat/create). */
const MAX_STOP_TEXTS = 4

/** Leaves out stop texts that endpoints refuse: empty ones, and with OpenAI those beyond four. */
function fitStop(body: Record<string, unknown>, stop: CheckedParams['stop'], { name }: NamedProfile, warn: Warn): void {
  const texts = [stop ?? []].flat().filter((text) => text !== '')
  const isLong = isOpenAI(name) && texts.length > MAX_STOP_TEXTS
  if (isLong) warn('parameter', `only ${MAX_STOP_TEXTS} texts of \`stop\` are taken: later ones were left out`)
  if (texts.length === 0) delete body['stop']
  else if (Array.isArray(stop)) body['stop'] = isLong ? texts.slice(0, MAX_STOP_TEXTS) : texts
}

function drop(body: Record<string, unknown>, keys: readonly string[], model: unknown, warn: Warn): void {
  for (const key of keys) {
    if (body[key] === undefined) continue
    delete body[key]
    warn('parameter', `\`${String(model)}\` does not take \`${key}\`: it was left out`)
  }
}

type ToolContext = Pick<LowerContext, 'names' | 'schemas' | 'warn'> & { readonly family: OpenAIModelFamily }

function lowerTools(body: Record<string, unknown>, params: CheckedParams, context: ToolContext): void {
  const { functions, tool_choice: choice, function_call: older } = params
  if (params.tools.length === 0 && !hasToolParams(body)) return
  const tools = params.tools.filter((tool) => !tool.function || !functions.includes(tool.function))
  if (tools.length === 0) {
    // Without tools the endpoint refuses their parameters.
    for (const key of ['tools', 'tool_choice', 'parallel_tool_calls']) delete body[key]
  } else {
    body['tools'] = tools.map((tool) =>
      tool.function ? { ...tool, function: lowerFunction(tool.function, context) } : tool,
    )
    const called: unknown = isRecord(choice) ? choice['function'] : undefined
    if (isRecord(choice) && isRecord(called)) {
      body['tool_choice'] = { ...choice, function: { ...called, name: context.names.to(String(called['name'])) } }
    }
    if (choice !== undefined)
      body['tool_choice'] = fitChoice(body['tool_choice'], context.family, body['reasoning_effort'], context.warn)
  }
  if (functions.length === 0) for (const key of ['functions', 'function_call']) delete body[key]
  else {
    body['functions'] = functions.map((fn) => lowerFunction(fn, context))
    if (isRecord(older)) body['function_call'] = { ...older, name: context.names.to(older.name) }
  }
}

const hasToolParams = (body: Readonly<Record<string, unknown>>): boolean =>
  ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'].some((key) => key in body)

/** Lowers a function. Endpoints that do not know `strict` get none unless it is asked for. */
function lowerFunction(declared: FunctionSchema, context: ToolContext): FunctionSchema {
  const { strict, ...fitted } = fitFunction(declared, context, context.family)
  return 'strict' in declared ? { ...fitted, strict: declared.strict && strict } : fitted
}

function lowerFormat(
  format: Record<string, unknown>,
  schemas: LowerContext['schemas'],
  { schema: table }: OpenAIModelFamily,
): Record<string, unknown> {
  const described = format['json_schema']
  if (!isRecord(described) || !isRecord(described['schema']) || described['strict'] !== true) return format
  return { ...format, json_schema: { ...described, schema: schemas.answer(described['schema'], table) } }
}
