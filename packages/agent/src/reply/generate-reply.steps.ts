import type {
  Agent,
  ChatMessage,
  MaybePromise,
  Reply,
  ReplyFunction,
  ReplyInput,
  ReplyOutcome,
  Run,
} from '@x/interfaces'
import { face, XError, type Steps } from '@x/kernel'
import { processAllMessages, processLastReceived, updateAgentState } from './hooks.steps.ts'
import { leaf } from '../resume/leaf.steps.ts'
import { isSame, replyName, type Entry } from './reply-list.ts'
import { OUTCOME } from '../resume/saved-shapes.ts'
import { conversationWith, type State } from '../state/state.ts'
import { isStepsReply } from './steps-reply.ts'

/** What a reply is generated from. */
export interface ReplyWishes {
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
  /** Reply functions to leave out. */
  readonly exclude?: readonly object[] | undefined
}

/** Asks the reply functions in order until one has the last word (spec, generate_reply). */
export function* generateReply(
  state: State,
  { messages, sender = null, exclude = [] }: ReplyWishes,
): Steps<Reply | null> {
  if (!messages && !sender) {
    throw new XError(
      'invalid-argument',
      `\`${state.agent.name}\` was asked for a reply to nothing: give \`messages\`, a \`sender\`, or both`,
    )
  }
  const given = messages ?? conversationWith(state, sender).messages
  const seen = hasHooks(state) ? yield* hooked(state, given) : given
  const run = yield* face()
  const plain = { messages: seen, sender, config: null as never, signal: run.signal, emit: run.emit }
  for (const place of state.replies) {
    if (!place || isAmong(exclude, place)) continue
    if (run.face === 'sync' && place.async) continue
    if (!place.matches(sender)) continue
    const { replyFunc, config } = place
    const input = config === null ? plain : { ...plain, config: config as never }
    let outcome: ReplyOutcome
    if (!isStepsReply(replyFunc)) outcome = yield* asked(state, replyFunc, input)
    else if (replyFunc.applies?.(input, state.agent) === false) outcome = PASSED_ON
    else outcome = yield* replyFunc.steps(state.agent, input)
    const [final, reply] = outcome
    log(state, place, final, reply)
    if (final) return reply
  }
  return state.defaultAutoReply
}

const isAmong = (exclude: readonly object[], { replyFunc }: Entry): boolean =>
  exclude.some((each) => isSame(each, replyFunc))

const PASSED_ON: ReplyOutcome = [false, null]

const hasHooks = ({ hooks }: State): boolean =>
  hooks.updateAgentState.length > 0 ||
  hooks.processLastReceivedMessage.length > 0 ||
  hooks.processAllMessagesBeforeReply.length > 0

/** The messages as the hooks leave them. */
function* hooked(state: State, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  yield* updateAgentState(state, messages)
  return yield* processAllMessages(state, yield* processLastReceived(state, messages))
}

function* asked(state: State, replyFunc: ReplyFunction<never, never>, input: ReplyInput<never>): Steps<ReplyOutcome> {
  const name = replyName(replyFunc)
  const ask = ({ signal, emit }: Run): MaybePromise<ReplyOutcome> =>
    replyFunc(state.agent as never, { ...input, signal, emit })
  const outcome = yield* leaf(state, name, ask, OUTCOME)
  if (Array.isArray(outcome) && typeof outcome[0] === 'boolean') return outcome
  throw new XError(
    'invalid-argument',
    `the reply function \`${name}\` of \`${state.name}\` gave no outcome: return \`[final, reply]\`, such as \`[false, null]\``,
  )
}

function log({ agent, logger }: State, { replyFunc }: Entry, final: boolean, reply: Reply | null): void {
  logger?.log({
    record: 'replyFuncExecuted',
    source: agent.name,
    replyFuncModule: isStepsReply(replyFunc) ? '@x/agent' : '',
    replyFuncName: replyName(replyFunc),
    final,
    reply,
  })
}
