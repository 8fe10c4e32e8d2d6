import type { ModelLimits } from '@x/interfaces'

/** Abilities of a model, as far as requests depend on them. */
export interface GoogleModelFamily {
  /** Whether it takes a system instruction. */
  readonly system: boolean
  /** How reasoning is requested: not at all, by a budget of tokens, or by a level. */
  readonly thinking: 'none' | 'budget' | 'level'
  /** Fewest tokens of a budget for thinking; 0 where it can be switched off. */
  readonly leastBudget: number
  /** Levels of thinking it takes, least first. */
  readonly levels: readonly string[]
  /** Whether calls that are sent back must carry a signature. */
  readonly signed: boolean
  /** Whether an answer in JSON may be asked for beside tools. */
  readonly jsonWithTools: boolean
  /** Whether results of tools may hold images; for others they stand behind the results. */
  readonly mediaResults: boolean
  /** Whether it reads images and files in results of tools; default: by the catalogue, then for Gemini. */
  readonly images: boolean
  /** Whether it takes penalties for repetition. */
  readonly penalties: boolean
  readonly contextWindow: number
  /** Most tokens of an answer; absent for names of other makers. */
  readonly maxTokens?: number | undefined
}

/**
 * Tells the family of a model by its name: newer names of a known family and aliases such as `gemini-flash-latest` count
 * as the newest, names of other makers as an old model. Its limits are those of the catalogue. What the config says wins.
 */
export function familyOf(
  model: string,
  { contextWindow = 1_048_576, maxOutput }: ModelLimits,
  told: Partial<GoogleModelFamily> = {},
): GoogleModelFamily {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const version = versionOf(name)
  const newest = version >= 3
  return {
    system: !name.startsWith('gemma'),
    thinking: newest ? 'level' : version >= 2.5 ? 'budget' : 'none',
    leastBudget: name.includes('pro') ? 128 : 0,
    levels: levelsOf(name, version),
    signed: newest,
    jsonWithTools: newest,
    mediaResults: newest,
    images: name.startsWith('gemini'),
    penalties: version < 2.5,
    contextWindow,
    maxTokens: maxOutput,
    ...told,
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
