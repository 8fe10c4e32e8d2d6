import type { Model } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { Answerer, Grader, Proposer } from '../search/parts.ts'
import { MODEL_KIND, PROMPT_LENGTH_KIND, SCALE_KIND } from './ask-model.ts'
import { modelAnswerer } from './model-answerer.ts'
import { modelGrader } from './model-grader.ts'
import { modelProposer } from './model-proposer.ts'

/** Options of `modelParts`. */
export interface ModelPartsOptions {
  /** The model that answers, and by default proposes and grades. */
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

const MODEL_PARTS_KINDS: OptionKinds<ModelPartsOptions> = {
  model: MODEL_KIND,
  grader: MODEL_KIND,
  thinker: MODEL_KIND,
  ratingScale: SCALE_KIND,
  groundTruth: kind.orNull(kind.text),
  rateUpTo: kind.orNull(SCALE_KIND),
  maxPromptLength: PROMPT_LENGTH_KIND,
}

/** Makes a proposer, a grader and an answerer that ask models: one for all, or several. */
export function modelParts(options: ModelPartsOptions): { proposer: Proposer; grader: Grader; answerer: Answerer } {
  checkOptions(options ?? null, MODEL_PARTS_KINDS, 'run `modelParts`')
  const { model, ratingScale, groundTruth, rateUpTo, maxPromptLength } = options
  return {
    proposer: modelProposer({ model: options.thinker ?? model, rateUpTo, maxPromptLength }),
    grader: modelGrader({ model: options.grader ?? model, ratingScale, groundTruth, maxPromptLength }),
    answerer: modelAnswerer({ model, maxPromptLength }),
  }
}
