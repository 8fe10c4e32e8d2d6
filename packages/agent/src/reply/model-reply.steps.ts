import type {
  Agent,
  CacheStore,
  ChatMessage,
  Model,
  ModelRequest,
  ModelResponse,
  Reply,
  ReplyOutcome,
  Run,
} from '@x/interfaces'
import { each, face, wait, type Steps } from '@x/kernel'
import { cacheFor } from '../chat/chat-cache.ts'
import { noteUse, type Used } from '../resume/circle.ts'
import { kept, placeIn, type Place } from '../resume/leaf.steps.ts'
import { normalizeName } from '../state/names.ts'
import { ANSWERED } from '../resume/saved-shapes.ts'
import { scopeOf } from '../resume/scope.ts'
import { conversationWith, type Conversation, type State } from '../state/state.ts'
import { usageOf } from '../state/usage.ts'

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
  const cache = cacheFor(yield* face(), state, conversation)
  const seen = given === conversation.messages ? seenOf(conversation) : given.flatMap(unrolled)
  const reply = yield* askModel(state, model, { before: [state.systemMessage], seen, last: given.at(-1) }, cache)
  return reply === null ? [false, null] : [true, reply]
}

/** What a model is asked with. */
export interface Question {
  readonly before?: readonly ChatMessage[]
  /** The messages as a model sees them: see {@link unrolled}. */
  readonly seen: readonly ChatMessage[]
  /** The message whose `context` fills templates; its content is computed anew. */
  readonly last: ChatMessage | undefined
  /** Whose model it is; default: who asks. */
  readonly owner?: State | undefined
}

/** One question to a model: its text, or its message when that holds a call; null when it said nothing. */
export function* askModel(
  state: State,
  model: Model,
  { before = [], seen, last, owner = state }: Question,
  cache: CacheStore | null,
): Steps<Reply | null> {
  const context = last?.context
  const messages = before.concat(seen)
  if (last && context !== undefined) {
    const { context: _, ...rest } = last
    messages.splice(-unrolled(last).length, Infinity, ...unrolled(rest))
  }
  const run = yield* face()
  const place = placeIn(run, modelOf(state.name), ANSWERED)
  if (place?.known) return recalled(place, model, owner)
  const response = yield* answered(run, model, {
    messages,
    agent: state.name,
    ...(context !== undefined && { context }),
    ...(cache && { cache }),
  })
  const reply = yield* replyIn(state, response)
  const circle = place?.scope.circle
  if (circle) {
    const usage = usageOf(response, model)
    noteUse(circle, owner, usage)
    yield* kept(place, { reply, usage } satisfies Answered)
  }
  return reply
}

/** What a model said, as a journal keeps it. */
interface Answered {
  readonly reply: Reply | null
  readonly usage: Used
}

/** What a model said in an earlier run: it is not asked again, and what it used counts. */
function recalled({ known, scope: { circle } }: Place, model: Model, owner: State): Reply | null {
  const { reply, usage } = known!.value as Answered
  model.restoreUsage?.(usage)
  if (circle) noteUse(circle, owner, usage)
  return reply
}

function* replyIn(state: State, response: ModelResponse): Steps<Reply | null> {
  const [first] = response.messageRetrievalFunction(response)
  if (first === undefined || first === null || (first === '' && saidNothing(response))) {
    const text = `the model of \`${state.name}\` answered nothing`
    yield { type: 'warning', topic: 'empty-answer', text }
    return null
  }
  return typeof first === 'string' ? first : withLegalNames(first)
}

/** An answer without content; an empty text is an answer. */
const saidNothing = ({ choices }: ModelResponse): boolean => (choices[0]?.message.content ?? null) === null

const modelOf = (agent: string): string => `the model of ${agent}`

function* answered(
  { face: asked, signal, emit }: Run,
  model: Model,
  request: ModelRequest & { readonly agent: string },
): Steps<ModelResponse> {
  const { agent } = request
  const scope = scopeOf({ emit })
  const budget = scope?.budget ?? undefined
  if (asked === 'sync') return model.createSync(request, { emit, budget })
  if (asked === 'async' && !scope?.streams) {
    return yield* wait(model.create(request, { signal, emit, budget }), modelOf(agent))
  }
  const stream = model.createStream(request, { signal, emit, budget })
  return yield* each(stream, (event) => ({ type: 'modelDelta', agent, event }), modelOf(agent))
}

/** What a model sees of a message: its tool responses as messages of their own, before what else it says. */
export function unrolled(message: ChatMessage): readonly ChatMessage[] {
  const { tool_responses: responses } = message
  if (!responses || responses.length === 0) return [message]
  if (message.role === 'tool') return responses
  const { tool_responses: _, ...rest } = message
  return [...responses, Object.freeze(rest)]
}

/** The whole conversation as a model sees it. It is kept and grows with the conversation, so that a turn costs a turn. */
function seenOf(conversation: Conversation): readonly ChatMessage[] {
  const { messages } = conversation
  if (conversation.seen?.of !== messages) conversation.seen = { of: messages, count: 0, list: [] }
  const { seen } = conversation
  for (; seen.count < messages.length; seen.count++) seen.list.push(...unrolled(messages[seen.count]!))
  return seen.list
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
