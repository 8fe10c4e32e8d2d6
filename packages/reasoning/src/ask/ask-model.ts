import type { ChatMessage, JsonSchema, MaybePromise, Model, ModelResponse, Run, SearchUsage } from '@x/interfaces'
import { kind, type OptionKinds } from '@x/kernel/options'
import { withoutThinking } from '../read/normalize-reply.ts'
import { fitTexts } from '../read/shorten.ts'
import { chain } from '../search/chain.ts'
import type { FingerprintedPart } from '../strategy/fingerprint.ts'

/** A model with a name for the log and a system message. */
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
  /** Schema of the reply, for models that are known to take one; other models reply in text. */
  readonly answerSchema?: JsonSchema | undefined
}

/** Asks a model one question without history; blocks if the run is synchronous. */
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

const MAX_PROMPT_CHARS = 200_000

/** Shortens the longest texts of a prompt, so that all together have at most `max` characters. */
export function fitPrompt(
  name: string,
  texts: readonly string[],
  max: number = MAX_PROMPT_CHARS,
): { readonly texts: readonly string[]; readonly warnings?: readonly string[] } {
  const fitted = fitTexts(texts, max)
  if (fitted === texts) return { texts }
  const tooLong = `a prompt to \`${name}\` was longer than ${max} characters`
  return {
    texts: fitted,
    warnings: [`${tooLong}: the middle of its longest texts is left out; see \`maxPromptLength\``],
  }
}

/** Kind of a model, as opposed to the config or the name that makes models. */
export const MODEL_KIND: OptionKinds<{ model: Model }>['model'] = kind.having(
  "a model, such as `llmConfig(openai('gpt-5-mini')).createModel()` of `@x/model`",
  'create',
)

/** Returns the names of the models behind a model, for journals, and its parameters, for records; nothing that is unknown. */
export const factsOf = (model: Model): Pick<FingerprintedPart, 'modelName' | 'requestSettings'> => ({
  ...(model.modelNames?.length && { modelName: model.modelNames.join(', ') }),
  ...(model.settingsOf && { requestSettings: () => model.settingsOf!({ messages: [] }) }),
})

/** Returns a warning if a method names a model to a part that has only one. */
export const warnOfModel = (part: string, model: string | undefined): readonly string[] =>
  model === undefined
    ? []
    : [
        `the method asks \`${part}\` for the model \`${model}\`, but that part has only one: give \`proposerByModel\`, or a part of your own that reads \`model\``,
      ]

/** Kind of a best rating. */
export const SCALE_KIND: OptionKinds<{ scale: number }>['scale'] = kind.number(2)

/** Kind of the most characters of a prompt. */
export const PROMPT_LENGTH_KIND: OptionKinds<{ length: number }>['length'] = kind.whole(1000)
