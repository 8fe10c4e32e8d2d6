import type { ConfigEntry, ModelLimits } from '@x/interfaces'
import { vendorOf, type CheckedParams, type LoweredRequest, type LowerContext } from '@x/provider-kit'
import { lowerFormat } from './answer-format.ts'
import { placeCachePoints } from './cache-points.ts'
import { readOwnParams, type AnthropicKeys } from './config.ts'
import { familyOf, type AnthropicModelFamily } from './family.ts'
import { lowerLimits, warnLeftOut } from './limits.ts'
import { lowerMessages } from './lower-messages.ts'
import { calledTools, lowerToolChoice, lowerTools, type WireTool } from './lower-tools.ts'
import { createReader } from './read-answer.ts'
import { fitEffort, fitThinking, lowerThinking, type Thinking } from './thinking.ts'

/** Parameters of other providers that have no counterpart here. */
const UNKNOWN: ReadonlySet<string> = new Set(
  'n seed presence_penalty frequency_penalty logit_bias logprobs top_logprobs verbosity'.split(' '),
)

/** Tells parameters that the provider refuses: shared ones, and those of other vendors unless written for this one. */
function isLeftOut(key: string, { own }: CheckedParams): boolean {
  if (UNKNOWN.has(key)) return true
  const vendor = vendorOf(key)
  return vendor !== undefined && vendor !== 'anthropic' && !(key in own)
}

/** Keys of a config that a request depends on. */
export interface LowerConfig extends AnthropicKeys {
  readonly defaultHeaders: ConfigEntry['defaultHeaders']
  readonly limitsOf: (model: string) => ModelLimits
}

/** Returns a request as the provider takes it; does not change the given one. */
export function lower(params: CheckedParams, context: LowerContext, config: LowerConfig): LoweredRequest {
  const { model, names, abilities, warn } = context
  const { service_tier: tier, metadata, user } = params
  const family = familyOf(model, config.limitsOf(model), config.modelFamily)
  const own = readOwnParams(params.others)
  for (const key in params.given) {
    if (isLeftOut(key, params) && !(key === 'n' && params.n === 1)) warnLeftOut(key, model, warn)
  }
  const told = lowerThinking(own.thinking, params.reasoning_effort, family, warn)
  const tools = lowerTools(params.tools, context)
  const format = lowerFormat(params.json, family, tools)
  if (format.tool) tools.push(format.tool)
  const lowered = lowerMessages(params.messages, {
    ...{ names, model, warn },
    prefill: family.prefill && !told.on,
    images: config.modelFamily?.images ?? abilities?.includes('images') ?? family.images,
  })
  const thinking = fitThinking(told, lowered.messages, warn)
  const called = tools.length === 0 ? calledTools(lowered.messages) : []
  tools.push(...called)
  const asked = called.length > 0 ? { type: 'none' } : lowerToolChoice(params, names)
  const choice = fitChoice(format.tool ? forced(format.tool) : asked, { thinking, family, warn })
  placeCachePoints({ ...lowered, tools }, config.promptCache ?? false, warn)
  const effort = fitEffort(thinking.effort ?? own.output_config?.['effort'], thinking, family, warn)
  const { effort: _, ...otherConfig } = own.output_config ?? {}
  const outputConfig = { ...otherConfig, ...(effort !== undefined && { effort }), ...format.output }
  const limits = lowerLimits(params, thinking, { family, model, warn })
  const body = {
    model,
    ...passedOn(params),
    ...(tier !== undefined && { service_tier: tier }),
    ...limits,
    ...(lowered.system.length > 0 && { system: lowered.system }),
    messages: lowered.messages,
    ...(tools.length > 0 && { tools, ...(choice && { tool_choice: choice }) }),
    ...(thinking.thinking && { thinking: within(thinking.thinking, limits.max_tokens) }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...((metadata || user !== undefined) && {
      metadata: { ...metadata, ...(user !== undefined && { user_id: user }) },
    }),
  }
  return {
    model,
    body,
    headers: betaHeader([config.betas ?? [], own.betas ?? []].flat(), config.defaultHeaders),
    reader: () => createReader(model, format.tool ? String(format.tool['name']) : undefined),
  }
}

/** Parameters that only Anthropic knows and this adapter does not read: they pass. */
function passedOn(params: CheckedParams): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params.others).filter(([key]) => !OWN.has(key) && !isLeftOut(key, params)))
}

const OWN: ReadonlySet<string> = new Set(['thinking', 'output_config', 'betas'])

/** A budget for thinking must be smaller than the whole answer. */
function within(thinking: Record<string, unknown>, most: number): Record<string, unknown> {
  const { budget_tokens: budget } = thinking
  return typeof budget === 'number' && budget >= most ? { ...thinking, budget_tokens: most - 1 } : thinking
}

const forced = ({ name }: WireTool): Record<string, unknown> => ({
  type: 'tool',
  name,
  disable_parallel_tool_use: true,
})

/** Some models cannot be made to call a tool while they think, others never. */
function fitChoice(
  choice: Record<string, unknown> | undefined,
  { thinking, family, warn }: { thinking: Thinking; family: AnthropicModelFamily; warn: LowerContext['warn'] },
): Record<string, unknown> | undefined {
  const isForced = choice?.['type'] === 'tool' || choice?.['type'] === 'any'
  const { forcedTools } = family
  if (!isForced || forcedTools === 'always' || (forcedTools === 'without-thinking' && !thinking.on)) return choice
  const when = forcedTools === 'never' ? 'the model' : 'a model that thinks'
  warn('tool_choice', `${when} cannot be made to call a tool: the choice was left to it`)
  const { name: _, ...rest } = choice
  return { ...rest, type: 'auto' }
}

/** Joins the betas of config, headers and call: the header holds all of them, each once. */
function betaHeader(
  betas: readonly string[],
  headers: ConfigEntry['defaultHeaders'],
): Record<string, string> | undefined {
  const own = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'anthropic-beta')
  const all = new Set([...(own?.[1].split(',') ?? []), ...betas].map((beta) => beta.trim()).filter(Boolean))
  return all.size > 0 ? { 'anthropic-beta': [...all].join(',') } : undefined
}
