import type {
  Agent,
  CacheStore,
  ChatMessage,
  JsonSchema,
  Model,
  ModelRequest,
  ModelResponse,
  Reply,
  ReplyOutcome,
} from '@x/interfaces'
import { face, type Steps } from '@x/kernel'
import { each } from '@x/kernel/each'
import { cacheFor } from '../memory/active-chat.ts'
import { answerOf, keepAnswer, spanOf } from '../run/external-call.steps.ts'
import { openCall, type CallUnderWay } from '../run/open-call.ts'
import { noteUse, type ModelUse } from '../run/participants.ts'
import { scopeIn, type Scope } from '../run/scope.ts'
import { withSilence } from '../run/silence.steps.ts'
import { withSpan } from '../run/span.steps.ts'
import { normalizeName } from '../memory/names.ts'
import { ANSWERED } from '../durability/saved-shapes.ts'
import { openConversation, type Conversation, type State } from '../memory/state.ts'
import { answerUsage } from '../memory/usage.ts'

/** Asks the model, with the system message before the messages. */
export const generateOaiReply = (
  state: State,
  messages: readonly ChatMessage[] | null | undefined,
  sender: Agent | null,
  config?: Model | null,
): Steps<ReplyOutcome> => withSilence(state.silent, answer(state, messages, sender, config))

function* answer(
  state: State,
  messages: readonly ChatMessage[] | null | undefined,
  sender: Agent | null,
  config: Model | null | undefined,
): Steps<ReplyOutcome> {
  const model = config ?? state.model
  if (!model) return [false, null]
  const { chat } = scopeIn(yield* face())
  const conversation = openConversation(state, sender, chat)
  const given = messages ?? conversation.messages
  const cache = cacheFor(chat, state, conversation)
  const seen = given === conversation.messages ? seenOf(conversation) : given.flatMap(unrolled)
  const watch = chat?.watch
  const answerSchema = watch && watch.agent === state.agent && watch.user === sender ? watch.answerSchema : undefined
  const question = { before: [state.systemMessage], seen, last: given.at(-1), answerSchema }
  const reply = yield* askModel(state, model, question, cache)
  return reply === null ? [false, null] : [true, reply]
}

/** A question to a model. */
export interface Question {
  readonly before?: readonly ChatMessage[]
  /** The messages as a model sees them: see {@link unrolled}. */
  readonly seen: readonly ChatMessage[]
  /** The message whose `context` fills templates; its content is computed anew. */
  readonly last: ChatMessage | undefined
  /** Shape of the answer, for models that can be told. */
  readonly answerSchema?: JsonSchema | undefined
  /** Whose model it is; default: who asks. */
  readonly owner?: State | undefined
}

/** One question to a model: its text, or its message when that holds a call; null when it said nothing. */
export function* askModel(
  state: State,
  model: Model,
  { before = [], seen, last, answerSchema, owner = state }: Question,
  cache: CacheStore | null,
): Steps<Reply | null> {
  const context = last?.context
  const messages = before.concat(seen)
  if (last && context !== undefined) {
    const { context: _, ...rest } = last
    messages.splice(-unrolled(last).length, Infinity, ...unrolled(rest))
  }
  const run = yield* face()
  const scope = scopeIn(run)
  const { agent, name } = state
  const label = `the model of ${name}`
  const open = openCall(scope, run, { kind: 'model', label, shape: ANSWERED, agent, closed: true })
  const request: ModelRequest & { readonly agent: string } = { messages, agent: name }
  if (context !== undefined) request.context = context
  if (cache) request.cache = cache
  if (answerSchema) request.answerSchema = answerSchema
  const steps = answerAndKeep(scope, open, { state, model, owner, request })
  if (!scope.means.spans) return yield* steps
  const details = { type: 'modelCall', agent: name } as const
  return yield* withSpan(scope, run, { details, ...spanOf(open) }, steps)
}

/** Who asks which model what, and whose model it is. */
interface AskedModel {
  readonly state: State
  readonly model: Model
  readonly owner: State
  readonly request: ModelRequest & { readonly agent: string }
}

/**
 * The answer of a model, kept before anybody hears that there is one. Not written as an inner function: V8 makes a hidden
 * class for each generator function that is created, and that keeps what it closes over alive for long.
 */
function* answerAndKeep(
  { participants }: Scope,
  open: CallUnderWay,
  { state: { name }, model, owner, request }: AskedModel,
): Steps<Reply | null> {
  if (open.known) {
    const { reply, usage } = open.known.value as KeptAnswer
    model.restoreUsage?.(usage)
    if (participants) noteUse(participants, owner, usage)
    return reply
  }
  const response = yield* askWrapper(open, model, request)
  const reply = replyIn(response)
  if (reply === null) {
    const text = `the model of \`${name}\` answered nothing`
    yield { type: 'warning', agent: name, topic: 'empty-answer', text }
  }
  if (participants) {
    const usage = answerUsage(response, model)
    noteUse(participants, owner, usage)
    yield* keepAnswer(open, { reply, usage } satisfies KeptAnswer)
  }
  return reply
}

/** An answer of a model, as a journal keeps it; its usage counts when it is recalled. */
interface KeptAnswer {
  readonly reply: Reply | null
  readonly usage: ModelUse
}

function replyIn(response: ModelResponse): Reply | null {
  const [first] = response.messageRetrievalFunction(response)
  if (first === undefined || first === null || (first === '' && saidNothing(response))) return null
  return typeof first === 'string' ? first : withLegalNames(first)
}

/** An answer without content; an empty text is an answer. */
const saidNothing = ({ choices }: ModelResponse): boolean => (choices[0]?.message.content ?? null) === null

function* askWrapper(
  open: CallUnderWay,
  model: Model,
  request: ModelRequest & { readonly agent: string },
): Steps<ModelResponse> {
  const { run } = open
  const { agent } = request
  const { streams, means } = scopeIn(run)
  const { face: asked } = run
  const label = `the model of ${agent}`
  const pieces = asked !== 'sync' && (asked === 'stream' || streams) && (means.types?.has('modelDelta') ?? true)
  if (!pieces) {
    return yield* answerOf(open, label, () =>
      asked === 'sync' ? model.createSync(request, { run }) : model.create(request, open.context),
    )
  }
  try {
    return yield* each(
      model.createStream(request, open.context),
      (event) => ({ type: 'modelDelta', agent, event }),
      label,
    )
  } finally {
    open.end()
  }
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
