import type { Catalogue, CatalogueData, LowerContext } from '@x/provider-kit'

/** Name of a table of what a vendor takes in a schema. */
type SchemaTableName = Extract<Parameters<LowerContext['schemas']['answer']>[1], string>

/** Abilities of a model, as far as requests depend on them. */
export interface GoogleModelFamily {
  /** Whether the model takes a system instruction. */
  readonly system: boolean
  /** How reasoning is requested: not at all, by a budget of tokens, or by a level. */
  readonly thinking: 'none' | 'budget' | 'level'
  /** Smallest budget for thinking in tokens; 0 where thinking can be switched off. */
  readonly leastBudget: number
  /** Largest budget for thinking in tokens. */
  readonly mostBudget: number
  /** Supported levels of thinking, lowest first. */
  readonly levels: readonly string[]
  /** Whether calls that are sent back must carry a signature. */
  readonly signed: boolean
  /** Whether a request may ask for an answer in JSON beside tools. */
  readonly jsonWithTools: boolean
  /** Whether results of tools may hold images; for others they stand behind the results. */
  readonly mediaResults: boolean
  /** True if it reads images and files in results of tools; default: by the catalogue, then for Gemini. */
  readonly images: boolean
  /** Supported sampling parameters: all, temperature or `top_p`, all while it does not think, all but these two, or none. */
  readonly sampling: 'both' | 'one' | 'without-thinking' | 'no-temperature' | 'none'
  /** True if it takes penalties for repetition. */
  readonly penalties: boolean
  /** When the model can be forced to call a tool. */
  readonly forcedTools: 'always' | 'without-thinking' | 'never'
  /** Table of what the model takes in a schema. */
  readonly schema: SchemaTableName
  readonly contextWindow: number
  /** Largest number of tokens of an answer; absent for names of other makers. */
  readonly maxTokens?: number | undefined
}

/** Tells the family of a model. */
export type FamilyOf = (model: string) => GoogleModelFamily

/**
 * Makes the function that tells the family of a model by a catalogue: a model without rules there counts as an old model of
 * another maker. The config wins over the catalogue.
 */
export function createFamilies(catalogue: Catalogue, configured: Partial<GoogleModelFamily> = {}): FamilyOf {
  // Nearly all requests of a client are for one model.
  let latest: { readonly model: string; readonly family: GoogleModelFamily } | undefined
  return (model) => {
    if (latest?.model !== model) latest = { model, family: { ...familyIn(catalogue, model), ...configured } }
    return latest.family
  }
}

function familyIn(catalogue: Catalogue, model: string): GoogleModelFamily {
  const { contextWindow = 1_048_576, maxOutput } = catalogue.factsOf(model)
  const rules = catalogue.rulesOf(model)
  const { thinking, budget: [leastBudget, mostBudget] = [0, Infinity], schema } = rules
  return {
    system: rules.system ?? true,
    thinking: thinking === 'effort' ? 'level' : (thinking ?? 'none'),
    leastBudget,
    mostBudget,
    levels: rules.efforts ?? ['low', 'medium', 'high'],
    signed: rules.signed ?? false,
    jsonWithTools: rules.jsonWithTools ?? false,
    mediaResults: rules.mediaResults ?? false,
    images: rules.images ?? false,
    sampling: rules.sampling ?? 'both',
    penalties: rules.penalties ?? true,
    forcedTools: rules.forcedTools ?? 'always',
    schema: schema === undefined || schema === 'none' ? 'gemini' : schema,
    contextWindow,
    maxTokens: maxOutput,
  }
}

/**
 * Rules of Google's models, by families of names (see `CatalogueData.models`). `gemini-*` has the rules of the newest
 * models: a name that is not in the table, such as `gemini-flash-latest`, counts as one of them.
 */
export const googleFamilies: CatalogueData = {
  date: '2026-11-27',
  sources: [
    'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking',
    'https://ai.google.dev/gemini-api/docs/gemini-3',
    'https://ai.google.dev/gemini-api/docs/models',
    'https://ai.google.dev/gemma/docs/core/gemma_on_gemini_api',
    'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-3-5-flash',
  ],
  models: {
    'gemini-*': {
      thinking: 'effort',
      efforts: ['low', 'medium', 'high'],
      signed: true,
      jsonWithTools: true,
      mediaResults: true,
      images: true,
      penalties: false,
      source: 1,
    },
    'gemini-3-*': { efforts: ['minimal', 'low', 'medium', 'high'], source: 0 },
    'gemini-3-pro*': { efforts: ['low', 'high'], source: 0 },
    'gemini-3.1-flash*': { efforts: ['minimal', 'low', 'medium', 'high'], source: 4 },
    'gemini-3.5-flash*': '=gemini-3.1-flash*',
    'gemini-3.6-flash*': '=gemini-3.1-flash*',
    'gemini-*flash*image*': { efforts: ['minimal', 'high'], source: 0 },

    'gemini-1*': {
      thinking: 'none',
      signed: false,
      jsonWithTools: false,
      mediaResults: false,
      penalties: true,
      source: 2,
    },
    'gemini-2*': '=gemini-1*',
    'gemini-2.5*': { thinking: 'budget', budget: [0, 24_576], penalties: false, source: 0 },
    'gemini-2.5-pro*': { budget: [128, 32_768], source: 0 },

    'gemma*': { thinking: 'none', system: false, source: 3 },
  },
}
