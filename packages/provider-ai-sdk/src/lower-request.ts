import { isRecord, type CheckedParams, type Dialect, type LoweredRequest, type LowerContext } from '@x/provider-kit'
import { lowerPrompt, nameOf, PROVIDER } from './lower-prompt.ts'
import type { AiSdkModel, Part } from './model-types.ts'
import { createReader } from './read-answer.ts'

/** Parameters with a counterpart in the call options, under the name there. */
const RENAMED_PARAMS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  seed: 'seed',
}

/** Parameters that are read in another way. */
const READ_PARAMS: ReadonlySet<string> = new Set(
  'model prompt tools functions max_tokens max_completion_tokens stop tool_choice function_call response_format reasoning_effort'.split(
    ' ',
  ),
)

/** Efforts that version 4 of the interface has. */
const EFFORTS: ReadonlySet<string> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

/** Returns the options of a call; does not change the given parameters. */
export function lowerRequest(
  params: CheckedParams,
  context: LowerContext,
  { languageModel, ids }: { readonly languageModel: AiSdkModel; readonly ids: Dialect['ids'] },
): LoweredRequest {
  const { model, names, warn } = context
  for (const key in params.given) {
    const isUsed = READ_PARAMS.has(key) || Object.hasOwn(RENAMED_PARAMS, key) || (key === 'n' && params.n === 1)
    if (!isUsed) warnLeftOut(key, languageModel, warn)
  }
  if (params.otherFormat !== undefined) warnLeftOut(`response_format: ${params.otherFormat}`, languageModel, warn)
  const limit = params.max_completion_tokens ?? params.max_tokens
  const { stop } = params
  const tools = lowerTools(params.tools, languageModel, context)
  const choice = lowerChoice(params.tool_choice ?? params.function_call, names)
  const { [PROVIDER]: _, ...providerOptions } = params.providerOptions
  const renamed = Object.entries(RENAMED_PARAMS).map(([key, name]) => [name, params.given[key]] as const)
  return {
    model,
    body: {
      prompt: lowerPrompt(params.messages, { names, warn, languageModel, ids }),
      ...(limit !== undefined && { maxOutputTokens: limit }),
      ...Object.fromEntries(renamed.filter(([, value]) => value !== undefined)),
      ...(stop !== undefined && { stopSequences: [stop].flat() }),
      ...lowerFormat(params),
      ...lowerEffort(params.reasoning_effort, languageModel, warn),
      ...(tools.length > 0 && { tools, ...(choice && { toolChoice: choice }) }),
      ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
    },
    reader: () => createReader(nameOf(languageModel), warn),
  }
}

function warnLeftOut(key: string, model: AiSdkModel, warn: LowerContext['warn']): void {
  warn('parameter', `\`${nameOf(model)}\` does not take \`${key}\`: it was left out`)
}

/** Asks for an answer in JSON; the model's own package fits the schema to its API. */
function lowerFormat({ json, response_format: format }: CheckedParams): object {
  if (!json) return {}
  const described: unknown = format?.['json_schema' as keyof typeof format]
  const { name, description } = isRecord(described) ? described : {}
  return {
    responseFormat: {
      type: 'json',
      ...(json.schema && { schema: json.schema }),
      ...(typeof name === 'string' && { name }),
      ...(typeof description === 'string' && { description }),
    },
  }
}

/** Returns the effort; version 3 of the interface has none but in `providerOptions`. */
function lowerEffort(effort: string | undefined, model: AiSdkModel, warn: LowerContext['warn']): object {
  if (effort === undefined) return {}
  if (model.specificationVersion === 'v4' && EFFORTS.has(effort)) return { reasoning: effort }
  warnLeftOut('reasoning_effort', model, warn)
  return {}
}

/** Returns functions as tools; tools in the form of the AI SDK (`{ type: 'provider', id, name, args }`) pass. */
function lowerTools(tools: CheckedParams['tools'], model: AiSdkModel, { names, schemas, warn }: LowerContext): Part[] {
  return tools.flatMap((tool): Part[] => {
    if (!tool.function) {
      if (tool['type'] === 'provider') return [{ ...tool, type: 'provider' }]
      warn('tools', `a tool of type \`${String(tool['type'])}\` was left out: \`${nameOf(model)}\` does not take it`)
      return []
    }
    const { name, description, parameters: given, strict } = tool.function
    const { parameters } = schemas.tool(name, given)
    return [
      {
        type: 'function',
        name: names.to(name),
        inputSchema: parameters,
        ...(description && { description }),
        ...(strict !== undefined && { strict }),
      },
    ]
  })
}

function lowerChoice(choice: unknown, names: LowerContext['names']): object | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  if (choice === 'any') return { type: 'required' }
  if (!isRecord(choice)) return undefined
  const called: unknown = choice['function'] ?? choice
  const name: unknown = isRecord(called) ? called['name'] : undefined
  if (typeof name === 'string') return { type: 'tool', toolName: names.to(name) }
  return lowerChoice(choice['type'], names)
}
