import type { ChatMessage, JsonSchema, MaybePromise, Model, ModelResponse, Run, SearchUsage } from '@x/interfaces'
import { kind, type OptionKinds } from '@x/kernel/options'
import { withoutThinking } from '../read/normalize-reply.ts'
import { fitTexts } from '../read/shorten.ts'
import { chain } from '../search/chain.ts'

/** A caller of a model: a name for the log, a system message and the model. */
export interface ModelCaller {
  readonly name: string
  readonly systemMessage: string
  readonly model: Model
  /** Receives every response, for example to count its usage. */
  readonly note?: ((response: ModelResponse) => void) | undefined
}

/** The text of a model's reply, without its thoughts, and its usage. */
export interface ModelReply {
  readonly text: string
  readonly used: SearchUsage
}

/** Options of one question to a model. */
export interface AskOptions {
  readonly sample: number
  readonly run: Run
  /** Shape of the reply, for models that are known to take one; the text of any other model is read. */
  readonly answerSchema?: JsonSchema | undefined
}

/** Asks a model one question without history, blocking when the run is. */
export function askModel(
  caller: ModelCaller,
  content: string,
  { sample, run, answerSchema }: AskOptions,
): MaybePromise<ModelReply> {
  const messages: ChatMessage[] = [{ role: 'user', content }]
  if (caller.systemMessage) messages.unshift({ role: 'system', content: caller.systemMessage })
  const request = { messages, agent: caller.name, sample, ...(answerSchema && { answerSchema }) }
  return chain(
    run.face === 'sync'
      ? caller.model.createSync(request, { run })
      : caller.model.create(request, { run, signal: run.signal }),
    (response) => {
      caller.note?.(response)
      return toModelReply(response)
    },
  )
}

function toModelReply(response: ModelResponse): ModelReply {
  const content = response.choices[0]?.message.content
  const text =
    typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? content.map((part) => (part.type === 'text' ? part.text : '')).join('')
        : ''
  const { usage } = response
  return {
    text: withoutThinking(text).trim(),
    used: {
      calls: 1,
      promptTokens: usage?.prompt_tokens ?? 0,
      completionTokens: usage?.completion_tokens ?? 0,
      cost: response.cost,
      model: response.model,
      ...(response.cached && { cached: true }),
    },
  }
}

const MAX_LENGTH = 200_000

/** Shortens the longest of the texts that a prompt is made of, so that it has no more than `max` characters. */
export function fitPrompt(
  name: string,
  texts: readonly string[],
  max: number = MAX_LENGTH,
): { readonly texts: readonly string[]; readonly warnings?: readonly string[] } {
  const fitted = fitTexts(texts, max)
  if (fitted === texts) return { texts }
  const what = `a prompt to \`${name}\` was longer than ${max} characters`
  return { texts: fitted, warnings: [`${what}: the middle of its longest texts is left out; see \`maxPromptLength\``] }
}

/** A model, and not the `llmConfig` that makes models. */
export const MODEL: OptionKinds<{ model: Model }>['model'] = {
  ...kind.having('a model, such as `new ModelWrapper({ … })` of `@x/model`', 'create'),
  remedy: (value) =>
    typeof (value as { createModel?: unknown } | null)?.createModel === 'function'
      ? 'write `llmConfig({ … }).createModel()`'
      : undefined,
}

/** Returns the names of the models that a model may ask, for journals; undefined when it does not say. */
export const modelNameOf = ({ modelNames = [] }: Model): { readonly modelName?: string } =>
  modelNames.length === 0 ? {} : { modelName: modelNames.join(', ') }

/** Returns a warning when a method names a model to a part that asks a single one. */
export const warnOfModel = (part: string, model: string | undefined): readonly string[] =>
  model === undefined
    ? []
    : [
        `the method asks \`${part}\` for the model \`${model}\`, but that part has only one: give \`proposerByModel\`, or a part of your own that reads \`model\``,
      ]

/** A best rating. */
export const SCALE: OptionKinds<{ scale: number }>['scale'] = kind.number(2)

/** A number of characters that a prompt may have. */
export const PROMPT_LENGTH: OptionKinds<{ length: number }>['length'] = kind.whole(1000)
