import type { Agent, ChatMessage, Reply } from '@x/interfaces'
import { wait, type Steps } from '@x/kernel'
import { leaf } from '../resume/leaf.steps.ts'
import { CONTENT, MESSAGES, SAID } from '../resume/saved-shapes.ts'
import { isSilent, type State } from '../state/state.ts'

/** Lets every `updateAgentState` hook change the agent, in order of registration. */
export function* updateAgentState(state: State, messages: readonly ChatMessage[]): Steps<void> {
  for (const hook of state.hooks.updateAgentState) {
    yield* wait(hook(state.agent as never, messages), hook.name || 'an `updateAgentState` hook')
  }
}

/** Lets every hook change the whole list of messages; the stored history stays. */
export function* processAllMessages(state: State, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  let processed = messages
  // A caller may have none, as in the reference.
  if (!messages) return messages
  for (const hook of state.hooks.processAllMessagesBeforeReply) {
    const messages = processed
    processed = yield* leaf(
      state,
      hook.name || 'a `processAllMessagesBeforeReply` hook',
      () => hook([...messages]),
      MESSAGES,
    )
  }
  return processed
}

/** Lets every hook change the content of the last message, in a copy (spec, rule 21, with its eight ways out). */
export function* processLastReceived<M extends readonly ChatMessage[] | null>(state: State, messages: M): Steps<M> {
  const hooks = state.hooks.processLastReceivedMessage
  const last = messages?.at(-1)
  if (hooks.length === 0 || !last) return messages
  if ('function_call' in last || 'context' in last) return messages
  const { content } = last
  if (typeof content !== 'string' && !Array.isArray(content)) return messages
  if (content === 'exit') return messages
  let processed: ChatMessage['content'] = content
  for (const hook of hooks) {
    const before = processed as string
    processed = yield* leaf(state, hook.name || 'a `processLastReceivedMessage` hook', () => hook(before), CONTENT)
  }
  if (processed === content) return messages
  return [...messages!.slice(0, -1), { ...last, content: processed }] as readonly ChatMessage[] as M
}

/** Lets every hook change a message before it is sent. */
export function* processBeforeSend(
  state: State,
  reply: Reply,
  recipient: Agent,
  silent: boolean | null | undefined,
): Steps<Reply> {
  let message = reply
  for (const hook of state.hooks.processMessageBeforeSend) {
    const input = { sender: state.agent, message, recipient, silent: isSilent(state, silent) }
    message = yield* leaf(state, hook.name || 'a `processMessageBeforeSend` hook', () => hook(input), SAID)
  }
  return message
}
