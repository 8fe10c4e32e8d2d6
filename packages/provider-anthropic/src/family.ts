import type { Catalogue, LowerContext } from '@x/provider-kit'
import { ALL_EFFORTS } from './family-rules.ts'

/** Name of a table of what a vendor takes in a schema. */
type SchemaTableName = Extract<Parameters<LowerContext['schemas']['answer']>[1], string>

/** Abilities of a model, as far as requests depend on them. */
export interface AnthropicModelFamily {
  /** True for a model of Anthropic with known limits. */
  readonly known: boolean
  /** Largest number of tokens of an answer. */
  readonly maxTokens: number
  /** How reasoning is requested: not at all, by a budget of tokens, or by an effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** Smallest budget for thinking in tokens. */
  readonly leastBudget: number
  /** Largest budget for thinking in tokens. */
  readonly mostBudget: number
  /**
   * How thinking is switched off: by `disabled`, by `disabled` at no more than high effort, by `between_tools` (also at no
   * more than high effort), or never.
   */
  readonly thinkingOff: 'disabled' | 'disabled-to-high' | 'between_tools' | 'never'
  /** Supported levels of effort, lowest first. */
  readonly efforts: readonly string[]
  /** When the model can be forced to call a tool. */
  readonly forcedTools: 'always' | 'without-thinking' | 'never'
  /** Supported sampling parameters: temperature and top_p, one of them, or neither. */
  readonly sampling: 'both' | 'one' | 'none'
  /** Whether a conversation may end with the beginning of its answer. */
  readonly prefill: boolean
  /** True if it supports structured output by a JSON Schema. */
  readonly structured: boolean
  /** Table of what the model takes in a schema. */
  readonly schema: SchemaTableName
  /** True if it reads images and PDFs in results of tools; default: by the catalogue, then for Claude since 3. */
  readonly images: boolean
  readonly contextWindow: number
}

/** Tells the family of a model. */
export type FamilyOf = (model: string) => AnthropicModelFamily

/**
 * Makes the function that tells the family of a model by a catalogue: a model without rules there counts as an older model of
 * another maker, without limits. The config wins over the catalogue.
 */
export function createFamilies(catalogue: Catalogue, configured: Partial<AnthropicModelFamily> = {}): FamilyOf {
  // Nearly all requests of a client are for one model.
  let latest: { readonly model: string; readonly family: AnthropicModelFamily } | undefined
  return (model) => {
    if (latest?.model !== model) latest = { model, family: { ...familyIn(catalogue, model), ...configured } }
    return latest.family
  }
}

/** Smallest budget for thinking of models without a range of their own. */
const MIN_BUDGET_TOKENS = 1024

function familyIn(catalogue: Catalogue, model: string): AnthropicModelFamily {
  const { contextWindow = 200_000, maxOutput = 4096 } = catalogue.factsOf(model)
  const rules = catalogue.rulesOf(model)
  const {
    thinking,
    sampling,
    schema = 'none',
    budget: [leastBudget, mostBudget] = [MIN_BUDGET_TOKENS, Infinity],
  } = rules
  return {
    known: thinking !== undefined,
    maxTokens: maxOutput,
    thinking: thinking === 'effort' ? 'adaptive' : (thinking ?? 'none'),
    leastBudget,
    mostBudget,
    thinkingOff: rules.thinkingOff ?? 'disabled',
    efforts: rules.efforts ?? (thinking === 'effort' ? ALL_EFFORTS : []),
    forcedTools: rules.forcedTools ?? 'without-thinking',
    sampling: samplingOf(sampling),
    prefill: rules.prefill ?? true,
    structured: schema !== 'none',
    schema: schema === 'none' ? 'anthropic-strict' : schema,
    images: rules.images ?? false,
    contextWindow,
  }
}

/** A model that thinks never takes sampling parameters here. */
function samplingOf(sampling: ReturnType<Catalogue['rulesOf']>['sampling'] = 'both'): AnthropicModelFamily['sampling'] {
  if (sampling === 'without-thinking') return 'both'
  return sampling === 'no-temperature' ? 'none' : sampling
}
