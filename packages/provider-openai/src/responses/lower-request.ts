import { isRecord, type CheckedParams, type LowerContext } from '@x/provider-kit'
import type { OpenAIKeys } from '../config.ts'
import type { NamedProfile } from '../endpoint-profile.ts'
import type { OpenAIModelFamily } from '../family.ts'
import { withOwnTools } from '../own-tools.ts'
import { resultMediaRule } from '../result-media.ts'
import { isRefused, optionNames, warnRefused } from '../refused-params.ts'
import { strictSchema } from '../strict-schema.ts'
import { lowerInput } from './lower-input.ts'
import { lowerTools, resultsOf } from './lower-tools.ts'
import type { Item } from './own-items.ts'

/** Facts that a request to the Responses API depends on. */
export interface ResponsesRules {
  readonly family: OpenAIModelFamily
  readonly profile: NamedProfile
  /** Whether the model may reason: to ask for its reasoning in the sealed form that can be sent back, and to send it back. */
  readonly sealed: boolean
  /** Ids of items that the endpoint has refused. */
  readonly refused: ReadonlySet<unknown>
  readonly toolImages: OpenAIKeys['toolImages']
}

/** Body of a request, and what its next form depends on. */
export interface ResponsesRequest {
  readonly body: Item
  /** Stored items of the answers that are sent back as they came. */
  readonly replayed: readonly Item[]
}

/** Parameters of chat completions that the endpoint does not know. */
const UNKNOWN: ReadonlySet<string> = new Set(
  `n seed stop presence_penalty frequency_penalty logit_bias prediction modalities audio web_search_options`.split(' '),
)

/** Parameters that are lowered by themselves. */
const LOWERED: ReadonlySet<string> = new Set(
  `model prompt tools functions tool_choice function_call parallel_tool_calls response_format reasoning_effort reasoning
   verbosity text max_tokens max_completion_tokens max_output_tokens logprobs include store`.split(/\s+/u),
)

/** Parameters that models refuse while they reason. */
const SAMPLING: ReadonlySet<string> = new Set(['temperature', 'top_p', 'logprobs', 'top_logprobs'])

/** Least value of `max_output_tokens`. */
const LEAST_TOKENS = 16

/** Returns a request as the Responses API takes it; nothing of it is stored there, unless `store` is set. */
export function lowerRequest(
  params: CheckedParams,
  context: LowerContext,
  { family, sealed, refused: refusedItems, profile, toolImages }: ResponsesRules,
): ResponsesRequest {
  const { model, names, warn } = context
  const { given, service_tier: tier } = params
  const rules = {
    ...context,
    developer: family.reasoning,
    reasoning: sealed,
    refused: refusedItems,
    owners: optionNames(profile),
    takesInResult: resultMediaRule('responses', { toolImages }, profile, context.abilities),
  }
  const { input, replayed } = lowerInput(params.messages, rules)
  const body: Item = { model, input }
  const leaveOut = (key: string): void =>
    warn('parameter', `\`${key}\` was left out: \`${model}\` does not take it by the Responses API`)
  const reasoning = reasoningOf(params, family, leaveOut)
  const refused = samplingRefused(family, reasoning)
  for (const key in given) {
    // One answer is what there always is.
    if (key === 'n' && given[key] === 1) continue
    // Servers with models of other makers may know more.
    const unknown = UNKNOWN.has(key) || (key === 'top_k' && family.tiers !== null)
    if (unknown || refused(key)) leaveOut(key)
    else if (isRefused(key, params, profile)) warnRefused(key, profile, warn)
    else if (!LOWERED.has(key)) body[key] = given[key]
  }
  if (family.tiers && (tier === 'flex' || tier === 'priority') && !family.tiers.includes(tier)) {
    delete body['service_tier']
    leaveOut('service_tier')
  }
  // A template of the provider's; a text is the message of the user.
  if (isRecord(given['prompt'])) body['prompt'] = given['prompt']
  if (reasoning) body['reasoning'] = reasoning
  const most = mostTokens(params, warn)
  if (most !== undefined) body['max_output_tokens'] = most
  const text = textOf(params)
  if (text) body['text'] = text
  Object.assign(body, lowerTools(withOwnTools(params, profile, warn), names))
  const { store = false, include } = given
  body['store'] = store
  const wanted = new Set([
    ...(Array.isArray(include) ? (include as unknown[]) : []),
    ...(sealed ? ['reasoning.encrypted_content'] : []),
    ...(params.logprobs && !refused('logprobs') ? ['message.output_text.logprobs'] : []),
    ...resultsOf(params),
  ])
  if (wanted.size > 0) body['include'] = [...wanted]
  return { body, replayed }
}

/** Returns the caller's settings of reasoning; models that do not reason get none. */
function reasoningOf(
  { given, reasoning_effort: effort }: CheckedParams,
  family: OpenAIModelFamily,
  leaveOut: (key: string) => void,
): Item | undefined {
  const { reasoning } = given
  if (effort !== undefined && !family.effort) leaveOut('reasoning_effort')
  const own = isRecord(reasoning) ? reasoning : undefined
  const asked = effort !== undefined && family.effort ? { effort } : undefined
  return own || asked ? { ...asked, ...own } : undefined
}

function samplingRefused(family: OpenAIModelFamily, reasoning: Item | undefined): (key: string) => boolean {
  const quiet = reasoning?.['effort'] === 'none' && family.samplingWithoutEffort
  if (family.reasoning && !quiet) return (key) => SAMPLING.has(key)
  return (key) => !family.temperature && (key === 'temperature' || key === 'top_p')
}

function mostTokens(params: CheckedParams, warn: LowerContext['warn']): unknown {
  const most = params.given['max_output_tokens'] ?? params.max_completion_tokens ?? params.max_tokens
  if (typeof most !== 'number' || most >= LEAST_TOKENS) return most
  warn('max_output_tokens', `the answer may have ${LEAST_TOKENS} tokens instead of ${most}: fewer cannot be asked for`)
  return LEAST_TOKENS
}

/** Returns the form of the answer and how long it is. */
function textOf({ given, response_format: format, verbosity }: CheckedParams): Item | undefined {
  const { text } = given
  const own = isRecord(text) ? text : undefined
  if (!own && format === undefined && verbosity === undefined) return undefined
  return {
    ...(isRecord(format) && { format: formatOf(format) }),
    ...(verbosity !== undefined && { verbosity }),
    ...own,
  }
}

function formatOf({ json_schema: described, ...rest }: Item): Item {
  if (!isRecord(described)) return rest
  const { schema, strict } = described
  const fitted = strict === true && isRecord(schema) ? { schema: strictSchema(schema) } : {}
  return { ...rest, ...described, ...fitted }
}
