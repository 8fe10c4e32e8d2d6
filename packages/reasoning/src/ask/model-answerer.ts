import type { Model } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { Answerer } from '../search/parts.ts'
import { askModel } from './ask-model.ts'
import { MODEL } from './model-kind.ts'
import { answerMessage, mergeMessage } from './prompts.ts'

/** Options of `modelAnswerer`. */
export interface ModelAnswererOptions {
  /** The model that writes the answers. */
  model: Model
  /** Name for the log; default `tot_answerer`. */
  name?: string | undefined
  /** Default: none. */
  systemMessage?: string | undefined
}

const KINDS: OptionKinds<ModelAnswererOptions> = { model: MODEL, name: kind.text, systemMessage: kind.text }

/** Makes an answerer that asks a model. */
export function modelAnswerer(options: ModelAnswererOptions): Answerer {
  checkOptions(options ?? null, KINDS, 'run `modelAnswerer`')
  const { model, name = 'tot_answerer', systemMessage = '' } = options
  const caller = { name, systemMessage, model }
  return {
    answer: ({ question, from, sample }, run) => {
      const paths = from.map((node) => node.steps).filter((steps) => steps !== '')
      return askModel(caller, answerMessage(question, paths), { sample, run })
    },
    merge: ({ question, answers, sample }, run) => askModel(caller, mergeMessage(question, answers), { sample, run }),
  }
}
