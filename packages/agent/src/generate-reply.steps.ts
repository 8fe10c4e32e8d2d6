import type { Agent, ChatMessage, Reply, ReplyOutcome } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import { processAllMessages, processLastReceived, updateAgentState } from './hooks.steps.ts'
import { isSame, replyName, type Entry } from './reply-list.ts'
import { conversationWith, type State } from './state.ts'
import { isStepsReply } from './steps-reply.ts'
import { matches } from './trigger.ts'

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
  yield* updateAgentState(state, given)
  const seen = yield* processAllMessages(state, yield* processLastReceived(state, given))
  const run = yield* face()
  for (const place of state.replies) {
    if (!place || exclude.some((each) => isSame(each, place.replyFunc))) continue
    if (run.face === 'sync' && place.async) continue
    if (!matches(place.trigger, sender)) continue
    const [final, reply] = yield* asked(state, place, seen, sender)
    log(state, place, final, reply)
    if (final) return reply
  }
  return state.defaultAutoReply
}

function* asked(
  { agent }: State,
  { replyFunc, config }: Entry,
  messages: readonly ChatMessage[],
  sender: Agent | null,
): Steps<ReplyOutcome> {
  const { signal, emit } = yield* face()
  const input = { messages, sender, config: config as never, signal, emit }
  const name = replyName(replyFunc)
  const outcome = isStepsReply(replyFunc)
    ? yield* replyFunc.steps(agent, input)
    : yield* wait(replyFunc(agent as never, input), name)
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
