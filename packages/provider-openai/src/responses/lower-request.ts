import { isRecord, listOf, type CheckedParams, type LowerContext, type LoweredRequest } from '@x/provider-kit'
import type { OpenAIKeys } from '../config.ts'
import type { NamedProfile } from '../endpoint-profiles.ts'
import {
  type FamilyOf,
  fitChoice,
  fitEffort,
  fitFunction,
  lacksTier,
  type OpenAIModelFamily,
  refusedSampling,
} from '../family.ts'
import { fitMetadata, withOwnTools, isRefused, optionNames, warnRefused } from '../refused-params.ts'
import { resultMediaRule } from '../content-parts.ts'
import { lowerInput } from './lower-input.ts'
import type { Item } from './own-items.ts'

/** Facts that a request to the Responses API depends on. */
export interface ResponsesRules {
  readonly family: OpenAIModelFamily
  readonly profile: NamedProfile
  /** Whether the model may reason: then the request asks for sealed reasoning, which can be sent back, and sends it back. */
  readonly sealed: boolean
  /** Ids of refused items. */
  readonly refusedIds: ReadonlySet<unknown>
  readonly toolImages: OpenAIKeys['toolImages']
}

/** Body of a request, and the items that another form of it leaves out. */
export interface ResponsesRequest {
  readonly body: Item
  /** Stored items of the answers that are sent back as they came. */
  readonly replayed: readonly Item[]
}

/** Parameters of chat completions that the endpoint does not know. */
const UNSUPPORTED_PARAMS: ReadonlySet<string> = new Set(
  `n seed stop presence_penalty frequency_penalty logit_bias prediction modalities audio web_search_options`.split(' '),
)

/** Parameters that are lowered separately. */
const SEPARATE_PARAMS: ReadonlySet<string> = new Set(
  `model prompt tools functions tool_choice function_call parallel_tool_calls response_format reasoning_effort reasoning
   verbosity text max_tokens max_completion_tokens max_output_tokens logprobs include store`.split(/\s+/u),
)

/** Smallest value of `max_output_tokens`. */
const MIN_OUTPUT_TOKENS = 16

/** Returns a request as the Responses API takes it; the API stores nothing unless `store` or `background` is set. */
export function lowerRequest(
  params: CheckedParams,
  context: LowerContext,
  { family, sealed, refusedIds, profile, toolImages }: ResponsesRules,
): ResponsesRequest {
  const { model, schemas, warn } = context
  const { given, service_tier: tier } = params
  const rules = {
    ...context,
    developer: family.reasoning,
    reasoning: sealed,
    refusedIds,
    profile,
    owners: optionNames(profile),
    takesInResult: resultMediaRule('responses', { toolImages }, profile, context.abilities),
  }
  const leaveOut = (key: string): void =>
    warn('parameter', `\`${key}\` was left out: \`${model}\` does not take it by the Responses API`)
  const reasoning = reasoningOf(params, family, { leaveOut, warn })
  const text = textOf(params, schemas, family)
  const tools = lowerTools(withOwnTools(params, profile, warn), { ...context, family }, reasoning?.['effort'])
  // Calls go out in the form of the tools, which are fitted by now.
  const { input, replayed } = lowerInput(params.messages, rules)
  const body: Item = { model, input }
  const refused = refusedSampling(family, given, reasoning?.['effort'])
  for (const key in given) {
    // The API always gives one answer.
    if (key === 'n' && given[key] === 1) continue
    // Servers with models of other makers may take `top_k`.
    const isUnknown = UNSUPPORTED_PARAMS.has(key) || (key === 'top_k' && family.tiers !== null)
    if (isUnknown || refused.includes(key)) leaveOut(key)
    else if (isRefused(key, params, profile)) warnRefused(key, profile, warn)
    else if (!SEPARATE_PARAMS.has(key)) body[key] = given[key]
  }
  if (lacksTier(family, tier)) {
    delete body['service_tier']
    leaveOut('service_tier')
  }
  if (body['metadata'] !== undefined) body['metadata'] = fitMetadata(params, profile, warn)
  // A template of the provider; a text is a message of the user.
  if (isRecord(given['prompt'])) body['prompt'] = given['prompt']
  if (reasoning) body['reasoning'] = reasoning
  const maxTokens = maxTokensOf(params, warn)
  if (maxTokens !== undefined) body['max_output_tokens'] = maxTokens
  if (text) body['text'] = text
  Object.assign(body, tools)
  // An answer in the background is deleted after ten minutes if it is not stored: a process may be away for longer.
  const { store = given['background'] === true, include } = given
  body['store'] = store
  const wanted = new Set([
    ...listOf(include),
    ...(sealed ? ['reasoning.encrypted_content'] : []),
    ...(params.logprobs && !refused.includes('logprobs') ? ['message.output_text.logprobs'] : []),
    ...includedResults(params),
  ])
  if (wanted.size > 0) body['include'] = [...wanted]
  return { body, replayed }
}

/** Returns the settings of reasoning; models that do not reason get none. */
function reasoningOf(
  { given, reasoning_effort: effort }: CheckedParams,
  family: OpenAIModelFamily,
  { leaveOut, warn }: { readonly leaveOut: (key: string) => void; readonly warn: LowerContext['warn'] },
): Item | undefined {
  const { reasoning } = given
  const own = isRecord(reasoning) ? reasoning : undefined
  if (effort === undefined) return own && { ...own }
  if (family.efforts?.length === 0) {
    leaveOut('reasoning_effort')
    return own && { ...own }
  }
  return { effort: own?.['effort'] === undefined ? fitEffort(effort, family, warn) : effort, ...own }
}

function maxTokensOf(params: CheckedParams, warn: LowerContext['warn']): unknown {
  const limit = params.given['max_output_tokens'] ?? params.max_completion_tokens ?? params.max_tokens
  if (typeof limit !== 'number' || limit >= MIN_OUTPUT_TOKENS) return limit
  warn(
    'max_output_tokens',
    `the answer may have ${MIN_OUTPUT_TOKENS} tokens instead of ${limit}: fewer cannot be asked for`,
  )
  return MIN_OUTPUT_TOKENS
}

/** Returns the format of the answer and its verbosity. */
function textOf(
  { given, response_format: format, verbosity }: CheckedParams,
  schemas: LowerContext['schemas'],
  family: OpenAIModelFamily,
): Item | undefined {
  const { text } = given
  const own = isRecord(text) ? text : undefined
  if (!own && format === undefined && verbosity === undefined) return undefined
  return {
    ...(isRecord(format) && { format: formatOf(format, schemas, family) }),
    ...(verbosity !== undefined && { verbosity }),
    ...own,
  }
}

function formatOf(
  { json_schema: described, ...rest }: Item,
  schemas: LowerContext['schemas'],
  { schema: table }: OpenAIModelFamily,
): Item {
  if (!isRecord(described)) return rest
  const { schema, strict } = described
  const strictPart = strict === true && isRecord(schema) ? { schema: schemas.answer(schema, table) } : {}
  return { ...rest, ...described, ...strictPart }
}

type NameMap = LowerContext['names']

type ToolContext = Pick<LowerContext, 'names' | 'schemas' | 'warn'> & { readonly family: OpenAIModelFamily }

/** Returns tools and their parameters as the endpoint takes them; nothing without tools. */
function lowerTools(params: CheckedParams, context: ToolContext, effort: unknown): Item {
  const { tools, tool_choice: choice, function_call: older, parallel_tool_calls: parallel } = params
  if (tools.length === 0) return {}
  const given = choice ?? (isRecord(older) ? { type: 'function', function: older } : older)
  const chosen = fitChoice(given, context.family, effort, context.warn)
  return {
    tools: tools.map((tool) => lowerTool(tool, context)),
    ...(chosen !== undefined && { tool_choice: lowerChoice(chosen, context.names) }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  }
}

/** Lists the values of `include` by which the results of tools of the provider can be read. */
const includedResults = ({ tools }: CheckedParams): string[] =>
  tools.flatMap(({ type, function: declared }) => (declared ? [] : (INCLUDED_RESULTS[String(type)] ?? [])))

const INCLUDED_RESULTS: Readonly<Record<string, string>> = {
  web_search: 'web_search_call.action.sources',
  file_search: 'file_search_call.results',
  code_interpreter: 'code_interpreter_call.outputs',
}

function lowerTool(tool: CheckedParams['tools'][number], context: ToolContext): Item {
  const { function: declared, ...rest } = tool
  // With an explicit `strict`: without it the endpoint would close the schema and require every property.
  if (declared) return { ...rest, type: 'function', ...fitFunction(declared, context, context.family) }
  const { custom, ...others } = rest
  // Tools of the provider pass as they are.
  if (!isRecord(custom)) return others
  const { format } = custom
  const grammar = isRecord(format) && isRecord(format['grammar']) ? { type: 'grammar', ...format['grammar'] } : format
  return { ...others, type: 'custom', ...custom, ...(format !== undefined && { format: grammar }) }
}

/** Lowers the choice of a tool: the name stands beside the type here, in chat completions in a separate object. */
function lowerChoice(choice: unknown, names: NameMap): unknown {
  if (!isRecord(choice)) return choice
  const { function: called, custom, allowed_tools: allowed, ...rest } = choice
  if (isRecord(called)) return { ...rest, type: 'function', name: names.to(String(called['name'])) }
  if (isRecord(custom)) return { ...rest, ...custom }
  if (!isRecord(allowed)) return choice
  const { tools } = allowed
  const lowered = Array.isArray(tools) ? tools.map((tool: unknown) => lowerChoice(tool, names)) : tools
  return { ...rest, ...allowed, tools: lowered }
}

/** Fields of a request that its tokens depend on; the endpoint for counts refuses others. */
const COUNTED_FIELDS: ReadonlySet<string> = new Set(
  `model input instructions tools tool_choice parallel_tool_calls reasoning text truncation previous_response_id
   conversation personality`.split(/\s+/u),
)

/** Returns the request for the number of input tokens of another request of either API. */
export function lowerCount(
  params: CheckedParams,
  context: LowerContext,
  { toolImages, familyOf }: Pick<OpenAIKeys, 'toolImages'> & { readonly familyOf: FamilyOf },
  profile: NamedProfile,
): LoweredRequest {
  const { model } = context
  const family = familyOf(model)
  const rules = { family, sealed: family.reasoning, refusedIds: new Set(), profile, toolImages }
  const { body } = lowerRequest(params, context, rules)
  const counted = Object.fromEntries(Object.entries(body).filter(([key]) => COUNTED_FIELDS.has(key)))
  return { model, body: counted, operation: 'countTokens' }
}
