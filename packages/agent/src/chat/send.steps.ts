import type { Reply, Run } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { storedMessage } from '../data/message.ts'
import { addMessage, type Side, type State } from '../memory/state.ts'
import { processBeforeSend } from '../reply/hooks.steps.ts'
import { scopeIn } from '../run/scope.ts'

/** Sends a message: asks the hooks of the sender, and adds the result to the sender's conversation. Returns the message as sent. */
export function* sendMessage(from: Side, message: Reply, silent: boolean | null | undefined, run: Run): Steps<Reply> {
  if (!hasSendHooks(from.state, run)) return appendSent(from, message)
  return appendSent(from, yield* processBeforeSend(from.state, message, from.peer.state.agent, silent))
}

/** Adds a message to the conversation of its sender; the caller has asked the hooks, or there are none. */
export function appendSent(from: Side, message: Reply): Reply {
  addMessage(from.conversation, storedMessage(message, 'assistant', from.state.name), true)
  return message
}

/** True if a message passes the hooks of its sender: the agent has some, or a journal may have an earlier result. */
export const hasSendHooks = ({ hooks }: State, run: Run): boolean =>
  hooks.processMessageBeforeSend.length > 0 || scopeIn(run).isRecorded
