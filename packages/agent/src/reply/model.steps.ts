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
  Run,
  ToolSchema,
} from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { each } from '@x/kernel/each'
import { MODEL_ANSWER_SHAPE } from '../durability/saved-shapes.ts'
import { normalizeName, unrolled } from '../data/message.ts'
import { cacheFor, type Conversation, openConversation, type State, stateOf } from '../memory/state.ts'
import { answerUsage } from '../memory/usage.ts'
import type { AskedInRun } from '../options/operations.ts'
import { answerOf, type CallUnderWay, keepAnswer, openCall, spanOf } from '../run/external-call.steps.ts'
import { type ModelUse, noteUse } from '../run/recorder.ts'
import { type Scope, scopeIn } from '../run/scope.ts'
import { withSpan } from '../run/within.steps.ts'
import { addedTo } from './reply.steps.ts'
import { answerInView, passInView, type QuestionInView } from './view.steps.ts'

/** Asks the model, with the system message before the messages. */
export function* generateOaiReply(
  state: State,
  { messages, sender, config, run }: AskedInRun<Model>,
): Steps<ReplyOutcome> {
  const model = config ?? state.model
  if (!model) return [false, null]
  const { chat } = scopeIn(run)
  const conversation = openConversation(state, sender, chat)
  const given = messages ?? conversation.messages
  const cache = cacheFor(chat, state, conversation)
  const seen = given === conversation.messages ? seenOf(conversation) : given.flatMap(unrolled)
  const watch = chat?.watch
  const answerSchema = watch && watch.agent === state.agent && watch.user === sender ? watch.answerSchema : undefined
  const tools = addedTo(run, state, sender)?.tools?.()
  const question = { before: [state.systemMessage], seen, last: given.at(-1), answerSchema, tools, conversation }
  const reply = yield* askModel(state, model, question, { cache, run })
  return reply === null ? [false, null] : [true, reply]
}

/** A question to a model. */
interface Question {
  readonly before?: readonly ChatMessage[]
  /** The messages as a model sees them: see {@link unrolled}. */
  readonly seen: readonly ChatMessage[]
  /** The message whose `context` fills templates; its content is computed anew. */
  readonly last: ChatMessage | undefined
  /** Shape of the answer, for models that can be told. */
  readonly answerSchema?: JsonSchema | undefined
  /** Tools beside those of the model's config. */
  readonly tools?: readonly ToolSchema[] | undefined
  /** Whose model it is; default: who asks. */
  readonly owner?: State | undefined
  /** The conversation that it is part of, where it is part of one. */
  readonly conversation?: Conversation | undefined
}

/** One question to a model: its text, or its message when that holds a call; null when it said nothing. */
function askModel(
  state: State,
  model: Model,
  { before = [], seen, last, answerSchema, tools, owner = state, conversation }: Question,
  { cache, run }: { readonly cache: CacheStore | null; readonly run: Run },
): Steps<Reply | null> {
  const context = last?.context
  const { history } = owner
  const messages = history ? [] : before.concat(seen)
  if (!history && last && context !== undefined) {
    const { context: _, ...rest } = last
    messages.splice(-unrolled(last).length, Infinity, ...unrolled(rest))
  }
  const scope = scopeIn(run)
  const { agent, name } = state
  const label = `the model of ${name}`
  const open = openCall(scope, run, { kind: 'model', label, shape: MODEL_ANSWER_SHAPE, agent, closed: true })
  const request: AgentRequest = { messages, agent: name }
  if (context !== undefined) request.context = context
  if (cache) request.cache = cache
  if (answerSchema) request.answerSchema = answerSchema
  if (tools && tools.length > 0) request.moreTools = tools
  const participants = scope.journal?.participants ?? null
  const view = history && { history, before, seen, tools, conversation, state, owner, model, participants }
  const steps = answerAndKeep(scope, open, { state, model, owner, request, view })
  if (!scope.services.spans) return steps
  const details = { type: 'modelCall', agent: name } as const
  return withSpan(scope, run, { details, ...spanOf(open) }, steps)
}

/** The same, in the scope that the steps are run in. */
export function* askModelHere(
  state: State,
  model: Model,
  question: Question,
  cache: CacheStore | null,
): Steps<Reply | null> {
  return yield* askModel(state, model, question, { cache, run: yield* currentRun() })
}

/** Who asks which model what, and whose model it is. */
interface AskedModel {
  readonly state: State
  readonly model: Model
  readonly owner: State
  readonly request: AgentRequest
  /** What the history of its agent chooses the messages of; null: the request has them. */
  readonly view: QuestionInView | undefined
}

/**
 * The answer of a model, kept before anybody hears that there is one. Not written as an inner function: V8 makes a hidden
 * class for each generator function that is created, and that keeps what it closes over alive for long.
 */
function* answerAndKeep(
  { journal }: Scope,
  open: CallUnderWay,
  { state: { name }, model, owner, request, view }: AskedModel,
): Steps<Reply | null> {
  const participants = journal?.participants
  if (open.known) {
    const { reply, usage } = open.known.value as KeptAnswer
    model.restoreUsage?.(usage)
    if (participants) noteUse(participants, owner, usage)
    if (view) yield* passInView(open, view, usage)
    return reply
  }
  const response = yield* view
    ? answerInView(open, view, (messages) => answerTo(open, model, inView(request, messages)))
    : answerTo(open, model, request)
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

type AgentRequest = ModelRequest & { readonly agent: string }

/** Whether somebody reads the pieces of an answer. */
function asksForPieces(run: Run): boolean {
  const { streams, services } = scopeIn(run)
  const { face } = run
  return face !== 'sync' && (face === 'stream' || streams) && (services.types?.has('modelDelta') ?? true)
}

const answerTo = (open: CallUnderWay, model: Model, request: AgentRequest): Steps<ModelResponse> =>
  asksForPieces(open.run) ? piecesOf(open, model, request) : wholeOf(open, model, request)

/** A request with the messages that a history has chosen; the context of the last one is the request's. */
function inView(request: AgentRequest, messages: readonly ChatMessage[]): AgentRequest {
  const last = messages.at(-1)
  if (last?.context === undefined) return { ...request, messages }
  const { context: _, ...rest } = last
  return { ...request, messages: messages.with(messages.length - 1, rest) }
}

const wholeOf = (open: CallUnderWay, model: Model, request: AgentRequest): Steps<ModelResponse> =>
  answerOf(open, `the model of ${request.agent}`, (context) =>
    context.run.face === 'sync' ? model.createSync(request, { run: context.run }) : model.create(request, context),
  )

function* piecesOf(open: CallUnderWay, model: Model, request: AgentRequest): Steps<ModelResponse> {
  const { agent } = request
  try {
    return yield* each(
      model.createStream(request, open.context),
      (event) => ({ type: 'modelDelta', agent, event }),
      `the model of ${agent}`,
    )
  } finally {
    open.end()
  }
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

/** A question that an agent asks a model under another name. */
interface NamedQuestion {
  /** Name of who asks, in events and in the log. */
  readonly name: string
  readonly model: Model
  readonly messages: readonly ChatMessage[]
  /** Shape that the answer should have, for models that can be told. */
  readonly answerSchema?: JsonSchema | undefined
}

/**
 * Asks a model for an agent under another name: a journal keeps the answer, the budget of the run pays for it, and what it
 * uses counts as the agent's. The cache of the chat is not asked. Gives null when the model said nothing.
 */
export function* askAs(agent: Agent, { name, model, messages, answerSchema }: NamedQuestion): Steps<Reply | null> {
  const owner = stateOf(agent)
  // The context of the last message is for its reader alone.
  const seen = messages.flatMap(unrolled)
  return yield* askModelHere({ ...owner, name }, model, { seen, last: undefined, answerSchema, owner }, null)
}
