import type { ConfigEntry } from '@x/interfaces'
import type { CheckedParams, LoweredRequest, LowerContext } from '@x/provider-kit'
import { PARAM_KEYS, readOwnParams, type GoogleKeys } from './config.ts'
import { isVertex, modelPath } from './endpoint.ts'
import type { FamilyOf, GoogleModelFamily } from './family.ts'
import { lowerMessages } from './lower-messages.ts'
import { fitCalling, lowerTools, type LoweredTools, type ToolContext } from './lower-tools.ts'
import { createReader } from './read-answer.ts'
import { lowerThinking } from './thinking.ts'

/** Request parameters with another name here. */
const RENAMED_PARAMS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  max_tokens: 'maxOutputTokens',
  max_completion_tokens: 'maxOutputTokens',
  n: 'candidateCount',
  seed: 'seed',
  logprobs: 'responseLogprobs',
  top_logprobs: 'logprobs',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
}

const PENALTY_PARAMS: readonly string[] = ['presence_penalty', 'frequency_penalty']

const MAX_STOP_TEXTS = 5

/** Parameters that are read separately, or mean nothing here. */
const SEPARATE_PARAMS: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'stop',
  'user',
  'metadata',
])

/** Keys of a config that a request depends on. */
export interface LowerConfig extends GoogleKeys {
  readonly baseUrl: ConfigEntry['baseUrl']
  readonly familyOf: FamilyOf
}

/** Returns a request as the provider takes it; does not change the given one. */
export function lowerRequest(params: CheckedParams, context: LowerContext, config: LowerConfig): LoweredRequest {
  const { model, names, abilities, schemas, warn } = context
  const family = config.familyOf(model)
  const table = config.openApiSchemas ? 'gemini-openapi' : family.schema
  const toolContext: ToolContext = { names, table, openApi: table === 'gemini-openapi', schemas, warn }
  const own = readOwnParams(params.others)
  if (params.parallel_tool_calls === false) warnLeftOut('parallel_tool_calls', model, warn)
  if (params.otherFormat !== undefined) warnLeftOut(`response_format: ${params.otherFormat}`, model, warn)
  const lowered = lowerTools(params.tools, params.tool_choice ?? params.function_call, toolContext)
  const format = lowerFormat(params.json, lowered, family, toolContext)
  const thinkingConfig = { ...config.thinkingConfig, ...own.thinking_config }
  const thinking = lowerThinking(params.reasoning_effort, thinkingConfig, family, warn)
  const thinks = family.thinking !== 'none' && thinking['thinkingBudget'] !== 0
  const generationConfig = {
    ...renameParams(params, refusedParams(params, family, thinks), family, context),
    ...lowerStop(params.stop, warn),
    ...format.generation,
    ...(Object.keys(thinking).length > 0 && { thinkingConfig: thinking }),
    ...config.generationConfig,
    ...own.generation_config,
  }
  const callIds = config.functionCallIds ?? !isVertex(config.baseUrl)
  const images = config.modelFamily?.images ?? abilities?.includes('images') ?? family.images
  const { tools = lowered.tools } = format
  const toolConfig = fitCalling(format.toolConfig ?? lowered.toolConfig, family, thinks, warn)
  const safetySettings = own.safety_settings ?? config.safetySettings
  const cachedContent = own.cached_content ?? config.cachedContent
  return {
    model,
    body: {
      ...lowerMessages(params.messages, { names, schemas, model, family, callIds, images, warn }),
      ...(tools.length > 0 && { tools, ...(toolConfig && { toolConfig }) }),
      ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
      ...(safetySettings && { safetySettings }),
      ...(cachedContent !== undefined && { cachedContent }),
      ...lowerLabels(params, own.labels, { isVertex: isVertex(config.baseUrl), model, warn }),
      ...writtenForGoogle(params),
    },
    reader: () => createReader(model, format.jsonTool),
  }
}

/** Limits of labels (https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/add-labels-to-api-calls). */
const MAX_LABELS = 64
const MAX_LABEL_CHARS = 63

/** Returns labels as Vertex takes them, which stand for `metadata`; the Gemini API has none. */
function lowerLabels(
  { metadata, own }: CheckedParams,
  given: object | undefined,
  {
    isVertex,
    model,
    warn,
  }: { readonly isVertex: boolean; readonly model: string; readonly warn: LowerContext['warn'] },
): { labels?: object } {
  if (!isVertex) {
    if (metadata) warnLeftOut('metadata', model, warn)
    if (given && !('labels' in own)) warnLeftOut('labels', model, warn)
    return given && 'labels' in own ? { labels: given } : {}
  }
  if (given || !metadata) return given ? { labels: given } : {}
  const pairs = Object.entries(metadata).filter(([, value]) => value !== null && value !== undefined)
  const labels = pairs.slice(0, MAX_LABELS).map(([key, value]): [string, string] => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    // A key begins with a letter.
    return [labelText(/^\p{L}/u.test(key) ? key : `l${key}`), labelText(text)]
  })
  if (pairs.length > MAX_LABELS || labels.some(([key, text], n) => key !== pairs[n]![0] || text !== pairs[n]![1])) {
    warn('metadata', '`metadata` became labels of small letters, digits, `_` and `-`, as Vertex takes them')
  }
  return labels.length > 0 ? { labels: Object.fromEntries(labels) } : {}
}

const labelText = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{Ll}\p{Lo}\p{N}_-]/gu, '_')
    .slice(0, MAX_LABEL_CHARS)

/** Returns the fields for this provider that the adapter does not read: they pass as they are. */
const writtenForGoogle = ({ own, others }: CheckedParams): Record<string, unknown> =>
  Object.fromEntries(Object.entries(others).filter(([key]) => key in own && !PARAM_KEYS.has(key)))

const isRenamed = (key: string): boolean => Object.hasOwn(RENAMED_PARAMS, key)

/** Lists the parameters that the model does not take. */
function refusedParams(
  { temperature }: CheckedParams,
  { penalties, sampling }: GoogleModelFamily,
  thinks: boolean,
): readonly string[] {
  const refused = penalties ? [] : PENALTY_PARAMS
  if (sampling === 'both') return refused
  if (sampling === 'one') return temperature === undefined ? refused : [...refused, 'top_p']
  if (sampling === 'no-temperature') return [...refused, 'temperature', 'top_p']
  return sampling === 'none' || thinks ? [...refused, 'temperature', 'top_p', 'top_k'] : refused
}

function renameParams(
  { given, own, others, max_completion_tokens: newer }: CheckedParams,
  refused: readonly string[],
  family: GoogleModelFamily,
  { model, warn }: LowerContext,
): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    if (SEPARATE_PARAMS.has(key) || PARAM_KEYS.has(key) || (key in own && key in others)) continue
    const name = isRenamed(key) ? RENAMED_PARAMS[key] : undefined
    // The provider refuses unknown fields: only known ones are sent.
    if (name === undefined || refused.includes(key)) warnLeftOut(key, model, warn)
    else if (key !== 'max_tokens' || newer === undefined)
      out[name] = name === 'maxOutputTokens' ? fitLength(value, family, warn) : value
  }
  return out
}

/** Lowers a limit of tokens that the model refuses. */
function fitLength(value: unknown, { maxTokens }: GoogleModelFamily, warn: LowerContext['warn']): unknown {
  if (maxTokens === undefined || typeof value !== 'number' || value <= maxTokens) return value
  warn('max_tokens', `the model gives at most ${maxTokens} tokens: \`max_tokens\` was lowered`)
  return maxTokens
}

/** Returns stop texts as the provider takes them: at most five, and none empty. */
function lowerStop(stop: CheckedParams['stop'], warn: LowerContext['warn']): { stopSequences?: string[] } {
  const texts = [stop ?? []].flat().filter((text) => text !== '')
  if (texts.length > MAX_STOP_TEXTS)
    warn('parameter', `only ${MAX_STOP_TEXTS} stop texts are taken: later ones were left out`)
  return texts.length > 0 ? { stopSequences: texts.slice(0, MAX_STOP_TEXTS) } : {}
}

interface Format {
  readonly generation?: object
  readonly tools?: object[]
  readonly toolConfig?: LoweredTools['toolConfig']
  readonly jsonTool?: string
}

/** Returns the format of an answer as the model takes it; older models with tools take it as a further tool. */
function lowerFormat(
  json: CheckedParams['json'],
  { tools, declarations, toolConfig }: LoweredTools,
  family: GoogleModelFamily,
  context: ToolContext,
): Format {
  if (!json) return {}
  const { schema } = json
  const { openApi, table, schemas, warn } = context
  if (tools.length > 0 && !family.jsonWithTools) {
    // Functions and tools of the provider cannot be combined either.
    if (declarations.length === 0) {
      warn('response_format', 'the model gives no JSON beside tools of its provider: `response_format` was left out')
      return {}
    }
    let jsonTool = 'json'
    while (declarations.some(({ name }) => name === jsonTool)) jsonTool = `${jsonTool}_`
    const description = 'Gives the answer; it must be called.'
    const parameters = schema && schemas.answer(schema, table, true)
    const declaration = {
      name: jsonTool,
      description,
      ...(parameters && (openApi ? { parameters } : { parametersJsonSchema: parameters })),
    }
    const all = tools.map((tool) =>
      'functionDeclarations' in tool ? { functionDeclarations: [...declarations, declaration] } : tool,
    )
    const wanted = toolConfig?.functionCallingConfig
    const allowedFunctionNames = wanted?.mode === 'NONE' ? [jsonTool] : wanted?.allowedFunctionNames
    const functionCallingConfig = { mode: 'ANY' as const, ...(allowedFunctionNames && { allowedFunctionNames }) }
    return { tools: all, toolConfig: { functionCallingConfig }, jsonTool }
  }
  const fitted = schema && schemas.answer(schema, table)
  const schemaPart = fitted && (openApi ? { responseSchema: fitted } : { responseJsonSchema: fitted })
  return { generation: { responseMimeType: 'application/json', ...schemaPart } }
}

function warnLeftOut(key: string, model: string, warn: LowerContext['warn']): void {
  warn('parameter', `\`${model}\` does not take \`${key}\`: it was left out`)
}

/** Fields of a request that Vertex counts: there a request for a count cannot hold a whole request. */
const COUNTED_FIELDS: ReadonlySet<string> = new Set(['contents', 'systemInstruction', 'tools', 'generationConfig'])

/** Returns the request for the number of input tokens of another request. */
export function lowerCount(params: CheckedParams, context: LowerContext, config: LowerConfig): LoweredRequest {
  const { model, body } = lowerRequest(params, context, config)
  const counted = isVertex(config.baseUrl)
    ? Object.fromEntries(Object.entries(body).filter(([key]) => COUNTED_FIELDS.has(key)))
    : { generateContentRequest: { model: modelPath(model), ...body } }
  return { model, body: counted, operation: 'countTokens' }
}
