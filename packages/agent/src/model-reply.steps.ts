import type { Agent, CacheStore, ChatMessage, Model, ModelResponse, Reply, ReplyOutcome } from '@x/interfaces'
import { each, face, wait, type Steps } from '@x/kernel'
import { normalizeName } from './names.ts'
import { conversationWith, type State } from './state.ts'

/** Asks the model, with the system message before the messages (spec, generate_oai_reply). */
export function* generateOaiReply(
  state: State,
  messages: readonly ChatMessage[] | null | undefined,
  sender: Agent | null,
  config?: Model | null,
): Steps<ReplyOutcome> {
  const model = config ?? state.model
  if (!model) return [false, null]
  const conversation = conversationWith(state, sender)
  const given = messages ?? conversation.messages
  const cache = conversation.cache ?? state.clientCache
  const reply = yield* askModel(state, model, [state.systemMessage, ...given], cache)
  return reply === null ? [false, null] : [true, reply]
}

/** One question to a model: its text, or its message when that holds a call; null when it said nothing. */
export function* askModel(
  state: State,
  model: Model,
  messages: readonly ChatMessage[],
  cache: CacheStore | null,
): Steps<Reply | null> {
  const { context, ...last } = messages.at(-1) ?? {}
  const asked = context === undefined ? messages : [...messages.slice(0, -1), last]
  const response = yield* answered(state, model, {
    messages: asked.flatMap((message) => unrolled(state, message)),
    agent: state.agent.name,
    ...(context !== undefined && { context }),
    ...(cache && { cache }),
  })
  const [first] = response.messageRetrievalFunction(response)
  if (first === undefined || first === null || (first === '' && saidNothing(response))) {
    const text = `the model of \`${state.agent.name}\` answered nothing`
    yield { type: 'warning', topic: 'empty-answer', text }
    return null
  }
  return typeof first === 'string' ? first : withLegalNames(first)
}

/** An answer without content; an empty text is an answer. */
const saidNothing = ({ choices }: ModelResponse): boolean => (choices[0]?.message.content ?? null) === null

function* answered(state: State, model: Model, request: Parameters<Model['create']>[0]): Steps<ModelResponse> {
  const { face: asked, signal, emit } = yield* face()
  const what = `the model of ${state.agent.name}`
  if (asked === 'sync') return model.createSync(request, { emit })
  if (asked === 'async') return yield* wait(model.create(request, { signal, emit }), what)
  const agent = state.agent.name
  const stream = model.createStream(request, { signal, emit })
  return yield* each(stream, (event) => ({ type: 'modelDelta', agent, event }), what)
}

/** What a model sees of a message: its tool responses as messages of their own, before what else it says. */
function unrolled({ unrolled: kept }: State, message: ChatMessage): readonly ChatMessage[] {
  const { tool_responses: responses, ...rest } = message
  if (!responses || responses.length === 0) return [message]
  const known = kept.get(message)
  if (known) return known
  const messages: readonly ChatMessage[] = message.role === 'tool' ? responses : [...responses, Object.freeze(rest)]
  kept.set(message, messages)
  return messages
}

/** Names of functions that a model made up, made legal, so that the next request is not refused. */
function withLegalNames(message: ChatMessage): ChatMessage {
  const { function_call: call, tool_calls: calls } = message
  return {
    ...message,
    ...(call && { function_call: { ...call, name: normalizeName(call.name) } }),
    ...(calls && {
      tool_calls: calls.map((each) => ({
        ...each,
        function: { ...each.function, name: normalizeName(each.function.name) },
      })),
    }),
  }
}
