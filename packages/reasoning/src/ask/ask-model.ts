import type { ChatMessage, JsonSchema, MaybePromise, Model, ModelResponse, Run, SearchUsage } from '@x/interfaces'
import { withoutThinking } from '../read/without-thinking.ts'
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
