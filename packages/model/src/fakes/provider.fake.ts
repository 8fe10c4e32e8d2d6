import type {
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelErrorKind,
  ModelParams,
  Provider,
  XEvent,
} from '@x/interfaces'
import { XError } from '@x/kernel'

/** A reply of a fake model: a text, a whole answer, a failure, or a function that makes one of them, now or later. */
export type FakeReply =
  | string
  | ModelAnswer
  | Error
  | ((params: ModelParams, options: ModelCallOptions) => FakeReply | Promise<FakeReply>)

/** A fake provider, and what reached its clients. */
export interface Fake {
  readonly provider: Provider
  readonly calls: ModelParams[]
  readonly made: unknown[]
}

/** Makes a provider whose client gives replies in order, the last one for ever; an answer costs `cost`. */
export function fakeProvider(
  replies: readonly FakeReply[],
  { cost = 0, apiType = 'fake' }: { cost?: number | null; apiType?: string } = {},
): Fake {
  const calls: ModelParams[] = []
  const made: unknown[] = []
  const client: ModelClient = {
    create(params, options) {
      const reply = replies[calls.length] ?? replies.at(-1)!
      calls.push(params)
      return settled(reply, params, options)
    },
    messageRetrieval: ({ choices }) => choices.map(({ message }) => message),
    getUsage: ({ model }) => ({ model, promptTokens: 10, completionTokens: 5, totalTokens: 15, cost: cost ?? 0 }),
    cost: () => cost,
  }
  const createClient = (config: unknown): ModelClient => {
    made.push(config)
    return client
  }
  return { provider: { apiTypes: [apiType], specVersion: 1, createClient }, calls, made }
}

function settled(reply: FakeReply, params: ModelParams, options: ModelCallOptions): ModelAnswer | Promise<ModelAnswer> {
  if (reply instanceof Error) throw reply
  if (typeof reply === 'string') return answerOf(params.model ?? 'unnamed', reply)
  if (typeof reply === 'object') return reply
  const made = reply(params, options)
  return made instanceof Promise ? made.then((each) => settled(each, params, options)) : settled(made, params, options)
}

/** An answer with ten tokens in and five out. */
export const answerOf = (model: string, content: string): ModelAnswer => ({
  id: 'answer',
  model,
  created: 0,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
})

/** A failure as an adapter gives it. */
export const failureOf = (kind: ModelErrorKind, message: string = `it is ${kind}`): XError =>
  new XError('model-failed', message, { kind })

/** An io that keeps what it is sent. */
export function recordingIo(): {
  io: { send(event: XEvent): void; input(): string }
  events: XEvent[]
  warnings(): string[]
} {
  const events: XEvent[] = []
  return {
    events,
    io: { send: (event) => void events.push(event), input: () => '' },
    warnings: () => events.flatMap((event) => (event.type === 'warning' ? [event.topic] : [])),
  }
}

/** One short request. */
export const hello = [{ role: 'user' as const, content: 'hello' }]
