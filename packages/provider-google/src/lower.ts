import type { ConfigEntry, ModelParams } from '@x/interfaces'
import { isRecord, messagesOf, type LoweredRequest, type LowerContext } from '@x/provider-kit'
import { isVertex } from './endpoint.ts'
import { familyOf, type ModelFamily } from './family.ts'
import { lowerMessages } from './lower-messages.ts'
import { declaration, jsonSchema, lowerTools, type LoweredTools, type ToolContext } from './lower-tools.ts'
import { openApiSchema } from './openapi-schema.ts'
import { createReader } from './read-answer.ts'
import { lowerThinking } from './thinking.ts'

/** Request parameters with another name here. */
const RENAMED: Readonly<Record<string, string>> = {
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

const PENALTIES = new Set(['presence_penalty', 'frequency_penalty'])

const MOST_STOPS = 5

/** Parameters of the provider's own that stand beside the contents, in a request and in a config. */
const OWN: Readonly<Record<string, string>> = {
  safety_settings: 'safetySettings',
  cached_content: 'cachedContent',
  labels: 'labels',
}

/** Keys that are read elsewhere or mean nothing here. */
const APART = new Set(
  'model messages stream stream_options prompt tools functions tool_choice function_call parallel_tool_calls response_format reasoning_effort stop generation_config thinking_config user'.split(
    ' ',
  ),
)

/** Gives a request as the provider takes it; the given one is never changed. */
export function lower(params: ModelParams, context: LowerContext, config: ConfigEntry): LoweredRequest {
  const { model, names, warn } = context
  const family = familyOf(model, config['modelFamily'] as Partial<ModelFamily> | undefined)
  const toolContext: ToolContext = { names, openApi: config['openApiSchemas'] === true }
  const choice = params['tool_choice'] ?? params['function_call']
  if (params['parallel_tool_calls'] === false) leftOut('parallel_tool_calls', model, warn)
  const lowered = lowerTools(params['tools'], params['functions'], choice, toolContext)
  const format = lowerFormat(params['response_format'], lowered, family, toolContext)
  const thinking = {
    ...lowerThinking(params['reasoning_effort'], family, warn),
    ...asRecord(config['thinkingConfig']),
    ...asRecord(params['thinking_config']),
  }
  const generationConfig = {
    ...generation(params, family, context),
    ...stops(params['stop'], warn),
    ...format.generation,
    ...(Object.keys(thinking).length > 0 && { thinkingConfig: thinking }),
    ...asRecord(config['generationConfig']),
    ...asRecord(params['generation_config']),
  }
  const callIds = (config['functionCallIds'] as boolean | undefined) ?? !isVertex(config.baseUrl)
  const { tools = lowered.tools, toolConfig = lowered.toolConfig } = format
  return {
    model,
    body: {
      ...lowerMessages(messagesOf(params), { names, family, callIds, warn }),
      ...(tools.length > 0 && { tools, ...(toolConfig && { toolConfig }) }),
      ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
      ...own(params, config),
    },
    reader: () => createReader(format.jsonTool),
  }
}

function generation(params: ModelParams, family: ModelFamily, { model, warn }: LowerContext): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined || value === null || APART.has(key) || Object.hasOwn(OWN, key)) continue
    const name = Object.hasOwn(RENAMED, key) ? RENAMED[key] : undefined
    // Fields that are not known are refused: only known ones are sent.
    if (name === undefined || (PENALTIES.has(key) && !family.penalties)) leftOut(key, model, warn)
    else if (key !== 'max_tokens' || (params['max_completion_tokens'] ?? null) === null) out[name] = value
  }
  return out
}

/** Texts that stop the model must not be empty, and more than five are refused. */
function stops(stop: unknown, warn: LowerContext['warn']): { stopSequences?: string[] } {
  const given = [stop].flat().filter((text) => typeof text === 'string' && text !== '') as string[]
  if (given.length > MOST_STOPS) warn('parameter', `only ${MOST_STOPS} stop texts are taken: later ones were left out`)
  return given.length > 0 ? { stopSequences: given.slice(0, MOST_STOPS) } : {}
}

interface Format {
  readonly generation?: object
  readonly tools?: object[]
  readonly toolConfig?: object
  readonly jsonTool?: string
}

/** Gives an answer's form as the model takes it; older models with tools take it as a further tool. */
function lowerFormat(
  format: unknown,
  { tools, names }: LoweredTools,
  family: ModelFamily,
  context: ToolContext,
): Format {
  if (!isRecord(format)) return {}
  const described = format['json_schema']
  const schema = isRecord(described) && isRecord(described['schema']) ? described['schema'] : undefined
  if (format['type'] === 'text' || (format['type'] !== 'json_object' && !schema)) return {}
  if (tools.length > 0 && !family.jsonWithTools) {
    let jsonTool = 'json'
    while (names.includes(jsonTool)) jsonTool = `${jsonTool}_`
    const description = 'Gives the answer; it must be called.'
    const made = declaration({ name: jsonTool, description, ...(schema && { parameters: schema }) }, context)
    const all = tools.map((tool) =>
      'functionDeclarations' in tool
        ? { functionDeclarations: [...(tool.functionDeclarations as object[]), made] }
        : tool,
    )
    return { tools: all, toolConfig: { functionCallingConfig: { mode: 'ANY' } }, jsonTool }
  }
  const shape =
    schema && (context.openApi ? { responseSchema: openApiSchema(schema) } : { responseJsonSchema: jsonSchema(schema) })
  return { generation: { responseMimeType: 'application/json', ...shape } }
}

function own(params: ModelParams, config: ConfigEntry): Record<string, unknown> {
  const found = Object.entries(OWN).map(([key, name]) => [name, params[key] ?? config[name]] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null))
}

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

function leftOut(key: string, model: string, warn: LowerContext['warn']): void {
  warn('parameter', `\`${model}\` does not take \`${key}\`: it was left out`)
}
