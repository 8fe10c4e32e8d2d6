import type { ConfigEntry, ModelParams } from '@x/interfaces'
import { isRecord, messagesOf, type LoweredRequest, type LowerContext } from '@x/provider-kit'
import { placeCachePoints, type CacheLife } from './cache-points.ts'
import { familyOf, type ModelFamily } from './family.ts'
import { outputSchema } from './json-schema.ts'
import { lowerMessages } from './lower-messages.ts'
import { calledTools, lowerToolChoice, lowerTools, type WireTool } from './lower-tools.ts'
import { createReader } from './read-answer.ts'
import { fitThinking, lowerThinking, type Thinking } from './thinking.ts'

/** Parameters of other providers that have no counterpart here. */
const UNKNOWN = [
  'n',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'modalities',
  'prediction',
  'store',
  'verbosity',
]

/** Gives a request as the provider takes it; the given one is never changed. */
export function lower(params: ModelParams, context: LowerContext, config: ConfigEntry): LoweredRequest {
  const { model, names, warn } = context
  const family = familyOf(model, config['modelFamily'] as Partial<ModelFamily> | undefined)
  const { messages: _, ...given } = params
  const rest = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  ) as Record<string, unknown>
  const take = (key: string): unknown => {
    const value = rest[key]
    delete rest[key]
    return value
  }
  for (const key of ['model', 'stream', 'stream_options', 'prompt']) delete rest[key]
  for (const key of UNKNOWN) {
    const value = take(key)
    if (value !== undefined && !(key === 'n' && value === 1)) leftOut(key, model, warn)
  }
  const told = lowerThinking(take('thinking'), take('reasoning_effort'), family, warn)
  const tools = lowerTools(take('tools'), take('functions'), names)
  const asked = lowerToolChoice(take('tool_choice') ?? take('function_call'), take('parallel_tool_calls'), names)
  delete rest['function_call']
  const format = lowerFormat(take('response_format'), family, tools)
  if (format.tool) tools.push(format.tool)
  const lowered = lowerMessages(messagesOf(params), { names, prefill: family.prefill && !told.on, warn })
  const thinking = fitThinking(told, lowered.messages, warn)
  const called = tools.length === 0 ? calledTools(lowered.messages) : []
  tools.push(...called)
  const choice = fitChoice(
    format.tool ? forced(format.tool) : called.length > 0 ? { type: 'none' } : asked,
    thinking,
    warn,
  )
  const betas = [config['betas'], take('betas')].flat().filter((beta) => typeof beta === 'string')
  const user = take('user')
  placeCachePoints({ ...lowered, tools }, (config['promptCache'] as CacheLife | undefined) ?? false, warn)
  const { output_config: output, metadata, ...others } = rest
  const outputConfig = {
    ...(isRecord(output) && output),
    ...(thinking.effort !== undefined && { effort: thinking.effort }),
    ...format.output,
  }
  const bounds = limits(others, thinking, { family, model, warn })
  const body = {
    model,
    ...bounds,
    ...(lowered.system.length > 0 && { system: lowered.system }),
    messages: lowered.messages,
    ...(tools.length > 0 && { tools, ...(choice && { tool_choice: choice }) }),
    ...(thinking.thinking && { thinking: within(thinking.thinking, bounds['max_tokens'] as number) }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...((isRecord(metadata) || user !== undefined) && {
      metadata: { ...(isRecord(metadata) && metadata), ...(user !== undefined && { user_id: user }) },
    }),
  }
  return {
    model,
    body,
    headers: betaHeader(betas, config),
    reader: () => createReader(format.tool ? String(format.tool['name']) : undefined),
  }
}

interface ParamContext {
  readonly family: ModelFamily
  readonly model: string
  readonly warn: LowerContext['warn']
}

/** Gives length, stop texts and sampling as the model takes them; what is not known here passes. */
function limits(
  rest: Record<string, unknown>,
  { budget, on }: Thinking,
  { family, model, warn }: ParamContext,
): Record<string, unknown> {
  const {
    max_tokens: older,
    max_completion_tokens: newer,
    stop,
    temperature,
    top_p: topP,
    top_k: topK,
    ...others
  } = rest
  const asked = (newer ?? older) as number | undefined
  if (asked === undefined && !family.known) {
    warn('max_tokens', `\`${model}\` is not known: \`max_tokens\` was taken to be ${family.maxTokens}; set it`)
  }
  const wanted = (asked ?? family.maxTokens) + (asked === undefined && family.known ? 0 : budget)
  const most = family.known ? Math.min(wanted, family.maxTokens) : wanted
  if (asked !== undefined && asked > most) {
    warn('max_tokens', `\`${model}\` gives at most ${family.maxTokens} tokens: \`max_tokens\` was lowered`)
  }
  // A blank stop text is refused.
  const stops = [stop].flat().filter((text) => typeof text === 'string' && text.trim() !== '')
  const sampling = { temperature: clamped(temperature, warn), top_p: topP, top_k: topK }
  const refused = on ? ['temperature', 'top_p', 'top_k'] : refusedSampling(family, sampling)
  for (const key of refused) {
    if (sampling[key as keyof typeof sampling] === undefined) continue
    delete sampling[key as keyof typeof sampling]
    leftOut(key, model, warn)
  }
  return {
    ...others,
    max_tokens: most,
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)),
  }
}

/** A budget for thinking must be smaller than the whole answer. */
function within(thinking: Record<string, unknown>, most: number): Record<string, unknown> {
  const { budget_tokens: budget } = thinking
  return typeof budget === 'number' && budget >= most ? { ...thinking, budget_tokens: most - 1 } : thinking
}

/** Temperatures above 1 are other providers'. */
function clamped(temperature: unknown, warn: LowerContext['warn']): unknown {
  if (typeof temperature !== 'number' || (temperature >= 0 && temperature <= 1)) return temperature
  warn('temperature', `\`temperature: ${temperature}\` is out of range: it was brought to 0 to 1`)
  return Math.min(1, Math.max(0, temperature))
}

function refusedSampling({ sampling }: ModelFamily, { temperature }: { temperature?: unknown }): string[] {
  if (sampling === 'none') return ['temperature', 'top_p', 'top_k']
  return sampling === 'one' && temperature !== undefined ? ['top_p'] : []
}

interface Format {
  /** Part of `output_config`. */
  readonly output?: { format: object }
  /** The tool that stands for an answer in JSON. */
  readonly tool?: WireTool
}

/** Gives an answer's form as the model takes it: by itself, or as the arguments of a tool that no other is called like. */
function lowerFormat(format: unknown, { structured }: ModelFamily, tools: readonly WireTool[]): Format {
  if (!isRecord(format)) return {}
  const described = format['json_schema']
  const schema = isRecord(described) && isRecord(described['schema']) ? described['schema'] : undefined
  if (format['type'] === 'text' || (format['type'] !== 'json_object' && !schema)) return {}
  if (structured && schema) return { output: { format: { type: 'json_schema', schema: outputSchema(schema) } } }
  const taken = new Set(tools.map(({ name }) => name))
  let name = 'json'
  while (taken.has(name)) name = `${name}_`
  const description = 'Gives the answer; it must be called.'
  return { tool: { name, description, input_schema: schema ?? { type: 'object', additionalProperties: true } } }
}

const forced = ({ name }: WireTool): Record<string, unknown> => ({
  type: 'tool',
  name,
  disable_parallel_tool_use: true,
})

/** While it thinks, a model cannot be made to call a tool. */
function fitChoice(
  choice: Record<string, unknown> | undefined,
  { on }: Thinking,
  warn: LowerContext['warn'],
): Record<string, unknown> | undefined {
  if (!on || (choice?.['type'] !== 'tool' && choice?.['type'] !== 'any')) return choice
  warn('tool_choice', 'a model that thinks cannot be made to call a tool: the choice was left to it')
  const { name: _, ...rest } = choice
  return { ...rest, type: 'auto' }
}

function leftOut(key: string, model: string, warn: LowerContext['warn']): void {
  warn('parameter', `\`${model}\` does not take \`${key}\`: it was left out`)
}

/** Joins the betas of config, headers and call: the header holds all of them, each once. */
function betaHeader(betas: readonly string[], { defaultHeaders }: ConfigEntry): Record<string, string> | undefined {
  const own = Object.entries(defaultHeaders ?? {}).find(([name]) => name.toLowerCase() === 'anthropic-beta')
  const all = new Set([...(own?.[1].split(',') ?? []), ...betas].map((beta) => beta.trim()).filter(Boolean))
  return all.size > 0 ? { 'anthropic-beta': [...all].join(',') } : undefined
}
