import { face, wait, type Steps } from '@x/kernel'
import type { Conversation, State } from './state.ts'

/** Asks a human, and keeps what was typed with the agent and with the conversation it was typed in. */
export function* humanInput(state: State, prompt: string, conversation?: Conversation): Steps<string> {
  const { face: asked, signal } = yield* face()
  const options = { agent: state.agent.name, signal, blocking: asked === 'sync' }
  const typed = yield* wait(state.io.input(prompt, options), 'the human input')
  state.humanInput.push(typed)
  conversation?.humanInput.push(typed)
  return typed
}
