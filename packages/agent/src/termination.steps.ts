import type { Agent, ChatMessage, ReplyOutcome, TerminationReason, ToolResponse } from '@x/interfaces'
import { face, type Steps } from '@x/kernel'
import { humanInput } from './human-input.steps.ts'
import { conversationWith, type Conversation, type State } from './state.ts'

const INTERRUPTED = 'USER INTERRUPTED'

/** Ends the chat, hands the human's answer on, or lets the next functions answer (spec, rule 5). */
export function* checkTerminationAndHumanReply(
  state: State,
  messages: readonly ChatMessage[] | null | undefined,
  sender: Agent | null,
): Steps<ReplyOutcome> {
  const given = messages ?? (sender ? conversationWith(state, sender).messages : [])
  const run = yield* face()
  // The spec's async twin goes on with an empty message where the other returns.
  if (given.length === 0 && run.face === 'sync') return [false, null]
  const message = given.at(-1) ?? {}
  const conversation = conversationWith(state, sender)
  const { reply, asked, reason } = yield* decided(state, conversation, message)
  if (asked && asked.empty) {
    yield {
      type: 'terminationAndHumanReply',
      noHumanInputMsg: 'NO HUMAN INPUT RECEIVED.',
      sender: sender?.name ?? null,
      recipient: state.agent.name,
    }
  }
  if (reply === 'exit') {
    conversation.autoReplies = 0
    conversation.ended = reason
    return [true, null]
  }
  if (reply || conversation.maxAutoReplies === 0) {
    conversation.autoReplies = 0
    const responses = interrupted(message)
    return [true, { role: 'user', content: reply, ...(responses.length > 0 && { tool_responses: responses }) }]
  }
  conversation.autoReplies++
  if (state.humanInputMode !== 'NEVER') {
    yield {
      type: 'usingAutoReply',
      humanInputMode: state.humanInputMode,
      sender: sender?.name ?? null,
      recipient: state.agent.name,
    }
  }
  return [false, null]
}

interface Decision {
  readonly reply: string
  readonly asked?: { readonly empty: boolean }
  readonly reason: TerminationReason
}

/** What the mode, the counter and the human say; `exit` ends the chat. */
function* decided(state: State, conversation: Conversation, message: ChatMessage): Steps<Decision> {
  const mode = state.humanInputMode
  const exhausted = conversation.autoReplies >= conversation.maxAutoReplies
  const terminal = state.isTerminationMsg(message)
  const ownReason = exhausted && mode !== 'ALWAYS' ? 'max-consecutive-auto-reply' : 'termination-message'
  if (mode !== 'ALWAYS' && !exhausted && !terminal) return { reply: '', reason: ownReason }
  if (mode === 'NEVER') return { reply: 'exit', reason: ownReason }
  const typed = yield* humanInput(state, question(state, conversation, terminal), conversation)
  const reply = typed || !terminal ? typed : 'exit'
  return { reply, asked: { empty: !typed }, reason: typed ? 'human-exit' : 'termination-message' }
}

function question({ agent, humanInputMode }: State, { counterpart }: Conversation, terminal: boolean): string {
  const other = counterpart?.name ?? 'the sender'
  const empty =
    terminal && humanInputMode !== 'ALWAYS' ? 'an empty line ends the chat' : 'an empty line lets it answer itself'
  return `${agent.name} has a message of ${other}. Your reply (${empty}, \`exit\` ends the chat): `
}

/** What a model is told of calls that the human's answer came before. */
function interrupted({ function_call: call, tool_calls: calls }: ChatMessage): ToolResponse[] {
  const responses: ToolResponse[] = (calls ?? []).map(({ id }) => ({
    role: 'tool',
    tool_call_id: id ?? '',
    content: INTERRUPTED,
  }))
  return call ? [{ role: 'function', name: call.name, content: INTERRUPTED }, ...responses] : responses
}
