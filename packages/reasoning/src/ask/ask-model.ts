import type { ChatMessage, MaybePromise, Model, ModelResponse, Run, SearchUsage } from '@x/interfaces'
import { isThenable } from '@x/kernel'

/** Who asks a model: a name for the log, a system message, the model. */
export interface Asker {
  readonly name: string
  readonly systemMessage: string
  readonly model: Model
  /** Takes note of every answer. */
  readonly note?: ((response: ModelResponse) => void) | undefined
}

/** What a model said and what it used. */
export interface Said {
  readonly text: string
  readonly used: SearchUsage
}

/** Asks a model one question without history, in the face of the run. */
export function askModel(
  asker: Asker,
  content: string,
  { sample, run }: { sample: number; run: Run },
): MaybePromise<Said> {
  const messages: ChatMessage[] = [{ role: 'user', content }]
  if (asker.systemMessage) messages.unshift({ role: 'system', content: asker.systemMessage })
  const request = { messages, agent: asker.name, sample }
  const { signal, emit } = run
  // Inside a chat with a budget, every call of a search has to be admitted by it.
  const budget = emit.scope?.budget ?? undefined
  return after(
    run.face === 'sync'
      ? asker.model.createSync(request, { emit, budget })
      : asker.model.create(request, { signal, emit, budget }),
    (response) => {
      asker.note?.(response)
      return said(response)
    },
  )
}

/** Goes on with a value that may be a promise, without making a promise of a plain one. */
export function after<T, R>(value: MaybePromise<T>, goOn: (value: T) => R): MaybePromise<R> {
  return isThenable(value) ? value.then((value) => goOn(value)) : goOn(value)
}

function said(response: ModelResponse): Said {
  const content = response.choices[0]?.message.content
  const text =
    typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? content.map((part) => (part.type === 'text' ? part.text : '')).join('')
        : ''
  const { usage } = response
  return {
    text: text.trim(),
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
