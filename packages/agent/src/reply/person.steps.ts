import type { Agent, ChatMessage, ReplyOutcome, TerminationReason, ToolResponse } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { humanInput } from '../human/ask-human.steps.ts'
import { type Conversation, openConversation, type State } from '../memory/state.ts'
import type { AskedInRun } from '../options/operations.ts'
import { scopeIn } from '../run/scope.ts'
import { PASS_ON } from './reply-list.ts'

const INTERRUPTED_CALL_TEXT = 'USER INTERRUPTED'

/** Ends the chat, replies with the answer of the human, or passes on to the next reply function. */
export function* checkTerminationAndHumanReply(state: State, input: AskedInRun): Steps<ReplyOutcome> {
  if (state.humanInputMode === 'NEVER') return checkTermination(state, input)!
  const { sender } = input
  const conversation = openConversation(state, sender, scopeIn(input.run).chat)
  const message = messageToAnswer(conversation, input)
  if (!message) return PASS_ON
  const check = decide(state, conversation, message, sender)
  const { reply, unanswered, reason } = check.ask ? yield* askToContinue(state, conversation, check) : check
  if (unanswered) {
    yield {
      type: 'terminationAndHumanReply',
      noHumanInputMsg: 'NO HUMAN INPUT RECEIVED.',
      agent: state.name,
      sender: sender?.name ?? null,
      recipient: state.name,
    }
  }
  const outcome = concludeCheck(conversation, message, { reply, reason })
  if (!outcome[0]) {
    yield {
      type: 'usingAutoReply',
      humanInputMode: state.humanInputMode,
      agent: state.name,
      sender: sender?.name ?? null,
      recipient: state.name,
    }
  }
  return outcome
}

/** The same, at once, for an agent that asks no human; undefined for any other. */
export function checkTermination(state: State, input: AskedInRun): ReplyOutcome | undefined {
  if (state.humanInputMode !== 'NEVER') return undefined
  const conversation = openConversation(state, input.sender, scopeIn(input.run).chat)
  const message = messageToAnswer(conversation, input)
  if (!message) return PASS_ON
  return concludeCheck(conversation, message, decide(state, conversation, message, input.sender))
}

/** Returns the message to reply to. As in the Python library, only the blocking form passes on without one; the others check an empty one. */
function messageToAnswer(conversation: Conversation, { messages, sender, run }: AskedInRun): ChatMessage | undefined {
  const history = messages ?? (sender ? conversation.messages : [])
  return history.at(-1) ?? (run.face === 'sync' ? undefined : {})
}

/** Ends the chat, replies with what the human said, or counts an automatic reply and passes on. */
function concludeCheck(
  conversation: Conversation,
  message: ChatMessage,
  { reply, reason }: Pick<TerminationCheck, 'reply' | 'reason'>,
): ReplyOutcome {
  if (reply === 'exit') {
    conversation.autoReplies = 0
    conversation.ended = reason
    return [true, null]
  }
  if (reply || conversation.maxAutoReplies === 0) {
    conversation.autoReplies = 0
    const responses = interruptedResponses(message)
    return [true, { role: 'user', content: reply, ...(responses.length > 0 && { tool_responses: responses }) }]
  }
  conversation.autoReplies++
  return PASS_ON
}

/** Decision about the end of a chat, before or after the human was asked. */
interface TerminationCheck {
  /** True if the human is asked first. */
  readonly ask: boolean
  /** True if the message ends the chat unless the human continues it. */
  readonly terminal: boolean
  /** Answer of the human; `exit` ends the chat, an empty text lets the next reply function answer. */
  readonly reply: string
  /** True if the human was asked and typed nothing. */
  readonly unanswered: boolean
  readonly reason: TerminationReason
}

/** Decides by the human input mode, the counter of auto replies and the message. */
function decide(
  state: State,
  conversation: Conversation,
  message: ChatMessage,
  sender: Agent | null,
): TerminationCheck {
  const mode = state.humanInputMode
  const exhausted = mode !== 'ALWAYS' && conversation.autoReplies >= conversation.maxAutoReplies
  const terminal = state.isTerminationMsg(message, sender)
  const reason = exhausted ? 'max-consecutive-auto-reply' : 'termination-message'
  const ends = exhausted || terminal
  const ask = mode === 'ALWAYS' || (mode === 'TERMINATE' && ends)
  return { ask, terminal, reply: ends && !ask ? 'exit' : '', unanswered: false, reason }
}

/** Asks the human. An empty line after a terminating message ends the chat. */
function* askToContinue(state: State, conversation: Conversation, check: TerminationCheck): Steps<TerminationCheck> {
  const typed = yield* humanInput(state, question(state, conversation, check.terminal), conversation)
  const reply = typed || !check.terminal ? typed : 'exit'
  return { ...check, reply, unanswered: !typed, reason: typed ? 'human-exit' : 'termination-message' }
}

function question({ agent }: State, { counterpart }: Conversation, terminal: boolean): string {
  const other = counterpart?.name ?? 'the sender'
  const empty = terminal ? 'an empty line ends the chat' : 'an empty line lets it answer itself'
  return `${agent.name} has a message of ${other}. Your reply (${empty}, \`exit\` ends the chat): `
}

/** Returns responses to the calls of a message that the human answered in place of the functions. */
function interruptedResponses({ function_call: call, tool_calls: calls }: ChatMessage): ToolResponse[] {
  const responses: ToolResponse[] = (calls ?? []).map(({ id }) => ({
    role: 'tool',
    tool_call_id: id ?? '',
    content: INTERRUPTED_CALL_TEXT,
  }))
  return call ? [{ role: 'function', name: call.name ?? '', content: INTERRUPTED_CALL_TEXT }, ...responses] : responses
}
