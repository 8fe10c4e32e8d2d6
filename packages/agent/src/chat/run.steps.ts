import type { Agent, ChatMessage, ChatResult, Journal, JsonSchema, Reply, Tool, ToolSchema } from '@x/interfaces'
import { currentRun, type Steps, XError } from '@x/kernel'
import { isStandardSchema, type OutputOf, type Parameters, problemOfResult, schemaOf } from '../data/parameters.ts'
import { sameJson } from '../data/plain-json.ts'
import { hasCalls, storedMessage, TERMINATION_WORD } from '../data/message.ts'
import { askedIn, ChatJournal } from '../durability/chat-journal.ts'
import { journalOfDeferred } from '../durability/journal-recorder.ts'
import {
  type AnswerWatch,
  type EarlierMessages,
  openConversation,
  snapshotOf,
  type State,
  stateOf,
  warn,
} from '../memory/state.ts'
import { gatheredUsage } from '../memory/usage.ts'
import type { Ag2RunOptions, ResultOptions, RunChatOptions } from '../options/operations.ts'
import { canAnswer, generateReply, hasOwnReplies, saysNothing } from '../reply/reply.steps.ts'
import { DeferredRecorder } from '../run/recorder.ts'
import { type Scope, scopeIn, UsageTally } from '../run/scope.ts'
import { addFunctions, functionFor, warnOfTimeout } from '../tool/registration.ts'
import { sharedMappedTool, toolList, toolSchema } from '../tool/tool.ts'
import { mustKeepApart } from './begin.steps.ts'
import { holdChat, send } from './chat.steps.ts'
import { withCallsAnswered } from './open-calls.steps.ts'
import { type OpenChat, openChat } from './open.steps.ts'
import { ResultJudge, withSchema } from './result-judge.steps.ts'
import type { RunResult } from './run-result.ts'
import { questionIn, runResultOf, USER_NAME } from './run-values.ts'

/** A `run` as it was asked for. */
type RunRequest = Omit<Partial<Ag2RunOptions>, 'journal' | 'style'> & { readonly style?: 'ag2' | undefined } & Partial<
    ResultOptions<Parameters | undefined>
  > &
  RunKeeping

/** The journal of a run, or else what keeps the answers of a run that may have to wait. */
interface RunKeeping {
  readonly journal?: Journal | undefined
  readonly recorder?: DeferredRecorder | undefined
}

/** The result of a `run` with `style: 'ag2'`: that of its chat. */
type Ag2RunResult = ChatResult & { readonly result?: unknown }

/**
 * Runs a chat of an agent with an executor, which stands for the user and executes the tools: until the agent has answered,
 * or with a `result` until an answer fits.
 */
export function* runAgent(
  agent: Agent,
  given: Reply | readonly ChatMessage[],
  { journal: givenJournal, ...options }: Omit<RunRequest, keyof RunKeeping> & Pick<RunChatOptions, 'journal'>,
): Steps<RunResult<unknown> | Ag2RunResult> {
  checkRun(agent, options)
  const { question, earlier: handedIn } = questionIn(agent, given, options)
  const earlier = handedIn && withEarlierCallsAnswered(handedIn, question)
  const request = { ...options, ...defaultsFor(agent, options) }
  const around = scopeIn(yield* currentRun())
  const keeping: RunKeeping = givenJournal
    ? { journal: givenJournal }
    : { recorder: recorderFor(agent, request, around) }
  const tally = new UsageTally(around.tally)
  const user = executorOf(agent, request)
  const countsOnce = request.conversation === 'own' && request.style !== 'ag2'
  const means = {
    ...request,
    ...keeping,
    tally,
    countsOnce,
    ...(isUnattended(request, around) && { unattended: true }),
  }
  return yield* openChat(sidesOfRun(agent, user, request), means, (chat) =>
    holdRun({ agent, user, chat }, { ...request, ...keeping }, { question, earlier, tally }),
  )
}

/** Answers the calls that the messages before a question leave open. */
function withEarlierCallsAnswered({ ofSelf, ofPeer }: EarlierMessages, question: Reply): EarlierMessages {
  const next = typeof question === 'string' ? { content: question } : question
  return { ofSelf: withCallsAnswered(ofSelf, next), ofPeer: withCallsAnswered(ofPeer, next) }
}

/** The beginning of a run. */
interface RunStart {
  readonly question: Reply
  /** Messages before the question; null where the run takes none. */
  readonly earlier: EarlierMessages | null
  readonly tally: UsageTally
}

/** Holds the chat of a run, and makes the result of the run. */
function* holdRun(
  sides: RunSides,
  options: RunRequest,
  { question, earlier, tally }: RunStart,
): Steps<RunResult<unknown> | Ag2RunResult> {
  const { agent, user, chat } = sides
  const tools = runToolsOf(agent, options)
  const isOwn = options.conversation === 'own'
  const before = isOwn ? (earlier?.ofPeer.length ?? 0) : countBefore(sides, options)
  const parts = { tools, earlier: isOwn ? (earlier ?? undefined) : undefined }
  const held = options.result
    ? yield* holdUntilResult(sides, question, { ...options, result: options.result }, parts)
    : yield* holdUntilAnswer(sides, question, options, parts)
  if (options.style === 'ag2') return held
  const { messages } = openConversation(stateOf(agent), user, chat)
  const { terminationReason, result = null } = held as Ag2RunResult
  return runResultOf({
    messages: held.messages ?? (options.result ? withQuestion(messages, before, question, user) : messages),
    before: held.messages ? 0 : before,
    answer: answerOfGroup(held.messages?.at(-1), user),
    used: tally.sum,
    failures: tally.failures,
    terminationReason: endsWithAnswer(sides, terminationReason) ? 'answered' : terminationReason,
    result,
    unfinished: options.result && terminationReason === 'suspended' ? waitsForDecision(sides) : undefined,
    pending: chat.scope.journal?.participants.pending ?? [],
    journal: terminationReason === 'suspended' ? journalOf(options) : null,
  })
}

/** Returns what was said last in a group, as an answer; the user's own message stays what it is. */
const answerOfGroup = (last: ChatMessage | undefined, { name }: Agent): ChatMessage | undefined =>
  last?.role === 'user' && last.name !== name ? { ...last, role: 'assistant' } : last

/** Counts the messages that a conversation with the agents has before a run. */
function countBefore({ agent, user, chat }: RunSides, { clearHistory }: RunRequest): number {
  return clearHistory ? 0 : openConversation(stateOf(agent), user, chat).messages.length
}

/** Puts the question back in the place of that with the schema, which the agent was asked. */
function withQuestion(
  messages: readonly ChatMessage[],
  at: number,
  question: Reply,
  user: Agent,
): readonly ChatMessage[] {
  return at < messages.length ? messages.with(at, storedMessage(question, 'user', user.name)) : messages
}

/** True if a run that `maxTurns` has ended has its answer all the same: the side of the user would say nothing more. */
function endsWithAnswer({ agent, user, chat }: RunSides, reason: ChatResult['terminationReason']): boolean {
  if (reason !== 'max-turns' || canAnswer(stateOf(user), { calls: false })) return false
  const last = openConversation(stateOf(user), agent, chat).messages.at(-1)
  return last !== undefined && last.name === agent.name && !hasCalls(last)
}

function checkRun(agent: Agent, { style, result, resultRepairs, ...options }: RunRequest): void {
  const refuse = (problem: string): never => {
    throw new XError('invalid-argument', `cannot run \`run\` of \`${agent.name}\`: ${problem}`)
  }
  if (resultRepairs !== undefined && !result) refuse('`resultRepairs` comes without a `result`; give its schema')
  const problem = result && !isStandardSchema(result) ? problemOfResult(result) : undefined
  if (problem !== undefined) refuse(`its \`result\` is not a schema: ${problem}`)
  if (result && options.msgTo === 'user') refuse('`msgTo` cannot be combined with `result`; leave it out')
  if (style === 'ag2') return
  if (options.msgTo !== undefined) refuse('`msgTo` belongs to the reference; write `{ ...ag2Run, msgTo }`')
  if (options.summaryMethod === undefined) return
  refuse('a run has no summary, its answer is `text`; write `{ ...ag2Run, summaryMethod }` for a summary')
}

type DefaultedOptions = Required<Pick<RunRequest, 'conversation' | 'userInput' | 'silent' | 'clearHistory'>>

/** Returns the options that a run has unless it was given others. */
function defaultsFor(agent: Agent, options: RunRequest): DefaultedOptions {
  // The members of a manager keep the messages of their group: a run begins with none.
  const isManager = stateOf(agent).managerRole !== undefined
  const { userInput = false, conversation = isManager ? 'shared' : 'own' } = options
  const { silent = userInput ? null : true, clearHistory = isManager && options.conversation === undefined } = options
  return { conversation, userInput, silent, clearHistory }
}

/** True if nobody is there to answer questions: no person of the run, and none of a chat around it. */
const isUnattended = ({ style, userInput }: RunRequest, around: Scope): boolean =>
  style !== 'ag2' && !userInput && !around.chat

/**
 * Makes what keeps the answers of a run that may have to wait for a decision, since nobody is there to make it; undefined for
 * a run with nothing to decide on, and inside a run with a journal, which waits as a whole.
 */
function recorderFor(agent: Agent, options: RunRequest, around: Scope): DeferredRecorder | undefined {
  if (!isUnattended(options, around) || around.journal || onlyAsksModel(agent, options)) return undefined
  return new DeferredRecorder(around.services.counter, options.version)
}

/** The journal of a run that waits, for its caller; null where that is of another make. */
function journalOf({ journal, recorder }: RunKeeping): ChatJournal | null {
  if (journal) return journal instanceof ChatJournal ? journal : null
  return recorder ? journalOfDeferred(recorder) : null
}

/** True for a run that asks a model and nothing else: it makes no calls of the program, and asks nobody. */
function onlyAsksModel(agent: Agent, { tools, executorKwargs }: RunRequest): boolean {
  const { humanInputMode, functionMap, ownTools, managerRole, codeExecution, hooks, replies } = stateOf(agent)
  return (
    humanInputMode === 'NEVER' &&
    ![tools, executorKwargs, functionMap, ownTools, managerRole, codeExecution].some(Boolean) &&
    Object.values(hooks).every((list) => list.length === 0) &&
    !hasOwnReplies({ replies })
  )
}

/** Returns the states of both sides of a run; the first side starts the chat. */
const sidesOfRun = (agent: Agent, user: Agent, { msgTo = 'agent' }: RunRequest): readonly [State, State] =>
  msgTo === 'agent' ? [stateOf(user), stateOf(agent)] : [stateOf(agent), stateOf(user)]

/** The parts of a run that its chat gets beside options: the tools, and the messages before the question. */
interface ChatParts {
  readonly tools: readonly Tool[]
  readonly earlier: EarlierMessages | undefined
}

/** Holds the chat until the agent has answered, or until one side ends it before. */
function holdUntilAnswer(sides: RunSides, message: Reply, options: RunRequest, parts: ChatParts): Steps<ChatResult> {
  sides.chat.watch = watchIdleAnswers(sides, options, parts.tools)
  return holdWithTools(sides, { message, ...options }, parts)
}

/** Holds the chat until an answer fits the schema: the agent is told the schema, and may try again. */
function* holdUntilResult<P extends Parameters>(
  sides: RunSides,
  message: Reply,
  options: RunRequest & ResultOptions<P>,
  parts: ChatParts,
): Steps<ChatResult & { readonly result: OutputOf<P> }> {
  const { result, resultRepairs = 2 } = options
  const schema = schemaOf(result, 'result')
  const judge = new ResultJudge(result, schema, resultRepairs)
  sides.chat.watch = watchResult(sides, judge, { schema, options, tools: parts.tools })
  const question = withSchema(message, schema)
  const chatOptions = { maxTurns: 10, ...options, message: question }
  return yield* holdWithTools(sides, chatOptions, parts, (chatResult) => resultIn(sides, chatResult, judge, options))
}

/** Makes the error for a run that has no result yet. */
function waitsForDecision({ agent, chat }: RunSides): XError {
  const [pending] = chat.scope.journal?.participants.pending ?? []
  return new XError(
    'suspended',
    `\`${agent.name}\` has no result yet: the run waits for a decision, which is \`pending\`; decide in its \`journal\`, and call \`run\` again with that`,
    { details: { pending } },
  )
}

/** Reads the result of a run whose chat has ended. */
function* resultIn<P extends Parameters>(
  sides: RunSides,
  chatResult: ChatResult,
  judge: ResultJudge<P>,
  options: Pick<RunRequest, 'silent' | 'style'>,
): Steps<ChatResult & { readonly result: OutputOf<P> }> {
  const { agent, user, chat } = sides
  if (chatResult.terminationReason === 'suspended') {
    if (options.style === 'ag2') throw waitsForDecision(sides)
    return chatResult as ChatResult & { readonly result: OutputOf<P> }
  }
  const result = yield* untilResult(sides, judge, options.silent)
  const chatHistory = snapshotOf(openConversation(stateOf(user), agent, chat))
  // Most answers fit at once.
  const isSame = chatHistory === chatResult.chatHistory
  const cost = isSame ? chatResult.cost : gatheredUsage([stateOf(user), stateOf(agent)])
  return { ...chatResult, chatHistory, cost, terminationReason: 'result', result }
}

const runToolsOf = (agent: Agent, { tools }: RunRequest): readonly Tool[] =>
  tools === undefined ? [] : toolList(tools, `run \`run\` of \`${agent.name}\``)

/** The tools of a run as the model is told of them, beside those that it has. */
function newToolSchemas({ name, llmConfig }: State, tools: readonly Tool[]): readonly ToolSchema[] {
  const known = (llmConfig && (llmConfig.config['tools'] as readonly Partial<ToolSchema>[] | undefined)) || []
  return tools.map(toolSchema).filter((schema) => {
    const same = known.find((each) => each.function?.name === schema.function.name)
    if (!same || sameJson(same, schema)) return !same
    throw new XError(
      'invalid-argument',
      `cannot run \`run\` of \`${name}\`: it has another tool of the name \`${schema.function.name}\`; rename one of them`,
      { details: { name: schema.function.name } },
    )
  })
}

/** Holds the chat of a run with its tools: the model may call them, and the executor executes the calls. */
function* holdWithTools<R extends ChatResult = ChatResult>(
  sides: RunSides,
  options: RunRequest & { readonly message: Reply },
  { tools, earlier }: ChatParts,
  finish?: (result: ChatResult) => Steps<R>,
): Steps<R> {
  const { user, chat } = sides
  const { message, maxTurns = null, clearHistory = false, summaryMethod, journal } = options
  const { maxMessages, silent, conversation } = options
  const chatOptions = {
    message,
    maxTurns,
    maxMessages,
    silent,
    clearHistory,
    journal,
    conversation,
    ...(summaryMethod !== undefined && { summaryMethod }),
  }
  // Comes first: a chat that is refused must not replace the functions of the run under way.
  const isApart = mustKeepApart(chat, chatOptions)
  const tell = chat.scope.events.isSilent ? () => {} : warn
  for (const tool of tools) {
    warnOfTimeout(stateOf(user), tool)
    addFunctions(stateOf(user), { [tool.name]: sharedMappedTool(tool) }, tell)
  }
  const isStateless = isApart && options.style !== 'ag2'
  if (isStateless && journal instanceof ChatJournal) refuseLostTools(sides, journal)
  return yield* holdChat(chat, chatOptions, { isApart, earlier, isStateless }, finish)
}

/** Refuses to go on without a tool that a decision was asked on: its call would end as one of an unknown function. */
function refuseLostTools({ agent, user }: RunSides, journal: ChatJournal): void {
  for (const { agent: actor, action } of askedIn(journal)) {
    if (action.type !== 'toolCall' || actor !== agent.name) continue
    if (functionFor(stateOf(user), agent, action.name)) continue
    throw new XError(
      'invalid-state',
      `cannot go on with this journal: a decision on a call of \`${action.name}\` is in it, and \`${actor}\` has no such tool; give the agent, or this run, the tools that it had`,
      { details: { name: action.name } },
    )
  }
}

/** Returns the executor of an agent's runs: one agent for all of them, or a new one for a run with its own conversation. */
function executorOf(agent: Agent, { executorKwargs = {}, userInput, conversation, style }: RunRequest): Agent {
  const state = stateOf(agent)
  const { codeExecution, beforeCodeExecution, beforeToolCall } = state
  const createExecutor = (): Agent =>
    state.settings.createAgent({
      isTerminationMsg: style === 'ag2' ? containsTerminate : endsRun,
      io: state.io,
      silent: state.silent,
      ...(state.logger && { logger: state.logger }),
      ...(beforeToolCall && { beforeToolCall }),
      // Who is asked executes nothing that it says itself.
      ...(style !== 'ag2' && codeExecution && { codeExecutionConfig: codeExecution, beforeCodeExecution }),
      ...executorKwargs,
      name: USER_NAME,
      humanInputMode: userInput ? 'ALWAYS' : 'NEVER',
    })
  return conversation === 'own' ? createExecutor() : (state.runExecutor ??= createExecutor())
}

/** True if the termination word stands anywhere in the text of a message. */
const containsTerminate = ({ content }: ChatMessage): boolean =>
  typeof content === 'string' && content.includes(TERMINATION_WORD)

/** Words beside calls end no run: the calls would stay open. */
const endsRun = (message: ChatMessage): boolean => containsTerminate(message) && !hasCalls(message)

/** The two sides of a `run`. */
interface RunSides {
  readonly agent: Agent
  /** The agent that stands for the user. */
  readonly user: Agent
  /** The chat of the run. */
  readonly chat: OpenChat
}

/**
 * Ends a `run` once the agent has given enough answers in a row without a call and the user's side has no reply to the last
 * one: one answer, or in the style of the reference two where there are no tools. There a person is asked as long as there are
 * answers.
 */
function watchIdleAnswers({ agent, user, chat }: RunSides, options: RunRequest, tools: readonly Tool[]): AnswerWatch {
  const state = stateOf(user)
  const isOfReference = options.style === 'ag2'
  const maxIdle = !isOfReference || tools.length > 0 || stateOf(agent).ownTools ? 1 : 2
  const isEmpty = options.clearHistory || options.conversation === 'own'
  const before = isEmpty ? 0 : openConversation(state, agent, chat).messages.length
  // The message with which the agent opens the chat is not an answer: the number of messages behind it.
  const opening = options.msgTo === 'user' ? before + 1 : -1
  // eslint-disable-next-line require-yield -- steps that wait for nothing
  function* isAnswer(messages: readonly ChatMessage[]): Steps<boolean> {
    const last = messages.at(-1)
    if (!last || hasCalls(last)) return false
    // Behind the results of its calls, an agent that has used up its replies has not answered: its own reason stands.
    if (openConversation(stateOf(agent), user, chat).ended === null) {
      openConversation(state, agent, chat).ended = 'answered'
    }
    return true
  }
  let inRow = 0
  let next = 0
  return {
    agent,
    user,
    tools: newToolSchemas(stateOf(agent), tools),
    answerSchema: undefined,
    endsByItself: !isOfReference,
    // A side that would say nothing is not asked.
    isLast: isOfReference || canAnswer(state, { calls: false }) ? null : isAnswer,
    replyByDefault(reply) {
      if (!saysNothing(reply) || (isOfReference && state.humanInputMode !== 'NEVER')) return reply
      const conversation = openConversation(state, agent, chat)
      const count = conversation.messages.length
      inRow = count === opening ? 0 : count === next ? inRow + 1 : 1
      next = count + 2
      if (inRow < maxIdle) return reply
      conversation.ended = 'answered'
      return null
    },
  }
}

/** Ends a `run` at the first answer that fits the schema, and sends other answers back. */
function watchResult(
  { agent, user, chat }: RunSides,
  judge: ResultJudge,
  {
    schema,
    options,
    tools,
  }: { readonly schema: JsonSchema; readonly options: RunRequest; readonly tools: readonly Tool[] },
): AnswerWatch {
  return {
    agent,
    user,
    tools: newToolSchemas(stateOf(agent), tools),
    answerSchema: hasForm(schema) ? schema : undefined,
    endsByItself: options.style !== 'ag2',
    *isLast(messages) {
      const last = messages.at(-1)
      if (!last || hasCalls(last) || !(yield* judge.fits(last))) return false
      openConversation(stateOf(user), agent, chat).ended = 'result'
      return true
    },
    replyByDefault: () => judge.takeRepair(),
  }
}

/** Tells whether the answers of a schema have parts: a text or a number needs no form. */
const hasForm = ({ type, ...rest }: JsonSchema): boolean =>
  type === 'object' || type === 'array' || ['anyOf', 'oneOf', 'allOf', '$ref'].some((key) => rest[key] !== undefined)

/**
 * Reads the result from the last answer of a run that has ended. An answer that does not fit is sent back while attempts
 * are left; then the run fails with `invalid-result`.
 */
function* untilResult<P extends Parameters>(
  { agent, user, chat }: RunSides,
  judge: ResultJudge<P>,
  silent?: boolean | null,
): Steps<OutputOf<P>> {
  const state = stateOf(user)
  for (;;) {
    const conversation = openConversation(state, agent, chat)
    const { messages, saidLast } = conversation
    const newest = messages.at(-1)
    const isOpen = !saidLast && newest !== undefined && hasCalls(newest)
    const answer = messages.findLast(({ name }) => name === agent.name)
    if (!isOpen && answer && (yield* judge.fits(answer))) return judge.value
    const repair = judge.takeRepair()
    // Providers refuse a message that follows calls without an answer.
    const reply = repair !== null && isOpen ? yield* generateReply(state, { sender: agent }) : repair
    if (reply === null) throw judge.failure(agent.name)
    // One question, one answer: the user's side must not reply by itself.
    conversation.replyAtReceive = false
    yield* send(user, reply, agent, { requestReply: true, silent })
  }
}
