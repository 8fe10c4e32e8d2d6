import type { Model } from '@x/interfaces'
import type { Answerer } from '../search/parts.ts'
import { askModel } from './ask-model.ts'
import { answerMessage, mergeMessage } from './prompts.ts'

/** Options of an answerer that asks a model. */
export interface ModelAnswererOptions {
  model: Model
  /** Name for the log; default `tot_answerer`. */
  name?: string | undefined
  /** Default: none. */
  systemMessage?: string | undefined
}

/** Writes answers by asking a model. */
export function modelAnswerer({ model, name = 'tot_answerer', systemMessage = '' }: ModelAnswererOptions): Answerer {
  const asker = { name, systemMessage, model }
  return {
    answer: ({ question, from, sample }, run) => {
      const paths = from.map((node) => node.steps).filter((steps) => steps !== '')
      return askModel(asker, answerMessage(question, paths), { sample, run })
    },
    merge: ({ question, answers, sample }, run) => askModel(asker, mergeMessage(question, answers), { sample, run }),
  }
}
