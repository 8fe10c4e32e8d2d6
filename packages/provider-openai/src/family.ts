import type { FunctionSchema } from '@x/interfaces'
import type { Catalogue, LowerContext } from '@x/provider-kit'

type ModelRules = ReturnType<Catalogue['rulesOf']>

/** Abilities of a model, as far as requests depend on them. */
export interface OpenAIModelFamily {
  /** Whether the catalogue knows what the model allows. */
  readonly known: boolean
  /** Whether the model reasons: other parameters, `developer` instead of `system`. */
  readonly reasoning: boolean
  /** Role of system messages; `user` where the model takes neither of the others. */
  readonly systemRole: 'system' | 'developer' | 'user'
  /** Whether the model takes `stop` while it reasons. */
  readonly stop: boolean
  /** Levels of `reasoning_effort`, lowest first; none if it takes no effort, undefined for any. */
  readonly efforts: readonly string[] | undefined
  /** Tiers of service beyond the usual ones; null if unknown. */
  readonly tiers: readonly string[] | null
  /** Sampling parameters that the model takes; `both` if it takes all. */
  readonly sampling: NonNullable<ModelRules['sampling']>
  /** When the model can be made to call a tool. */
  readonly forcedTools: NonNullable<ModelRules['forcedTools']>
  /** API by which OpenAI serves the model. */
  readonly api: NonNullable<ModelRules['api']>
  /** Whether the model is known to support structured output by a JSON Schema. */
  readonly structured: boolean
  /** Table of what the model takes in a schema. */
  readonly schema: Extract<Parameters<LowerContext['schemas']['answer']>[1], string>
}

/** Tells the family of a model. */
export type FamilyOf = (model: string) => OpenAIModelFamily

/**
 * Makes the function that tells the family of a model by a catalogue: a model without rules there counts as one of another
 * maker. Deployment names say nothing, so `reasoningModel` of the config wins.
 */
export function createFamilies(catalogue: Catalogue, reasoningModel: boolean | undefined): FamilyOf {
  // Nearly all requests of a client are for one model.
  let latest: { readonly model: string; readonly family: OpenAIModelFamily } | undefined
  return (model) => {
    if (latest?.model !== model) latest = { model, family: familyBy(catalogue.rulesOf(model), reasoningModel) }
    return latest.family
  }
}

function familyBy(rules: ModelRules, reasoningModel: boolean | undefined): OpenAIModelFamily {
  const { thinking, schema = 'none' } = rules
  const known = thinking !== undefined
  const byName = known && thinking !== 'none'
  const reasoning = reasoningModel ?? byName
  // What the config says to be another kind of model has the rules of that kind.
  const isOther = reasoning !== byName
  return {
    known,
    reasoning,
    systemRole: rules.systemRole ?? (reasoning ? 'developer' : 'system'),
    stop: !reasoning || (rules.stop === true && !isOther),
    efforts: isOther ? (reasoning || !known ? undefined : []) : rules.efforts,
    tiers: rules.tiers ?? null,
    sampling: samplingOf(rules.sampling, reasoning, isOther),
    forcedTools: rules.forcedTools ?? 'always',
    api: rules.api ?? 'any',
    structured: schema !== 'none',
    schema: schema === 'none' ? 'openai-strict' : schema,
  }
}

function samplingOf(
  sampling: ModelRules['sampling'],
  reasoning: boolean,
  isOther: boolean,
): OpenAIModelFamily['sampling'] {
  const usual = reasoning ? 'none' : 'both'
  return isOther && sampling !== 'no-temperature' ? usual : (sampling ?? usual)
}

/** Sampling parameters of both APIs. */
const SAMPLING_PARAMS: readonly string[] = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
]

/** Lists the sampling parameters that a model does not take in a request; `effort` is that of the request. */
export function refusedSampling(
  { reasoning, sampling }: OpenAIModelFamily,
  given: Readonly<Record<string, unknown>>,
  effort: unknown,
): readonly string[] {
  if (sampling === 'both') return []
  if (sampling === 'one') return given['temperature'] === undefined ? [] : ['top_p']
  if (sampling === 'no-temperature' && !reasoning) return ['temperature', 'top_p']
  return sampling === 'without-thinking' && (!reasoning || effort === 'none') ? [] : SAMPLING_PARAMS
}

/** Returns a choice of tools as the model takes it: a model that cannot be made to call one chooses for itself. */
export function fitChoice(
  choice: unknown,
  { forcedTools, reasoning }: OpenAIModelFamily,
  effort: unknown,
  warn: LowerContext['warn'],
): unknown {
  const isFree = choice === undefined || choice === 'auto' || choice === 'none'
  if (isFree || forcedTools === 'always') return choice
  if (forcedTools === 'without-thinking' && (!reasoning || effort === 'none')) return choice
  warn('tool_choice', 'the model cannot be made to call a tool: the choice was left to it')
  return 'auto'
}

/** Returns a function as the model takes it. `strict` says whether its schema is one to which the model is held. */
export function fitFunction(
  declared: FunctionSchema,
  { names, schemas }: Pick<LowerContext, 'names' | 'schemas'>,
  { schema }: OpenAIModelFamily,
): FunctionSchema {
  const { name, strict: isStrict } = declared
  const { parameters, strict } = schemas.tool(name, declared.parameters, isStrict ? schema : undefined)
  // Several endpoints demand the schema of a function without arguments, and OpenAI the properties of an object.
  const whole = parameters['properties'] === undefined ? { ...parameters, properties: {} } : parameters
  return { ...declared, name: names.to(name), parameters: whole, strict }
}

/** Tells whether a model is known not to have a tier of service. */
export const lacksTier = ({ tiers }: OpenAIModelFamily, tier: unknown): boolean =>
  tiers !== null && SOME_TIERS.has(tier) && !tiers.includes(tier as string)

/** Tiers that some models have, and Claude's word for the usual one. */
const SOME_TIERS: ReadonlySet<unknown> = new Set(['flex', 'priority', 'standard_only'])

const EFFORT_ORDER = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Returns an effort as the model takes it: the nearest supported level below, else the lowest; `none` only if it was asked for. */
export function fitEffort(effort: unknown, { efforts }: OpenAIModelFamily, warn: LowerContext['warn']): unknown {
  const place = EFFORT_ORDER.indexOf(effort as string)
  if (place < 0 || efforts === undefined || efforts.length === 0 || efforts.includes(effort as string)) return effort
  const levels = efforts.filter((level) => level !== 'none')
  const fitted = levels.findLast((level) => EFFORT_ORDER.indexOf(level) <= place) ?? levels[0]
  warn('effort', `the model does not take the effort \`${String(effort)}\`: \`${fitted}\` was sent`)
  return fitted
}
