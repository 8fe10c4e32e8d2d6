import { face, type Steps } from '@x/kernel'
import { leaf } from './leaf.steps.ts'
import type { Conversation, State } from './state.ts'

/** Asks a human, and keeps what was typed with the agent and with the conversation it was typed in. */
export function* humanInput(state: State, prompt: string, conversation?: Conversation): Steps<string> {
  const blocking = (yield* face()).face === 'sync'
  const agent = state.agent.name
  const typed = yield* leaf(state, 'the human input', ({ signal }) =>
    state.io.input(prompt, { agent, signal, blocking }),
  )
  state.humanInput.push(typed)
  conversation?.humanInput.push(typed)
  return typed
}
