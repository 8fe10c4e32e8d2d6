import type { MaybePromise, Run } from '@x/interfaces'
import { face, type Steps } from '@x/kernel'
import { leaf } from '../resume/leaf.steps.ts'
import { TYPED } from '../resume/saved-shapes.ts'
import type { Conversation, State } from '../state/state.ts'

/** Asks a human, and keeps what was typed with the agent and with the conversation it was typed in. */
export function* humanInput(state: State, prompt: string, conversation?: Conversation): Steps<string> {
  const blocking = (yield* face()).face === 'sync'
  const agent = state.agent.name
  const ask = ({ signal }: Run): MaybePromise<string> => state.io.input(prompt, { agent, signal, blocking })
  const typed = yield* leaf(state, 'the human input', ask, TYPED)
  state.humanInput.push(typed)
  conversation?.humanInput.push(typed)
  return typed
}
