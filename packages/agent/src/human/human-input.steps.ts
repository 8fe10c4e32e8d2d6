import { currentRun, type Steps } from '@x/kernel'
import { TYPED } from '../durability/saved-shapes.ts'
import { conversationOf, type Conversation, type State } from '../memory/state.ts'
import { externalCall } from '../run/external-call.steps.ts'

/** Asks a human, and keeps what was typed with the agent and with the conversation it was typed in. */
export function* humanInput(state: State, prompt: string, conversation?: Conversation): Steps<string> {
  const blocking = (yield* currentRun()).face === 'sync'
  const { agent, io, name } = state
  const typed = yield* externalCall(
    {
      kind: 'human',
      label: 'the human input',
      shape: TYPED,
      agent,
      span: { type: 'humanInput', agent: name },
    },
    ({ signal, run }) => io.input(prompt, { agent: name, signal, blocking, run }),
  )
  // What is typed in a chat with conversations of its own is in its result only.
  if (!conversation || conversationOf(state, conversation.counterpart) === conversation)
    state.humanInput = [...state.humanInput, typed]
  if (conversation) conversation.humanInput = Object.freeze([...conversation.humanInput, typed])
  return typed
}
