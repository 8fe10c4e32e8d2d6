import type { ConfigEntry } from '@x/interfaces'
import { isRecord, vendorOf, type CheckedParams, type LoweredRequest, type LowerContext } from '@x/provider-kit'
import { placeCachePoints } from './cache-points.ts'
import { readOwnParams, type AnthropicKeys } from './config.ts'
import type { AnthropicModelFamily, FamilyOf } from './family.ts'
import { lowerMessages } from './lower-messages.ts'
import { calledTools, lowerFormat, lowerToolChoice, lowerTools, type WireTool } from './lower-tools.ts'
import { createReader } from './read-answer.ts'
import { fitEffort, fitThinking, fitToLimit, lowerThinking, type Thinking } from './thinking.ts'

type Warn = LowerContext['warn']

/** Keys of a config that a request depends on. */
export interface LowerConfig extends AnthropicKeys {
  readonly defaultHeaders: ConfigEntry['defaultHeaders']
  readonly familyOf: FamilyOf
}

/** Returns a request as the provider takes it; does not change the given one. */
export function lowerRequest(params: CheckedParams, context: LowerContext, config: LowerConfig): LoweredRequest {
  const { model, names, abilities, schemas, warn } = context
  const family = config.familyOf(model)
  const own = readOwnParams(params.others)
  for (const key in params.given) {
    if (isLeftOut(key, params) && !(key === 'n' && params.n === 1)) warnLeftOut(key, model, warn)
  }
  if (params.otherFormat !== undefined) warnLeftOut(`response_format: ${params.otherFormat}`, model, warn)
  const wanted = fitToLimit(lowerThinking(own.thinking, params.reasoning_effort, family, warn), {
    most: params.max_completion_tokens,
    least: family.leastBudget,
    warn,
  })
  const tools = lowerTools(params.tools, context, family)
  const format = lowerFormat(params.json, family, { tools, schemas })
  if (format.tool) tools.push(format.tool)
  const lowered = lowerMessages(params.messages, {
    names,
    schemas,
    model,
    warn,
    prefill: family.prefill && !wanted.on,
    images: config.modelFamily?.images ?? abilities?.includes('images') ?? family.images,
  })
  const thinking = fitThinking(wanted, lowered.messages, warn)
  const called = tools.length === 0 ? calledTools(lowered.messages) : []
  tools.push(...called)
  const givenChoice = called.length > 0 ? { type: 'none' } : lowerToolChoice(params, context)
  const wantedChoice = format.tool ? choiceWithJson(format.tool, givenChoice, params) : givenChoice
  const choice = fitChoice(wantedChoice, { thinking, family, warn })
  const { cache_control: automatic } = params.others
  placeCachePoints(
    { ...lowered, tools },
    { life: config.promptCache ?? false, automatic: isRecord(automatic) ? automatic : undefined, warn },
  )
  const effort = fitEffort(thinking.effort ?? own.output_config?.['effort'], thinking, family, warn)
  const { effort: _, ...otherConfig } = own.output_config ?? {}
  const outputConfig = { ...otherConfig, ...(effort !== undefined && { effort }), ...format.output }
  const limits = lowerLimits(params, thinking, { family, model, warn })
  const body = {
    model,
    ...passedParams(params),
    ...(lowered.container !== undefined && containerParam(params.others['container'], lowered.container)),
    ...lowerTier(params, model, warn),
    ...limits,
    ...(lowered.system.length > 0 && { system: lowered.system }),
    messages: lowered.messages,
    ...(tools.length > 0 && { tools, ...(choice && { tool_choice: choice }) }),
    ...(thinking.thinking && { thinking: fitBudget(thinking.thinking, limits.max_tokens) }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...lowerMetadata(params, warn),
  }
  return {
    model,
    body,
    headers: betaHeader([config.betas ?? [], own.betas ?? []].flat(), config.defaultHeaders),
    reader: () => createReader(model, format.tool ? String(format.tool['name']) : undefined),
  }
}

/** Tiers by the words for them; other vendors have further ones (https://platform.claude.com/docs/en/api/service-tiers). */
const TIERS: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['default', 'standard_only'],
  ['standard_only', 'standard_only'],
])

/** Returns the tier as the provider takes it; what is written for the provider passes. */
function lowerTier({ service_tier: tier, own }: CheckedParams, model: string, warn: Warn): { service_tier?: string } {
  if (tier === undefined) return {}
  const sent = own['service_tier'] === undefined ? TIERS.get(tier) : tier
  if (sent === undefined) warnLeftOut(`service_tier: ${tier}`, model, warn)
  return sent === undefined ? {} : { service_tier: sent }
}

/** Characters of `user_id` (https://platform.claude.com/docs/en/api/messages). */
const MAX_USER_ID_CHARS = 256

/** Returns metadata as the provider takes it, which refuses every key but `user_id`; what is written for the provider passes. */
function lowerMetadata({ metadata = {}, user, own }: CheckedParams, warn: Warn): { metadata?: object } {
  if (own['metadata'] !== undefined) return { metadata: { ...metadata, ...(user !== undefined && { user_id: user }) } }
  const { user_id: given, ...others } = metadata as Record<string, unknown>
  const id = user ?? given
  const keys = Object.keys(others)
  if (keys.length > 0) {
    warn(
      'metadata',
      `of \`metadata\` the provider takes \`user_id\` alone: \`${keys.slice(0, MAX_NAMED_KEYS).join('`, `')}\` was left out`,
    )
  }
  if (id === undefined || id === null) return {}
  const text = typeof id === 'string' ? id : JSON.stringify(id)
  if (text.length > MAX_USER_ID_CHARS) warn('metadata', `\`user_id\` was cut to ${MAX_USER_ID_CHARS} characters`)
  return { metadata: { user_id: text.slice(0, MAX_USER_ID_CHARS) } }
}

/** Keys that a warning names. */
const MAX_NAMED_KEYS = 5

/** Shared parameters without a counterpart here. */
const UNSUPPORTED_PARAMS: ReadonlySet<string> = new Set(
  'n seed presence_penalty frequency_penalty logit_bias logprobs top_logprobs verbosity'.split(' '),
)

/** Tells parameters that the provider refuses: unsupported ones, and those of other vendors unless written for this one. */
function isLeftOut(key: string, { own }: CheckedParams): boolean {
  if (UNSUPPORTED_PARAMS.has(key)) return true
  const vendor = vendorOf(key)
  return vendor !== undefined && vendor !== 'anthropic' && !(key in own)
}

function warnLeftOut(key: string, model: string, warn: Warn): void {
  warn('parameter', `\`${model}\` does not take \`${key}\`: it was left out`)
}

/** Returns the parameters that only Anthropic knows and this adapter does not read. */
function passedParams(params: CheckedParams): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params.others).filter(([key]) => !READ_PARAMS.has(key) && !isLeftOut(key, params)),
  )
}

/** Names the container in which code waits, unless the caller names one. */
function containerParam(given: unknown, waiting: string): { container?: unknown } {
  if (given === undefined) return { container: waiting }
  return isRecord(given) && !given['id'] ? { container: { ...given, id: waiting } } : {}
}

const READ_PARAMS: ReadonlySet<string> = new Set(['thinking', 'output_config', 'betas'])

/** Returns thinking with a budget below the limit of the whole answer. */
function fitBudget(thinking: Record<string, unknown>, maxTokens: number): Record<string, unknown> {
  const { budget_tokens: budget } = thinking
  return typeof budget === 'number' && budget >= maxTokens ? { ...thinking, budget_tokens: maxTokens - 1 } : thinking
}

/** Makes the model answer by the tool that stands for JSON, or call another tool before. */
function choiceWithJson(
  { name }: WireTool,
  wanted: Record<string, unknown> | undefined,
  { tools }: CheckedParams,
): Record<string, unknown> {
  if (wanted?.['type'] === 'tool') return wanted
  const isAlone = tools.length === 0 || wanted?.['type'] === 'none'
  return { ...(isAlone ? { type: 'tool', name } : { type: 'any' }), disable_parallel_tool_use: true }
}

/** Leaves the choice of a tool to models that cannot be forced: some while they think, others never. */
function fitChoice(
  choice: Record<string, unknown> | undefined,
  { thinking, family, warn }: { thinking: Thinking; family: AnthropicModelFamily; warn: Warn },
): Record<string, unknown> | undefined {
  const isForced = choice?.['type'] === 'tool' || choice?.['type'] === 'any'
  const { forcedTools } = family
  if (!isForced || forcedTools === 'always' || (forcedTools === 'without-thinking' && !thinking.on)) return choice
  const subject = forcedTools === 'never' ? 'the model' : 'a model that thinks'
  warn('tool_choice', `${subject} cannot be made to call a tool: the choice was left to it`)
  const { name: _, ...rest } = choice
  return { ...rest, type: 'auto' }
}

/** Joins the betas of config, headers and call in one header, each once. */
function betaHeader(
  betas: readonly string[],
  headers: ConfigEntry['defaultHeaders'],
): Record<string, string> | undefined {
  const header = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'anthropic-beta')
  const all = new Set([...(header?.[1].split(',') ?? []), ...betas].map((beta) => beta.trim()).filter(Boolean))
  return all.size > 0 ? { 'anthropic-beta': [...all].join(',') } : undefined
}

/** Sampling parameters of a request. */
interface Sampling {
  temperature?: number | undefined
  top_p?: number | undefined
  top_k?: number | undefined
}

const SAMPLING_PARAMS = ['temperature', 'top_p', 'top_k'] as const

/** Length, stop texts and sampling as the provider takes them. */
interface Limits extends Sampling {
  readonly max_tokens: number
  readonly stop_sequences?: readonly string[]
}

function lowerLimits(
  params: CheckedParams,
  { budget, on }: Thinking,
  { family, model, warn }: { readonly family: AnthropicModelFamily; readonly model: string; readonly warn: Warn },
): Limits {
  const { stop, temperature, top_p: topP, top_k: topK } = params
  const limit = params.max_completion_tokens ?? params.max_tokens
  if (limit === undefined && !family.known) {
    warn('max_tokens', `\`${model}\` is not known: \`max_tokens\` was taken to be ${family.maxTokens}; set it`)
  }
  const wanted = (limit ?? family.maxTokens) + (limit === undefined && family.known ? 0 : budget)
  const maxTokens = family.known ? Math.min(wanted, family.maxTokens) : wanted
  if (limit !== undefined && limit > maxTokens) {
    warn('max_tokens', `\`${model}\` gives at most ${family.maxTokens} tokens: \`max_tokens\` was lowered`)
  }
  // The provider refuses a blank stop text.
  const stops = [stop ?? []].flat().filter((text) => text.trim() !== '')
  const sampling: Sampling = { temperature: clampTemperature(temperature, warn), top_p: topP, top_k: topK }
  const refused = on ? SAMPLING_PARAMS : refusedSampling(family, sampling)
  for (const key of refused) {
    if (sampling[key] === undefined) continue
    delete sampling[key]
    warnLeftOut(key, model, warn)
  }
  return {
    max_tokens: maxTokens,
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)),
  }
}

/** Lowers temperatures above 1, which other providers take. */
function clampTemperature(temperature: number | undefined, warn: Warn): number | undefined {
  if (temperature === undefined || (temperature >= 0 && temperature <= 1)) return temperature
  warn('temperature', `\`temperature: ${temperature}\` is out of range: it was brought to 0 to 1`)
  return Math.min(1, Math.max(0, temperature))
}

function refusedSampling({ sampling }: AnthropicModelFamily, { temperature }: Sampling): readonly (keyof Sampling)[] {
  if (sampling === 'none') return SAMPLING_PARAMS
  return sampling === 'one' && temperature !== undefined ? ['top_p'] : []
}

/** Fields of a request that its tokens depend on; the endpoint for counts refuses others. */
const COUNTED_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'context_management',
  'mcp_servers',
])

/** Returns the request for the number of input tokens of another request. */
export function lowerCount(params: CheckedParams, context: LowerContext, config: LowerConfig): LoweredRequest {
  const { model, body, headers } = lowerRequest(params, context, config)
  const counted = Object.fromEntries(Object.entries(body).filter(([key]) => COUNTED_FIELDS.has(key)))
  return { model, body: counted, headers, operation: 'countTokens' }
}
