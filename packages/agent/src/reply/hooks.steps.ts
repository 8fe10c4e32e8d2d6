import type { Agent, ChatMessage, Reply } from '@x/interfaces'
import { currentRun, wait, type Steps } from '@x/kernel'
import { partRun } from '@x/kernel/run'
import { CONTENT, MESSAGES, SAID } from '../durability/saved-shapes.ts'
import { isSilent, type State } from '../memory/state.ts'
import { applyHooks } from '../run/hook-point.steps.ts'
import { contextOf } from '../run/open-call.ts'
import { scopeIn } from '../run/scope.ts'

/** Lets every `updateAgentState` hook change the agent, in order of registration; a resumed chat asks them again. */
export function* updateAgentState(state: State, messages: readonly ChatMessage[]): Steps<void> {
  const { agent } = state
  const run = yield* currentRun()
  for (const hook of state.hooks.updateAgentState) {
    const scope = scopeIn(run)
    const inner = scope.inner({ place: scope.upcomingPlace, agent })
    const part = partRun(run, { scope: inner })
    try {
      yield* wait(hook(agent as never, messages, contextOf(part.run)), hook.name || 'an `updateAgentState` hook')
    } finally {
      part.end()
    }
    if (inner.counts.next > 0) scope.nextPlace()
  }
}

/** Lets every hook change the whole list of messages; the stored history stays. */
export function* processAllMessages(state: State, messages: readonly ChatMessage[]): Steps<readonly ChatMessage[]> {
  // A caller may have none, as in the Python library.
  if (!messages) return messages
  return yield* applyHooks(
    {
      name: 'processAllMessagesBeforeReply',
      agent: state.agent,
      hooks: state.hooks.processAllMessagesBeforeReply,
      shape: MESSAGES,
      call: (hook, given: readonly ChatMessage[], context) => hook([...given], context),
    },
    messages,
  )
}

/** Lets every hook change the content of the last message, in a copy; calls, contexts and `exit` are left as they are. */
export function* processLastReceived<M extends readonly ChatMessage[] | null>(state: State, messages: M): Steps<M> {
  const last = messages?.at(-1)
  if (!last || 'function_call' in last || 'context' in last) return messages
  const { content } = last
  if (typeof content !== 'string' && !Array.isArray(content)) return messages
  if (content === 'exit') return messages
  const processed = yield* applyHooks(
    {
      name: 'processLastReceivedMessage',
      agent: state.agent,
      hooks: state.hooks.processLastReceivedMessage,
      shape: CONTENT,
      call: (hook, given: ChatMessage['content'], context) => hook(given as string, context),
    },
    content,
  )
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
  const { agent: sender } = state
  return yield* applyHooks(
    {
      name: 'processMessageBeforeSend',
      agent: sender,
      hooks: state.hooks.processMessageBeforeSend,
      shape: SAID,
      call: (hook, message: Reply, { run, signal, emit }) =>
        hook({ sender, message, recipient, silent: isSilent(state, silent), run, signal, emit }),
    },
    reply,
  )
}
