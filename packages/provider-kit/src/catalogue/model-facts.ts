import type { ModelLimits } from '@x/interfaces'
import type { ModelPrice } from './model-price.ts'

/** An ability that a model is known to have. */
export type ModelAbility = (typeof ABILITIES)[number]

/** All abilities: calls of tools, images and audio as input, reasoning, answers by a JSON Schema. */
export const ABILITIES = ['tools', 'images', 'audio', 'reasoning', 'schema'] as const

/** Limits, prices and abilities of one model, as far as they are known. */
export interface ModelFacts extends ModelLimits {
  readonly price?: ModelPrice | undefined
  readonly abilities?: readonly ModelAbility[] | undefined
}

/** Models by name, and the day their facts were looked up. */
export interface CatalogueData {
  /** ISO date. */
  readonly date: string
  /**
   * Facts by model name: as an object, or as the text of a data file (`@x/provider-kit` documents its format). A name that
   * ends with `*` gives its limits to names that begin so and are not known.
   */
  readonly models: Readonly<Record<string, ModelFacts | string>>
}
