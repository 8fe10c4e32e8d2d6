import type {
  Agent,
  CacheStore,
  ChatMessage,
  EventBody,
  JsonSchema,
  MaybePromise,
  Model,
  ModelEvent,
  ModelRequest,
  ModelResponse,
  Reply,
  ReplyOutcome,
  Run,
  SpanEvent,
  ToolSchema,
} from '@x/interfaces'
import { currentRun, type Steps, wait } from '@x/kernel'
import { callOutcome } from '@x/kernel/run'
import { MODEL_ANSWER_SHAPE } from '../durability/saved-shapes.ts'
import { allUnrolled, ASSISTANT_SYSTEM_MESSAGE, assistantMessage, normalizeName, unrolled } from '../data/message.ts'
import {
  type AnswerWatch,
  cacheFor,
  type Conversation,
  openConversation,
  type State,
  stateOf,
} from '../memory/state.ts'
import { answerUsage, withAllMembers } from '../memory/usage.ts'
import type { AskedInRun } from '../options/operations.ts'
import { answerOf, type CallUnderWay, openCall, spanOf } from '../run/external-call.steps.ts'
import { type ModelUse, noteUse, type ScopeJournal } from '../run/recorder.ts'
import { type Scope, scopeIn } from '../run/scope.ts'
import { type AgentSpan, withSpan } from '../run/within.steps.ts'
import { addedTo } from './reply.steps.ts'
import { STEERING_PART_NAME, takeSteering } from './steering.steps.ts'
import { answerInView, recallInView, type QuestionInView } from './view.steps.ts'

/** Asks the model, with the system message before the conversation. */
export function generateOaiReply(
  state: State,
  { messages, sender, config, run }: AskedInRun<Model>,
): Steps<ReplyOutcome> {
  const model = config ?? state.model
  if (!model) return wait(asOutcome(null), 'a model')
  const scope = scopeIn(run)
  const { chat } = scope
  const conversation = openConversation(state, sender, chat)
  const history = messages ?? conversation.messages
  const cache = cacheFor(chat, state, conversation)
  const seen = (): readonly ChatMessage[] =>
    history === conversation.messages ? seenOf(conversation) : history.flatMap(unrolled)
  const watch = chat?.watch?.agent === state.agent && chat.watch.user === sender ? chat.watch : null
  const added = addedTo(run, state, sender)?.tools?.()
  const question = {
    before: [systemMessageFor(state, sender, watch)],
    seen,
    last: history.at(-1),
    answerSchema: watch?.answerSchema,
    tools: added && watch ? [...added, ...watch.tools] : (added ?? watch?.tools),
    conversation,
  }
  const open = openModelCall(scope, run, state)
  if (!isSteered(open, scope)) return askModel(state, model, question, { cache, run, open })
  return askSteered(state, model, question, { cache, run, open, isOfChat: sender !== null })
}

/** True if a question to a model takes messages for the run in: some have come, or an earlier run had taken some in here. */
function isSteered(open: CallUnderWay, { callKind, steering, recalls }: Scope): boolean {
  if (callKind !== null) return false
  if (recalls && open.recorded && open.part(STEERING_PART_NAME).known) return true
  return steering !== null && !open.known && steering.some(({ isEmpty }) => !isEmpty)
}

/** Asks the model with the messages for the run behind the history, which keeps them if it is that of a chat. */
function* askSteered(
  state: State,
  model: Model,
  question: Question & { readonly conversation: Conversation },
  { cache, run, open, isOfChat }: Required<AskingMeans> & { readonly isOfChat: boolean },
): Steps<ReplyOutcome> {
  const whole = question.seen()
  const { length } = whole
  const conversation = isOfChat ? question.conversation : null
  const steered = yield* takeSteering(open, scopeIn(run), { agent: state.name, conversation })
  // The list may be that of the conversation, which grows by them.
  const seen = steered.length > 0 ? whole.slice(0, length) : whole
  return yield* askModel(state, model, { ...question, seen: () => seen, steered }, { cache, run, open })
}

const asOutcome = (reply: Reply | null): ReplyOutcome => (reply === null ? [false, null] : [true, reply])

/**
 * Returns the system message for a reply to `sender`. The default one of an assistant promises only what holds: it speaks of
 * code where somebody runs it, and asks for the end of the chat where the chat does not end by itself.
 */
function systemMessageFor(state: State, sender: Agent | null, watch: AnswerWatch | null): ChatMessage {
  const { systemMessage } = state
  if (systemMessage.content !== ASSISTANT_SYSTEM_MESSAGE) return systemMessage
  return assistantMessage({ runsCode: runsCode(sender), asksForEnd: !watch?.endsByItself })
}

/** True if an agent, or a member that it manages, runs code of the messages it receives. */
function runsCode(agent: Agent | null): boolean {
  const state = agent && stateOf(agent)
  if (!state?.managerRole) return Boolean(state?.codeExecution)
  return [...withAllMembers([state])].some(({ codeExecution }) => codeExecution)
}

/** A question to a model. */
interface Question {
  readonly before?: readonly ChatMessage[]
  /** Returns the messages as a model sees them: see {@link unrolled}. Asked for if the model is asked. */
  readonly seen: () => readonly ChatMessage[]
  /** The last message: its `context` fills templates, and its content is computed anew. */
  readonly last: ChatMessage | undefined
  /** Schema of the answer, for models with an option for it. */
  readonly answerSchema?: JsonSchema | undefined
  /** Tools beside those of the model's config. */
  readonly tools?: readonly ToolSchema[] | undefined
  /** Owner of the model; default: the agent that asks. */
  readonly owner?: State | undefined
  /** The conversation of the question, if it has one. */
  readonly conversation?: Conversation | undefined
  /** Messages behind those that are seen. */
  readonly steered?: readonly ChatMessage[] | undefined
}

/** The cache and the run of a question. */
interface AskingMeans {
  readonly cache: CacheStore | null
  readonly run: Run
  /** The call of the question; default: it is opened. */
  readonly open?: CallUnderWay
}

const openModelCall = (scope: Scope, run: Run, { agent, name }: State): CallUnderWay =>
  openCall(scope, run, {
    kind: 'model',
    label: `the model of ${name}`,
    shape: MODEL_ANSWER_SHAPE,
    agent,
    closed: true,
  })

/** Asks a model; its reply is the text of the answer, or the message if it has a call; there is none for an empty answer. */
function askModel(
  state: State,
  model: Model,
  {
    before = [],
    seen: findSeen,
    last,
    answerSchema,
    tools,
    owner = state,
    conversation,
    steered = NO_MESSAGES,
  }: Question,
  { cache, run, open = openModelCall(scopeIn(run), run, state) }: AskingMeans,
): Steps<ReplyOutcome> {
  const context = last?.context
  const { history } = owner
  const needsMessages = !open.known || open.noteInput !== undefined || history !== undefined
  const unsteered = needsMessages ? findSeen() : NO_MESSAGES
  const messages = needsMessages && !history ? messagesOf(before, unsteered, last) : []
  if (!history && steered.length > 0) messages.push(...steered)
  const scope = scopeIn(run)
  const seen = steered.length > 0 ? unsteered.concat(steered) : unsteered
  const request: AgentRequest = { messages, agent: state.name }
  if (context !== undefined) request.context = context
  if (cache) request.cache = cache
  if (answerSchema) request.answerSchema = answerSchema
  if (tools && tools.length > 0) request.moreTools = tools
  const participants = scope.journal?.participants ?? null
  const view = history && { history, before, seen, tools, conversation, state, owner, model, participants, request }
  if (!view) open.noteInput?.({ messages, settings: model.settingsOf?.(request) ?? null })
  return answerAndKeep(scope, run, open, { state, model, owner, request, view })
}

const NO_MESSAGES: readonly ChatMessage[] = []

/** Returns the messages of a request: those that are seen behind others, the last one without its context, which is sent apart. */
function messagesOf(
  before: readonly ChatMessage[],
  seen: readonly ChatMessage[],
  last: ChatMessage | undefined,
): ChatMessage[] {
  const messages = before.concat(seen)
  if (last?.context === undefined) return messages
  const { context: _, ...rest } = last
  messages.splice(-unrolled(last).length, Infinity, ...unrolled(rest))
  return messages
}

/** Asks a model in the current run. */
export function* askModelHere(
  state: State,
  model: Model,
  question: Question,
  cache: CacheStore | null,
): Steps<Reply | null> {
  const [, reply] = yield* askModel(state, model, question, { cache, run: yield* currentRun() })
  return reply
}

/** A question that is ready to be sent to its model. */
interface PreparedQuestion {
  /** The agent that asks. */
  readonly state: State
  readonly model: Model
  /** The agent that owns the model. */
  readonly owner: State
  readonly request: AgentRequest
  /** The messages from which a `history` chooses; undefined: the request has the messages. */
  readonly view: QuestionInView | undefined
}

/** The answer to a question: the reply in it, and the response unless a journal has the answer. */
interface Answered {
  readonly reply: Reply | null
  readonly response: ModelResponse | null
  /** Usage of an answer from a journal. */
  readonly usage?: ModelUse | undefined
  /** Usage of a new answer, where a run adds it up. */
  readonly used?: ModelUse | undefined
}

/**
 * Gets the answer of a model in a span, and keeps it in the journal. Not an inner function: V8 makes a hidden class for
 * every generator function it creates, and that class keeps the closure alive.
 */
function* answerAndKeep(scope: Scope, run: Run, open: CallUnderWay, question: PreparedQuestion): Steps<ReplyOutcome> {
  const { spans: hasSpans, skipsParts } = scope.services
  const spans = hasSpans && !(skipsParts !== false && question.model.tellsAttempts)
  if (!spans && !open.known && !question.view) {
    // Most questions: a generator for each part of the way would double its cost.
    const { state, model, request } = question
    const answered = answeredBy(open, model, yield* answerTo(open, model, request))
    if (answered.reply === null) yield emptyAnswer(state)
    const kept = scope.journal && keepReply(scope.journal, { open, question }, answered)
    if (kept) yield* wait(kept, 'the journal of a chat')
    return asOutcome(answered.reply)
  }
  const asking = open.known ? recallReply(open, question) : askForReply(open, question)
  if (spans) return asOutcome((yield* withSpan(scope, run, modelSpan(scope, open, question), asking)).reply)
  const answered = yield* asking
  if (scope.journal) yield* wait(keepReply(scope.journal, { open, question }, answered), 'the journal of a chat')
  return asOutcome(answered.reply)
}

/** Keeps an answer and its usage in the journal, unless it is from there. */
function keepReply(
  { participants }: ScopeJournal,
  { open, question }: { readonly open: CallUnderWay; readonly question: PreparedQuestion },
  { reply, response, used }: Answered,
  isTold = true,
): MaybePromise<void> {
  if (!response) return undefined
  const usage = used ?? answerUsage(response, question.model)
  noteUse(participants, question.owner, usage)
  return open.keep({ reply, usage } satisfies KeptAnswer, isTold)
}

/** Describes the span of a question to a model. */
const modelSpan = (
  { journal }: Scope,
  open: CallUnderWay,
  question: PreparedQuestion,
): AgentSpan<'modelCall', Answered> => ({
  common: { type: 'modelCall', agent: question.state.name },
  atEnd: (answered) => ({
    ...callOutcome(answered?.response ?? null),
    ...(answered?.usage && recalledUsage(answered.usage)),
    message: answered?.reply ?? null,
  }),
  keep: journal ? (answered, isTold) => keepReply(journal, { open, question }, answered, isTold) : undefined,
  ...spanOf(open),
})

/** Asks the model, with the messages that a `history` chooses if the agent has one. */
function* askForReply(open: CallUnderWay, { state, model, request, view }: PreparedQuestion): Steps<Answered> {
  // A history may ask a model for its cut before the question is asked.
  const held = view && open.beforeCall()
  if (held) yield* wait(held, 'the journal of a chat')
  const response = yield* view
    ? answerInView(open, view, (messages) => answerTo(open, model, withMessages(request, messages)))
    : answerTo(open, model, request)
  const answered = answeredBy(open, model, response)
  if (answered.reply === null) yield emptyAnswer(state)
  return answered
}

function answeredBy({ scope: { tally } }: CallUnderWay, model: Model, response: ModelResponse): Answered {
  const used = tally ? answerUsage(response, model) : undefined
  if (used) tally!.add(used.actual)
  return { reply: replyIn(response), response, used }
}

const emptyAnswer = ({ name }: State): EventBody => ({
  type: 'warning',
  agent: name,
  topic: 'empty-answer',
  text: `the model of \`${name}\` answered nothing`,
})

/** Recalls the answer of an earlier run, and counts its usage. */
function* recallReply(open: CallUnderWay, { model, owner, view }: PreparedQuestion): Steps<Answered> {
  const { reply, usage } = open.known!.value as KeptAnswer
  if (!open.known!.isCounted) model.restoreUsage?.(usage)
  const participants = open.inside?.outer
  if (participants) noteUse(participants, owner, usage)
  open.scope.tally?.add(usage.actual)
  if (view) yield* recallInView(open, view, usage)
  return { reply, response: null, usage }
}

/** Returns the usage of an answer from a journal, for the end event of its call. */
function recalledUsage({
  actual,
  total,
}: ModelUse): Pick<SpanEventOf<'modelCallEnd'>, 'model' | 'cached' | 'usage' | 'cost'> {
  const [first] = Object.entries(total?.models ?? {})
  if (!total || !first) return { model: null, cached: false, usage: null, cost: null }
  const [model, { promptTokens, completionTokens, totalTokens }] = first
  const cost = total.unpriced ? null : total.totalCost
  return { model, cached: actual === null, usage: { promptTokens, completionTokens, totalTokens }, cost }
}

type SpanEventOf<T extends string> = Extract<SpanEvent, { type: T }>

/** The answer of a model, as a journal stores it; the usage counts again when the answer is recalled. */
interface KeptAnswer {
  readonly reply: Reply | null
  readonly usage: ModelUse
}

function replyIn(response: ModelResponse): Reply | null {
  const [first] = response.messageRetrievalFunction(response)
  if (first === undefined || first === null || (first === '' && hasNoContent(response))) return null
  return typeof first === 'string' ? first : withLegalNames(first)
}

/** True for an answer without content; an empty text is content. */
const hasNoContent = ({ choices }: ModelResponse): boolean => (choices[0]?.message.content ?? null) === null

type AgentRequest = ModelRequest & { readonly agent: string }

/** True if somebody reads the answer while it is streamed. */
function isStreamed(run: Run): boolean {
  const { streams, services } = scopeIn(run)
  const { face } = run
  return face !== 'sync' && (face === 'stream' || streams) && (services.types?.has('textDelta') ?? true)
}

const answerTo = (open: CallUnderWay, model: Model, request: AgentRequest): Steps<ModelResponse> =>
  isStreamed(open.run) ? streamAnswer(open, model, request) : createAnswer(open, model, request)

/** Returns a request with the messages that a history has chosen; the request keeps the context of the last message. */
function withMessages(request: AgentRequest, messages: readonly ChatMessage[]): AgentRequest {
  const last = messages.at(-1)
  if (last?.context === undefined) return { ...request, messages }
  const { context: _, ...rest } = last
  return { ...request, messages: messages.with(messages.length - 1, rest) }
}

const createAnswer = (open: CallUnderWay, model: Model, request: AgentRequest): Steps<ModelResponse> =>
  answerOf(open, `the model of ${request.agent}`, (context) =>
    context.run.face === 'sync' ? model.createSync(request, { run: context.run }) : model.create(request, context),
  )

function* streamAnswer(open: CallUnderWay, model: Model, request: AgentRequest): Steps<ModelResponse> {
  const what = `the model of ${request.agent}`
  const { emit } = yield* currentRun()
  const begun = open.begin()
  if (begun) yield* wait(begun, what)
  const reader = new AnswerReader(request.agent, model.createStream(request, open.context), emit)
  try {
    for (;;) {
      const end = yield* wait(reader.readOn(), what)
      if (end) return end.value
    }
  } finally {
    reader.leave()
    open.end()
  }
}

/** Most events that are read before the steps of the run go on, which see to it that others have their turn. */
const MAX_READ_EVENTS = 64

/**
 * Sends the events of a model as those of its agent: the pieces of an answer that somebody follows. It does so beside the steps
 * of the run, all of which each piece would pass twice.
 */
class AnswerReader {
  readonly #agent: string
  readonly #source: AsyncIterator<ModelEvent, ModelResponse>
  readonly #emit: Run['emit']
  /** The calls of the answer, by choice and index. */
  #calls: Map<string, { readonly callId: string | null; readonly name: string }> | undefined
  #isOver = false

  constructor(agent: string, source: AsyncIterable<ModelEvent, ModelResponse>, emit: Run['emit']) {
    this.#agent = agent
    this.#source = source[Symbol.asyncIterator]()
    this.#emit = emit
  }

  /** Reads some events; gives their end, which has the answer. */
  async readOn(): Promise<IteratorReturnResult<ModelResponse> | undefined> {
    for (let count = 0; count < MAX_READ_EVENTS && !this.#isOver; count++) {
      const item = await this.#source.next()
      if (this.#isOver) break
      if (item.done) {
        this.#isOver = true
        return item
      }
      const event = this.#eventOf(item.value)
      const sent = event && this.#emit(event)
      if (sent) await sent
    }
    return undefined
  }

  /** Tells a source that is left before its end so, without waiting for it: it may fail meanwhile. */
  leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    ;(async () => await this.#source.return?.())().catch(() => {})
  }

  #eventOf(event: ModelEvent): EventBody | undefined {
    const agent = this.#agent
    switch (event.type) {
      case 'start':
        return { type: 'answerBegin', agent, responseId: event.id, model: event.model }
      case 'textDelta':
      case 'reasoningDelta': {
        const { type, index, text } = event
        return { type, agent, index, text }
      }
      case 'textWasReasoning':
        return { type: 'textWasReasoning', agent, index: event.index }
      case 'toolCallStart': {
        const { index, call, id: callId, name } = event
        this.#calls ??= new Map()
        this.#calls.set(`${index}.${call}`, { callId, name })
        return { type: 'toolInputDelta', agent, index, call, callId, name, text: '' }
      }
      case 'toolCallDelta': {
        const { index, call, arguments: text } = event
        const { callId = null, name = '' } = this.#calls?.get(`${index}.${call}`) ?? {}
        return { type: 'toolInputDelta', agent, index, call, callId, name, text }
      }
      default:
        return undefined
    }
  }
}

/** Returns the conversation as a model sees it. The list is cached and grows, so that a turn adds only its own messages. */
function seenOf(conversation: Conversation): readonly ChatMessage[] {
  const { messages } = conversation
  if (conversation.seen?.of !== messages) conversation.seen = { of: messages, count: 0, list: null }
  const { seen } = conversation
  for (; seen.count < messages.length; seen.count++) {
    const message = messages[seen.count]!
    if (!seen.list && message.tool_responses) seen.list = messages.slice(0, seen.count)
    seen.list?.push(...unrolled(message))
  }
  return seen.list ?? messages
}

/** Replaces illegal function names that a model made up: providers would refuse the next request. */
function withLegalNames(message: ChatMessage): ChatMessage {
  const { function_call: call, tool_calls: calls } = message
  return {
    ...message,
    ...(call && { function_call: { ...call, name: normalizeName(call.name) } }),
    ...(calls && {
      tool_calls: calls.map((toolCall) => ({
        ...toolCall,
        function: { ...toolCall.function, name: normalizeName(toolCall.function.name) },
      })),
    }),
  }
}

/** A question that an agent asks a model under another name. */
interface NamedQuestion {
  /** Name of the asker, in events and in the log. */
  readonly name: string
  readonly model: Model
  readonly messages: readonly ChatMessage[]
  /** Schema of the answer, for models with an option for it. */
  readonly answerSchema?: JsonSchema | undefined
}

/**
 * Asks a model for an agent, under another name: a journal keeps the answer, the budget of the run pays for it, and the
 * usage counts as the agent's. The cache of the chat is not read. Returns null for an empty answer.
 */
export function* askAs(agent: Agent, { name, model, messages, answerSchema }: NamedQuestion): Steps<Reply | null> {
  const owner = stateOf(agent)
  // The context of the last message is for its reader alone.
  const seen = (): readonly ChatMessage[] => allUnrolled(messages)
  return yield* askModelHere({ ...owner, name }, model, { seen, last: undefined, answerSchema, owner }, null)
}
