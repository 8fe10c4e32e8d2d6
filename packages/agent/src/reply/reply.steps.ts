import type {
  Agent,
  ChatMessage,
  Reply,
  ReplyFunction,
  ReplyInput,
  ReplyOutcome,
  Run,
  SharedVariables,
} from '@x/interfaces'
import { currentRun, type Steps, XError } from '@x/kernel'
import { OUTCOME_SHAPE } from '../durability/saved-shapes.ts'
import { hasContent } from '../data/message.ts'
import { type AnswerWatch, type Conversation, openConversation, type ReplyEntry, type State } from '../memory/state.ts'
import { type AddedToReply, isStepsReply, type ReplyAdditions, type ReplyRequest } from '../options/operations.ts'
import { externalCall, variablesIn } from '../run/external-call.steps.ts'
import { inScope, type Scope, scopeIn } from '../run/scope.ts'
import { withSilence, withSpan } from '../run/within.steps.ts'
import { passUnchanged, processAllMessages, processLastReceived, updateAgentState } from './hooks.steps.ts'
import { isSame, PASS_ON, replyName } from './reply-list.ts'

/** Asks the reply functions in order until one returns a final reply. */
export function* generateReply(state: State, request: ReplyRequest): Steps<Reply | null> {
  return yield* replyInRun(state, request, yield* currentRun())
}

/** Generates a reply with additions that hold for this reply alone. */
export function* generateReplyWith(
  state: State,
  request: ReplyRequest,
  additions: ReplyAdditions,
): Steps<Reply | null> {
  const added: AddedToReply = { ...additions, agent: state.agent, sender: request.sender ?? null }
  return yield* inScope(scopeIn(yield* currentRun()).inner({ additions: added }), generateReply(state, request))
}

/** Generates a reply in a known run; `isTurn` if it is a turn of the chat under way. */
export function replyInRun(
  state: State,
  { messages, sender = null, exclude = NO_EXCLUSIONS }: ReplyRequest,
  run: Run,
  isTurn = false,
): Steps<Reply | null> {
  if (!messages && !sender) {
    throw new XError(
      'invalid-argument',
      `cannot generate a reply of \`${state.agent.name}\` to nothing: give \`messages\`, a \`sender\`, or both`,
    )
  }
  const scope = scopeIn(run)
  const history = messages ?? openConversation(state, sender, scope.chat).messages
  const question = { messages: history, sender, exclude }
  const { isSilent } = scope.events
  const needsSilence = state.silent && scope.services.prints && !isSilent
  const reply = needsSilence ? withSilence(true, askRepliesInScope(state, question)) : askReplies(state, run, question)
  const number = scope.places.spans++
  const { spans, skipsParts } = scope.services
  if (!spans || (skipsParts !== false && isTurn && isPart(state, skipsParts))) return reply
  const common = { type: 'reply', agent: state.name, sender: sender?.name ?? null } as const
  const span = { id: scope.places.span(number), common, atEnd: replyEnd, resumed: scope.isPast }
  return withSpan(scope, run, span, reply)
}

/** True if the reply of an agent in its turn is not told beside what is inside: those of members are told below that of their manager. */
const isPart = (state: State, skipsParts: true | 'answers'): boolean =>
  !state.managerRole && (skipsParts === true || answersByModel(state))

/** True if an agent replies with what its model answers, or with nothing. */
const answersByModel = (state: State): boolean =>
  state.model !== null &&
  state.humanInputMode === 'NEVER' &&
  !state.codeExecution &&
  !hasHooks(state) &&
  !hasOwnReplies(state)

const replyEnd = (reply: Reply | null | undefined): { reply: Reply | null } => ({ reply: reply ?? null })

const NO_EXCLUSIONS: readonly object[] = []

/** The input of a reply function in steps; `signal` and `emit` are made at their first use. */
class StepsInput implements ReplyInput<never> {
  /** Lives as long as the program, so that V8 keeps its layout and the code compiled for it. */
  static readonly kept: StepsInput = new StepsInput([], null, null as unknown as Run)
  readonly messages: readonly ChatMessage[]
  readonly sender: Agent | null
  readonly run: Run
  readonly config: never

  constructor(messages: readonly ChatMessage[], sender: Agent | null, run: Run, config: unknown = null) {
    this.messages = messages
    this.sender = sender
    this.run = run
    this.config = config as never
  }

  get signal(): AbortSignal | undefined {
    return this.run.signal
  }

  get emit(): Run['emit'] {
    return this.run.emit
  }

  get contextVariables(): SharedVariables | undefined {
    return variablesIn(this.run)
  }
}

/** The messages to reply to, and the reply functions that are not asked. */
interface ReplyQuestion {
  readonly messages: readonly ChatMessage[]
  readonly sender: Agent | null
  readonly exclude: readonly object[]
}

/** Asks the reply functions in the run of the scope around, which has been made silent. */
function* askRepliesInScope(state: State, question: ReplyQuestion): Steps<Reply | null> {
  return yield* askReplies(state, yield* currentRun(), question)
}

/** Asks the reply functions, through the hooks if there may be any. */
function askReplies(state: State, run: Run, question: ReplyQuestion): Steps<Reply | null> {
  const watch = watchIn(run, state, question.sender)
  const scope = scopeIn(run)
  if (watch || hasHooks(state) || scope.recalls || addedTo(run, state, question.sender))
    return askAfterHooks(state, run, question, watch)
  passUnchanged(scope, question.messages)
  return askInOrder(state, run, question, undefined)
}

/** Passes the messages through the hooks, and asks the reply functions unless the watch ends the run. */
function* askAfterHooks(
  state: State,
  run: Run,
  { messages: history, sender, exclude }: ReplyQuestion,
  watch: AnswerWatch | undefined,
): Steps<Reply | null> {
  const added = addedTo(run, state, sender)
  const scope = scopeIn(run)
  const hooked =
    hasHooks(state) || scope.recalls ? yield* hookedMessages(state, history) : passUnchanged(scope, history)
  const messages = added?.sees ? added.sees(hooked) : hooked
  if (added?.begin) {
    const [final, reply] = yield* added.begin(messages)
    if (final) return reply
  }
  if (watch?.isLast && (yield* watch.isLast(messages))) return null
  return yield* askInOrder(state, run, { messages, sender, exclude }, watch)
}

/**
 * Asks the reply functions in order. Has few `yield*` expressions on purpose: each enlarges the generator, and every reply
 * makes one.
 */
function* askInOrder(
  state: State,
  run: Run,
  { messages, sender, exclude }: ReplyQuestion,
  watch: AnswerWatch | undefined,
): Steps<Reply | null> {
  const plain = new StepsInput(messages, sender, run)
  const { replies, settings } = state
  for (let index = 0; index < replies.length; index++) {
    const entry = replies[index]
    if (!entry || !isAsked(entry, run, sender, exclude)) continue
    const asked = askEntry(state, entry, plain)
    const outcome = isOutcome(asked) ? asked : yield* asked
    logOutcome(state, entry, scopeIn(run), outcome)
    if (outcome[0]) return outcome[1]
  }
  const reply = watch ? watch.replyByDefault(settings.defaultAutoReply) : settings.defaultAutoReply
  if (reply !== null && saysNothing(reply))
    yield* warnOfEmptyReplies(state, openConversation(state, sender, scopeIn(run).chat))
  return reply
}

/** True if a reply function is asked: not excluded, fit for this form of the call, and triggered by the sender. */
const isAsked = (entry: ReplyEntry, run: Run, sender: Agent | null, exclude: readonly object[]): boolean =>
  !(exclude.length > 0 && isAmong(exclude, entry)) && !(run.face === 'sync' && entry.async) && entry.matches(sender)

/** Asks a reply function: gives its outcome if it is known at once, or else its steps. */
function askEntry(
  state: State,
  { replyFunc, config }: ReplyEntry,
  plain: StepsInput,
): ReplyOutcome | Steps<ReplyOutcome> {
  const input = config === null ? plain : new StepsInput(plain.messages, plain.sender, plain.run, config)
  if (!isStepsReply(replyFunc)) return callReplyFunction(state, replyFunc, input)
  const { agent } = state
  if (replyFunc.applies?.(input, agent) === false) return PASS_ON
  return replyFunc.atOnce?.(agent, input) ?? replyFunc.steps(agent, input)
}

const isOutcome = (asked: ReplyOutcome | Steps<ReplyOutcome>): asked is ReplyOutcome => Array.isArray(asked)

/** Returns the watch of a `run` if the agent is the executor and the sender is the agent that answers. */
function watchIn(run: Run, { agent }: State, sender: Agent | null): AnswerWatch | undefined {
  const watch = scopeIn(run).chat?.watch
  return watch && watch.user === agent && watch.agent === sender ? watch : undefined
}

const isAmong = (exclude: readonly object[], { replyFunc }: ReplyEntry): boolean =>
  exclude.some((excluded) => isSame(excluded, replyFunc))

const hasHooks = ({ hooks }: State): boolean =>
  hooks.updateAgentState.length > 0 ||
  hooks.processLastReceivedMessage.length > 0 ||
  hooks.processAllMessagesBeforeReply.length > 0

/** Returns the messages after all hooks. */
function* hookedMessages(state: State, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  yield* updateAgentState(state, messages)
  return yield* processAllMessages(state, yield* processLastReceived(state, messages))
}

/** Calls a reply function of the program, which is not written in steps. */
function* callReplyFunction(
  state: State,
  replyFunc: ReplyFunction<never, never>,
  input: ReplyInput<never>,
): Steps<ReplyOutcome> {
  const name = replyName(replyFunc)
  const { messages, sender, config } = input
  const outcome = yield* externalCall(
    {
      kind: 'reply',
      label: name,
      shape: OUTCOME_SHAPE,
      agent: state.agent,
      asks: () => ({ function: name, messages, sender: sender?.name ?? null }),
    },
    ({ run, signal, emit, contextVariables }) =>
      replyFunc(state.agent as never, { messages, sender, config, run, signal, emit, contextVariables }),
  )
  return checkedOutcome(outcome, name, state.agent)
}

/** Returns the outcome of a function of the program, with null for a reply that it left out; anything else is refused. */
export function checkedOutcome(outcome: ReplyOutcome, name: string, agent: Agent): ReplyOutcome {
  if (Array.isArray(outcome) && typeof outcome[0] === 'boolean') {
    return (outcome[1] as Reply | null | undefined) === undefined ? [outcome[0], null] : outcome
  }
  throw new XError(
    'invalid-argument',
    `the reply function \`${name}\` of \`${agent.name}\` returned ${JSON.stringify(outcome) ?? 'nothing'}, which is not an outcome: return \`[final, reply]\`, such as \`[false, null]\``,
  )
}

function logOutcome(
  { agent, logger }: State,
  { replyFunc }: ReplyEntry,
  { trace, spanId }: Scope,
  outcome: ReplyOutcome,
): void {
  if (!logger) return
  const [final, reply] = outcome
  const traceparent = trace?.contextOf(spanId)?.traceparent
  logger.log({
    record: 'replyFuncExecuted',
    source: agent.name,
    replyFuncModule: isStepsReply(replyFunc) ? '@x/agent' : '',
    replyFuncName: replyName(replyFunc),
    final,
    reply,
    ...(traceparent !== undefined && { traceparent }),
  })
}

/** True for an empty reply: no text and no call. */
export const saysNothing = (reply: Reply): boolean =>
  typeof reply === 'string' ? reply === '' : !hasContent(reply) && !reply.tool_calls && !reply.function_call

/** Warns before the second empty automatic reply in a row, and not before further ones. */
function* warnOfEmptyReplies(state: State, { counterpart: sender, messages }: Conversation): Steps<void> {
  const [before, last] = [messages.at(-4), messages.at(-2)]
  if (!isEmptyReply(last) || isEmptyReply(before)) return
  const other = sender ? `\`${sender.name}\`` : 'nobody'
  const text = `\`${state.name}\` has nothing to say to ${other} for the second time in a row and goes on with empty messages, each of which may cost a call of a model: end the chat by \`isTerminationMsg\` or \`maxTurns\`, or set \`defaultAutoReply\``
  yield { type: 'warning', agent: state.name, topic: 'empty-auto-reply', text }
}

const isEmptyReply = (message: ChatMessage | undefined): boolean =>
  message?.role === 'assistant' && saysNothing(message)

/** Returns the additions to the reply of an agent to a sender; undefined for any other reply. */
export function addedTo(run: Run, { agent }: State, sender: Agent | null): AddedToReply | undefined {
  const { additions: added } = scopeIn(run)
  return added && added.agent === agent && added.sender === sender ? added : undefined
}

/** True if an agent has a reply function that is not built in, or a built-in one with a config of its own. */
export const hasOwnReplies = ({ replies }: Pick<State, 'replies'>): boolean =>
  replies.some(
    (entry) =>
      entry !== null && (entry.config !== null || !('isBuiltIn' in entry.replyFunc && entry.replyFunc.isBuiltIn)),
  )

/**
 * True if an agent has something to reply with: a model, a person, code, members, a hook or a reply of its own, and where it
 * may get `calls`, functions.
 */
export function canAnswer(state: State, { calls }: { readonly calls: boolean }): boolean {
  const { model, humanInputMode, choosesHumanInputMode, codeExecution, functionMap, managerRole, hooks, settings } =
    state
  return (
    Boolean(model ?? codeExecution ?? managerRole) ||
    (calls && functionMap !== undefined) ||
    (choosesHumanInputMode && humanInputMode !== 'NEVER') ||
    !saysNothing(settings.defaultAutoReply) ||
    hooks.processMessageBeforeSend.length > 0 ||
    hasOwnReplies(state)
  )
}
