import type { MaybePromise, Model, Run } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { chain } from '../search/chain.ts'
import type { Answerer, WrittenAnswer } from '../search/parts.ts'
import { withFingerprint } from '../strategy/fingerprint.ts'
import { askModel, fitPrompt, MODEL_KIND, factsOf, PROMPT_LENGTH_KIND, warnOfModel } from './ask-model.ts'
import { answerMessage, mergeMessage } from './prompts.ts'

/** Options of `modelAnswerer`. */
export interface ModelAnswererOptions {
  /** The model that writes the answers. */
  model: Model
  /** Name for the log; default `tot_answerer`. */
  name?: string | undefined
  /** The system message; default: none. */
  systemMessage?: string | undefined
  /** Most characters of the texts in a prompt; default 200,000. */
  maxPromptLength?: number | undefined
}

const ANSWERER_KINDS: OptionKinds<ModelAnswererOptions> = {
  model: MODEL_KIND,
  name: kind.text,
  systemMessage: kind.text,
  maxPromptLength: PROMPT_LENGTH_KIND,
}

/** Makes an answerer that asks a model. */
export function modelAnswerer(options: ModelAnswererOptions): Answerer {
  checkOptions(options ?? null, ANSWERER_KINDS, 'run `modelAnswerer`')
  const { model, name = 'tot_answerer', systemMessage = '', maxPromptLength } = options
  const caller = { name, systemMessage, model }
  const ask = (
    inputs: readonly string[],
    write: (question: string, texts: readonly string[]) => string,
    { sample, run, wantedModel }: { sample: number; run: Run; wantedModel: string | undefined },
  ): MaybePromise<WrittenAnswer> => {
    const { texts, warnings } = fitPrompt(name, inputs, maxPromptLength)
    const [question, ...others] = texts
    return chain(askModel(caller, write(question!, others), { sample, run }), (reply) => ({
      ...reply,
      warnings: [...warnOfModel(name, wantedModel), ...(warnings ?? [])],
    }))
  }
  const answerer: Answerer = {
    ...factsOf(model),
    answer({ question, from, sample, model: wantedModel }, run) {
      const paths = from.map((node) => node.steps).filter((steps) => steps !== '')
      return ask([question, ...paths], answerMessage, { sample, run, wantedModel })
    },
    merge: ({ question, answers, sample, model: wantedModel }, run) =>
      ask([question, ...answers], mergeMessage, { sample, run, wantedModel }),
  }
  return withFingerprint(answerer, 'model-answerer', { systemMessage })
}
