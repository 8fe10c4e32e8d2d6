import type { Model } from '@x/interfaces'
import type { Answerer } from '../search/parts.ts'
import { askModel } from './ask-model.ts'
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

/** Makes an answerer that asks a model. */
export function modelAnswerer({ model, name = 'tot_answerer', systemMessage = '' }: ModelAnswererOptions): Answerer {
  const caller = { name, systemMessage, model }
  return {
    answer: ({ question, from, sample }, run) => {
      const paths = from.map((node) => node.steps).filter((steps) => steps !== '')
      return askModel(caller, answerMessage(question, paths), { sample, run })
    },
    merge: ({ question, answers, sample }, run) => askModel(caller, mergeMessage(question, answers), { sample, run }),
  }
}
