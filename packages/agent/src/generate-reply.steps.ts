import type { Agent, ChatMessage, Reply, ReplyInput, ReplyOutcome } from '@x/interfaces'
import { face, XError, type Steps } from '@x/kernel'
import { processAllMessages, processLastReceived, updateAgentState } from './hooks.steps.ts'
import { leaf } from './leaf.steps.ts'
import { isSame, replyName, type Entry } from './reply-list.ts'
import { conversationWith, stateOf, type State } from './state.ts'
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
  for (const place of state.replies) {
    if (!place || exclude.some((each) => isSame(each, place.replyFunc))) continue
    if (run.face === 'sync' && place.async) continue
    if (!place.matches(sender)) continue
    const input = { messages: seen, sender, config: place.config as never, signal: run.signal, emit: run.emit }
    const [final, reply] = hasNothingToSay(place, input) ? PASSED_ON : yield* asked(state, place, input)
    log(state, place, final, reply)
    if (final) return reply
  }
  return state.defaultAutoReply
}

const PASSED_ON: ReplyOutcome = [false, null]

const hasNothingToSay = ({ replyFunc }: Entry, input: ReplyInput): boolean =>
  isStepsReply(replyFunc) && replyFunc.applies?.(input) === false

const hasHooks = ({ hooks }: State): boolean =>
  hooks.updateAgentState.length > 0 ||
  hooks.processLastReceivedMessage.length > 0 ||
  hooks.processAllMessagesBeforeReply.length > 0

/** The messages as the hooks leave them. */
function* hooked(state: State, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  yield* updateAgentState(state, messages)
  return yield* processAllMessages(state, yield* processLastReceived(state, messages))
}

function* asked({ agent }: State, { replyFunc }: Entry, input: ReplyInput<never>): Steps<ReplyOutcome> {
  if (isStepsReply(replyFunc)) return yield* replyFunc.steps(agent, input)
  const name = replyName(replyFunc)
  const outcome = yield* leaf(stateOf(agent), name, ({ signal, emit }) =>
    replyFunc(agent as never, { ...input, signal, emit }),
  )
  if (Array.isArray(outcome) && typeof outcome[0] === 'boolean') return outcome
  throw new XError(
    'invalid-argument',
    `the reply function \`${name}\` of \`${agent.name}\` gave no outcome: return \`[final, reply]\`, such as \`[false, null]\``,
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
