import type { Model } from '@x/interfaces'
import type { Answerer, Grader, Proposer } from '../search/parts.ts'
import { modelAnswerer } from './model-answerer.ts'
import { modelGrader } from './model-grader.ts'
import { modelProposer } from './model-proposer.ts'

/** Options of the parts that ask models. */
export interface ModelPartsOptions {
  /** Proposes and answers, and grades unless there is a `grader`. */
  model: Model
  grader?: Model | undefined
  thinker?: Model | undefined
  /** Best rating, at least 2; default 10. */
  ratingScale?: number | undefined
  /** What is known to be true; only the grader sees it. */
  groundTruth?: string | null | undefined
}

/** The three parts of a search, asked of one model or of several. */
export function modelParts(options: ModelPartsOptions): { proposer: Proposer; grader: Grader; answerer: Answerer } {
  const { model, ratingScale, groundTruth } = options
  return {
    proposer: modelProposer({ model: options.thinker ?? model }),
    grader: modelGrader({ model: options.grader ?? model, ratingScale, groundTruth }),
    answerer: modelAnswerer({ model }),
  }
}
