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
import { type AddedToReply, type ReplyAdditions, type ReplyRequest } from '../options/operations.ts'
import { externalCall, variablesIn } from '../run/external-call.steps.ts'
import { inScope, scopeIn } from '../run/scope.ts'
import { withSilence, withSpan } from '../run/within.steps.ts'
import { processAllMessages, processLastReceived, updateAgentState } from './hooks.steps.ts'
import { isSame, replyName } from './reply-list.ts'

/** Asks the reply functions in order until one has the last word. */
export function* generateReply(state: State, request: ReplyRequest): Steps<Reply | null> {
  return yield* replyInRun(state, request, yield* currentRun())
}

/** The same, with what is added to this reply alone. */
export function* generateReplyWith(
  state: State,
  request: ReplyRequest,
  additions: ReplyAdditions,
): Steps<Reply | null> {
  const added: AddedToReply = { ...additions, agent: state.agent, sender: request.sender ?? null }
  return yield* inScope(scopeIn(yield* currentRun()).inner({ additions: added }), generateReply(state, request))
}

/** The same, where the run is known. */
export function replyInRun(
  state: State,
  { messages, sender = null, exclude = NO_EXCLUSIONS }: ReplyRequest,
  run: Run,
): Steps<Reply | null> {
  if (!messages && !sender) {
    throw new XError(
      'invalid-argument',
      `\`${state.agent.name}\` was asked for a reply to nothing: give \`messages\`, a \`sender\`, or both`,
    )
  }
  const scope = scopeIn(run)
  const given = messages ?? openConversation(state, sender, scope.chat).messages
  const asked = { given, sender, exclude }
  const reply = state.silent ? withSilence(true, askInScope(state, asked)) : askReplies(state, run, asked)
  const number = scope.places.spans++
  if (!scope.services.spans) return reply
  const details = { type: 'reply', agent: state.name, sender: sender?.name ?? null } as const
  return withSpan(scope, run, { id: scope.places.span(number), details, resumed: scope.isPast }, reply)
}

const NO_EXCLUSIONS: readonly object[] = []

/** The input of a reply function in steps; its `signal` and `emit` are made when they are asked for. */
class StepsInput implements ReplyInput<never> {
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

interface Asked {
  readonly given: readonly ChatMessage[]
  readonly sender: Agent | null
  readonly exclude: readonly object[]
}

/** Asks the reply functions, in the scope that the steps are run in. */
function* askInScope(state: State, asked: Asked): Steps<Reply | null> {
  return yield* askReplies(state, yield* currentRun(), asked)
}

/** Asks the reply functions. */
function askReplies(state: State, run: Run, asked: Asked): Steps<Reply | null> {
  const watch = watchIn(run, state, asked.sender)
  return watch || hasHooks(state) || scopeIn(run).isRecorded || addedTo(run, state, asked.sender)
    ? askAfterHooks(state, run, asked, watch)
    : askInOrder(state, run, asked, undefined)
}

/** Asks the reply functions for a reply to the messages as the hooks leave them, unless the watch has had enough. */
function* askAfterHooks(
  state: State,
  run: Run,
  { given, sender, exclude }: Asked,
  watch: AnswerWatch | undefined,
): Steps<Reply | null> {
  const added = addedTo(run, state, sender)
  const hooked = hasHooks(state) || scopeIn(run).isRecorded ? yield* hookedMessages(state, given) : given
  const messages = added?.sees ? added.sees(hooked) : hooked
  if (added?.begin) {
    const [final, reply] = yield* added.begin(messages)
    if (final) return reply
  }
  if (watch?.isLast && (yield* watch.isLast(messages))) return null
  return yield* askInOrder(state, run, { given: messages, sender, exclude }, watch)
}

/**
 * Asks the reply functions in order. Written with few places that take steps: a generator has room for each, and one is
 * made for every reply.
 */
function* askInOrder(
  state: State,
  run: Run,
  { given, sender, exclude }: Asked,
  watch: AnswerWatch | undefined,
): Steps<Reply | null> {
  const plain = new StepsInput(given, sender, run)
  const { replies, settings } = state
  for (let index = 0; index < replies.length; index++) {
    const entry = replies[index]
    if (!entry || !isAsked(entry, run, sender, exclude)) continue
    const steps = stepsOf(state, entry, plain)
    const outcome = steps ? yield* steps : PASS_ON
    log(state, entry, outcome)
    if (outcome[0]) return outcome[1]
  }
  const reply = watch ? watch.replyByDefault(settings.defaultAutoReply) : settings.defaultAutoReply
  if (reply !== null && saysNothing(reply))
    yield* warnOfEmptyReplies(state, openConversation(state, sender, scopeIn(run).chat))
  return reply
}

/** Whether a reply function is asked here. */
const isAsked = (entry: ReplyEntry, run: Run, sender: Agent | null, exclude: readonly object[]): boolean =>
  !(exclude.length > 0 && isAmong(exclude, entry)) && !(run.face === 'sync' && entry.async) && entry.matches(sender)

/** The steps of a reply function; none where it says at once that it has no reply. */
function stepsOf(state: State, { replyFunc, config }: ReplyEntry, plain: StepsInput): Steps<ReplyOutcome> | undefined {
  const input = config === null ? plain : new StepsInput(plain.messages, plain.sender, plain.run, config)
  if (!('steps' in replyFunc)) return askReply(state, replyFunc, input)
  return replyFunc.applies?.(input, state.agent) === false ? undefined : replyFunc.steps(state.agent, input)
}

/** Finds the watch over answers, if the agent stands for the user of a `run` and the sender is the agent that answers. */
function watchIn(run: Run, { agent }: State, sender: Agent | null): AnswerWatch | undefined {
  const watch = scopeIn(run).chat?.watch
  return watch && watch.user === agent && watch.agent === sender ? watch : undefined
}

const isAmong = (exclude: readonly object[], { replyFunc }: ReplyEntry): boolean =>
  exclude.some((each) => isSame(each, replyFunc))

const PASS_ON: ReplyOutcome = [false, null]

const hasHooks = ({ hooks }: State): boolean =>
  hooks.updateAgentState.length > 0 ||
  hooks.processLastReceivedMessage.length > 0 ||
  hooks.processAllMessagesBeforeReply.length > 0

/** The messages as the hooks leave them. */
function* hookedMessages(state: State, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  yield* updateAgentState(state, messages)
  return yield* processAllMessages(state, yield* processLastReceived(state, messages))
}

function* askReply(
  state: State,
  replyFunc: ReplyFunction<never, never>,
  input: ReplyInput<never>,
): Steps<ReplyOutcome> {
  const name = replyName(replyFunc)
  const { messages, sender, config } = input
  const outcome = yield* externalCall(
    { kind: 'reply', label: name, shape: OUTCOME_SHAPE, agent: state.agent },
    ({ run, signal, emit, contextVariables }) =>
      replyFunc(state.agent as never, { messages, sender, config, run, signal, emit, contextVariables }),
  )
  if (Array.isArray(outcome) && typeof outcome[0] === 'boolean') return outcome
  throw new XError(
    'invalid-argument',
    `the reply function \`${name}\` of \`${state.name}\` gave ${JSON.stringify(outcome) ?? 'nothing'} and not an outcome: return \`[final, reply]\`, such as \`[false, null]\``,
  )
}

function log({ agent, logger }: State, { replyFunc }: ReplyEntry, [final, reply]: ReplyOutcome): void {
  if (!logger) return
  logger.log({
    record: 'replyFuncExecuted',
    source: agent.name,
    replyFuncModule: 'steps' in replyFunc ? '@x/agent' : '',
    replyFuncName: replyName(replyFunc),
    final,
    reply,
  })
}

/** Whether a reply is empty: no text and no call. */
export const saysNothing = (reply: Reply): boolean =>
  typeof reply === 'string' ? reply === '' : !hasContent(reply) && !reply.tool_calls && !reply.function_call

/** Warns an agent that is about to send its second empty automatic reply in a row; further ones give no further warning. */
export function* warnOfEmptyReplies(state: State, { counterpart: sender, messages }: Conversation): Steps<void> {
  const [before, last] = [messages.at(-4), messages.at(-2)]
  if (!isEmptyReply(last) || isEmptyReply(before)) return
  const other = sender ? `\`${sender.name}\`` : 'nobody'
  const text = `\`${state.name}\` has nothing to say to ${other} for the second time in a row and goes on with empty messages, each of which may cost a call of a model: end the chat by \`isTerminationMsg\` or \`maxTurns\`, or set \`defaultAutoReply\``
  yield { type: 'warning', agent: state.name, topic: 'empty-auto-reply', text }
}

const isEmptyReply = (own: ChatMessage | undefined): boolean => own?.role === 'assistant' && saysNothing(own)

/** Returns the additions to the reply of an agent to a sender; undefined for any other reply. */
export function addedTo(run: Run, { agent }: State, sender: Agent | null): AddedToReply | undefined {
  const { additions: added } = scopeIn(run)
  return added && added.agent === agent && added.sender === sender ? added : undefined
}
