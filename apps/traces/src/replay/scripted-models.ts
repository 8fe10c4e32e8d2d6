import type {
  ChatMessage,
  Face,
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelClientClass,
  ModelParams,
  Provider,
  Usage,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { pattern } from './pattern.ts'
import type { Recorder } from './recorder.ts'
import type { GivenFailure, GivenModel, GivenReply } from './trace.ts'

const DEFAULT_USAGE = [10, 5] as const

/** The models of a trace. */
export interface ScriptedModels {
  /** Answers for the `apiType` `scripted`, at once in the blocking face. */
  readonly provider: Provider
  /** A class of clients of the given name, for configs with a `modelClientCls`. */
  readonly clientClass: (name: string) => ModelClientClass
}

/** Makes the models of a trace, and records their requests. */
export function scriptModels(
  given: Readonly<Record<string, GivenModel>>,
  face: Face,
  recorder: Recorder,
): ScriptedModels {
  const turns = new Map<string, number>()

  const answer = ({ model, ...params }: ModelParams): ModelAnswer => {
    const script = given[model ?? '']
    if (!model || !script) throw new Error(`the trace has no model \`${model}\``)
    recorder.callModel(model, asked(params))
    const turn = turns.get(model) ?? 0
    turns.set(model, turn + 1)
    const reply = script.rules ? ruled(script.rules, params) : (script.replies?.[turn] ?? script.replies?.at(-1))
    if (reply === undefined) throw new Error(`the model \`${model}\` has no reply for \`${JSON.stringify(params)}\``)
    return toAnswer(model, reply, script.usage ?? DEFAULT_USAGE, recorder)
  }
  const costOf = ({ model }: ModelAnswer): number => given[model]?.cost ?? 0

  class Client implements ModelClient {
    create(params: ModelParams, { onSend }: ModelCallOptions): ModelAnswer | Promise<ModelAnswer> {
      // No request leaves this process, so a failure of the script is not paid for.
      onSend?.(false)
      return face === 'sync' ? answer(params) : later(() => answer(params))
    }

    messageRetrieval({ choices }: ModelAnswer): string[] | ChatMessage[] {
      return choices.map(({ message }) => callsOrText(message)) as string[] | ChatMessage[]
    }

    getUsage(from: ModelAnswer): Usage {
      return usageOf(from, costOf(from))
    }

    cost(from: ModelAnswer): number {
      return costOf(from)
    }
  }

  return {
    provider: {
      apiTypes: ['scripted', 'azure'],
      specVersion: 1,
      createClient: () => new Client(),
    },
    clientClass: (name) => Object.defineProperty(class extends Client {}, 'name', { value: name }),
  }
}

const callsOrText = (message: ChatMessage): unknown =>
  message.tool_calls || message.function_call ? message : (message.content ?? null)

/** What a request holds: a prompt stands alone. */
function asked({ messages, ...rest }: ModelParams): object {
  return rest['prompt'] === undefined ? { ...rest, messages } : rest
}

const later = async <T>(make: () => T): Promise<T> => make()

function ruled(rules: NonNullable<GivenModel['rules']>, { messages }: { messages: unknown }): GivenReply | undefined {
  const last = (messages as ModelParams['messages']).at(-1)
  const text = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content ?? '')
  return rules.find(({ when }) => pattern(when).test(text))?.reply
}

function toAnswer(model: string, reply: GivenReply, usage: readonly [number, number], recorder: Recorder): ModelAnswer {
  if (typeof reply === 'object' && 'error' in reply) throw failure(reply.error, reply.message, recorder)
  const { usage: own, ...message } = typeof reply === 'string' ? { content: reply, usage: undefined } : reply
  const [prompt, completion] = own ?? usage
  return {
    id: 'scripted',
    model,
    created: 0,
    choices: [{ index: 0, message: { role: 'assistant', ...(message as object) }, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  }
}

function usageOf({ model, usage }: ModelAnswer, cost: number): Usage {
  return {
    model,
    promptTokens: usage?.prompt_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
    totalTokens: usage?.total_tokens ?? 0,
    cost,
  }
}

function failure(kind: GivenFailure, message: string = `scripted: ${kind}`, recorder: Recorder): Error {
  const error = kind === 'other' ? new Error(message) : new XError('model-failed', message, { kind })
  recorder.scriptedErrors.add(error)
  return error
}
