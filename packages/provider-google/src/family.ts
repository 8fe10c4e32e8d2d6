import type { ModelLimits } from '@x/interfaces'

/** Abilities of a model, as far as requests depend on them. */
export interface GoogleModelFamily {
  /** Whether the model takes a system instruction. */
  readonly system: boolean
  /** How reasoning is requested: not at all, by a budget of tokens, or by a level. */
  readonly thinking: 'none' | 'budget' | 'level'
  /** Smallest budget for thinking in tokens; 0 where thinking can be switched off. */
  readonly leastBudget: number
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
  /** True if it takes penalties for repetition. */
  readonly penalties: boolean
  readonly contextWindow: number
  /** Largest number of tokens of an answer; absent for names of other makers. */
  readonly maxTokens?: number | undefined
}

/**
 * Tells the family of a model by its name: newer names of a known family and aliases such as `gemini-flash-latest` count
 * as the newest, names of other makers as an old model. Limits come from the catalogue; the config wins over both.
 */
export function familyOf(
  model: string,
  { contextWindow = 1_048_576, maxOutput }: ModelLimits,
  configured: Partial<GoogleModelFamily> = {},
): GoogleModelFamily {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const version = versionOf(name)
  const isNewest = version >= 3
  return {
    system: !name.startsWith('gemma'),
    thinking: isNewest ? 'level' : version >= 2.5 ? 'budget' : 'none',
    leastBudget: name.includes('pro') ? 128 : 0,
    levels: levelsOf(name, version),
    signed: isNewest,
    jsonWithTools: isNewest,
    mediaResults: isNewest,
    images: name.startsWith('gemini'),
    penalties: version < 2.5,
    contextWindow,
    maxTokens: maxOutput,
    ...configured,
  }
}

function versionOf(name: string): number {
  const version = /^gemini-(\d+(?:\.\d+)?)/u.exec(name)
  if (version) return Number(version[1])
  return name.startsWith('gemini-') ? 99 : 0
}

function levelsOf(name: string, version: number): readonly string[] {
  if (name.includes('flash') && name.includes('image')) return ['minimal', 'high']
  if (name.includes('pro')) return version < 3.1 ? ['low', 'high'] : ['low', 'medium', 'high']
  return version < 3.7 ? ['minimal', 'low', 'medium', 'high'] : ['low', 'medium', 'high']
}
