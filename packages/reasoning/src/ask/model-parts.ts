import type { Model } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { Answerer, Grader, Proposer } from '../search/parts.ts'
import { MODEL, PROMPT_LENGTH, SCALE } from './ask-model.ts'
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
  /** The best rating that the proposer gives to each of its options, in the same call; default null: the grader rates. */
  rateUpTo?: number | null | undefined
  /** Most characters of the texts in a prompt; default 200,000. */
  maxPromptLength?: number | undefined
}

const KINDS: OptionKinds<ModelPartsOptions> = {
  model: MODEL,
  grader: MODEL,
  thinker: MODEL,
  ratingScale: SCALE,
  groundTruth: kind.orNull(kind.text),
  rateUpTo: kind.orNull(SCALE),
  maxPromptLength: PROMPT_LENGTH,
}

/** Makes the three parts of a search that ask models: one model, or several. */
export function modelParts(options: ModelPartsOptions): { proposer: Proposer; grader: Grader; answerer: Answerer } {
  checkOptions(options ?? null, KINDS, 'run `modelParts`')
  const { model, ratingScale, groundTruth, rateUpTo, maxPromptLength } = options
  return {
    proposer: modelProposer({ model: options.thinker ?? model, rateUpTo, maxPromptLength }),
    grader: modelGrader({ model: options.grader ?? model, ratingScale, groundTruth, maxPromptLength }),
    answerer: modelAnswerer({ model, maxPromptLength }),
  }
}
