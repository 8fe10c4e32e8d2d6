import type { MaybePromise, Model, Run } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { chain } from '../search/chain.ts'
import type { Answerer, WrittenAnswer } from '../search/parts.ts'
import { withFingerprint } from '../strategy/fingerprint.ts'
import { askModel, fitPrompt, MODEL, modelNameOf, PROMPT_LENGTH, warnOfModel } from './ask-model.ts'
import { answerMessage, mergeMessage } from './prompts.ts'

/** Options of `modelAnswerer`. */
export interface ModelAnswererOptions {
  /** The model that writes the answers. */
  model: Model
  /** Name for the log; default `tot_answerer`. */
  name?: string | undefined
  /** Default: none. */
  systemMessage?: string | undefined
  /** Most characters of the texts in a prompt; default 200,000. */
  maxPromptLength?: number | undefined
}

const KINDS: OptionKinds<ModelAnswererOptions> = {
  model: MODEL,
  name: kind.text,
  systemMessage: kind.text,
  maxPromptLength: PROMPT_LENGTH,
}

/** Makes an answerer that asks a model. */
export function modelAnswerer(options: ModelAnswererOptions): Answerer {
  checkOptions(options ?? null, KINDS, 'run `modelAnswerer`')
  const { model, name = 'tot_answerer', systemMessage = '', maxPromptLength } = options
  const caller = { name, systemMessage, model }
  const ask = (
    given: readonly string[],
    write: (question: string, texts: readonly string[]) => string,
    { sample, run, wanted }: { sample: number; run: Run; wanted: string | undefined },
  ): MaybePromise<WrittenAnswer> => {
    const { texts, warnings } = fitPrompt(name, given, maxPromptLength)
    const [question, ...others] = texts
    return chain(askModel(caller, write(question!, others), { sample, run }), (reply) => ({
      ...reply,
      warnings: [...warnOfModel(name, wanted), ...(warnings ?? [])],
    }))
  }
  const answerer: Answerer = {
    ...modelNameOf(model),
    answer({ question, from, sample, model: wanted }, run) {
      const paths = from.map((node) => node.steps).filter((steps) => steps !== '')
      return ask([question, ...paths], answerMessage, { sample, run, wanted })
    },
    merge: ({ question, answers, sample, model: wanted }, run) =>
      ask([question, ...answers], mergeMessage, { sample, run, wanted }),
  }
  return withFingerprint(answerer, 'model-answerer', { systemMessage })
}
