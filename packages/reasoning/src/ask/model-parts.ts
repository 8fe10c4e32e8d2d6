import type { Model } from '@x/interfaces'
import type { Answerer, Grader, Proposer } from '../search/parts.ts'
import { modelAnswerer } from './model-answerer.ts'
import { modelGrader } from './model-grader.ts'
import { modelProposer } from './model-proposer.ts'

/** Options of `modelParts`. */
export interface ModelPartsOptions {
  /** The model that answers, and that proposes and grades unless others are given. */
  model: Model
  /** The model that grades; default: `model`. */
  grader?: Model | undefined
  /** The model that proposes; default: `model`. */
  thinker?: Model | undefined
  /** The best rating, at least 2; default 10. */
  ratingScale?: number | undefined
  /** Facts known to be true, which only the grader sees. */
  groundTruth?: string | null | undefined
}

/** Makes the three parts of a search that ask models: one model, or several. */
export function modelParts(options: ModelPartsOptions): { proposer: Proposer; grader: Grader; answerer: Answerer } {
  const { model, ratingScale, groundTruth } = options
  return {
    proposer: modelProposer({ model: options.thinker ?? model }),
    grader: modelGrader({ model: options.grader ?? model, ratingScale, groundTruth }),
    answerer: modelAnswerer({ model }),
  }
}
