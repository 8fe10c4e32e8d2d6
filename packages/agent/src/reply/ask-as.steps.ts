import type { Agent, ChatMessage, JsonSchema, Model, Reply } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { stateOf } from '../memory/state.ts'
import { askModelHere, unrolled } from './model-reply.steps.ts'

/** A question that an agent asks a model under another name. */
interface NamedQuestion {
  /** Name of who asks, in events and in the log. */
  readonly name: string
  readonly model: Model
  readonly messages: readonly ChatMessage[]
  /** Shape that the answer should have, for models that can be told. */
  readonly answerSchema?: JsonSchema | undefined
}

/**
 * Asks a model for an agent under another name: a journal keeps the answer, the budget of the run pays for it, and what it
 * uses counts as the agent's. The cache of the chat is not asked. Gives null when the model said nothing.
 */
export function* askAs(agent: Agent, { name, model, messages, answerSchema }: NamedQuestion): Steps<Reply | null> {
  const owner = stateOf(agent)
  // The context of the last message is for its reader alone.
  const seen = messages.flatMap(unrolled)
  return yield* askModelHere({ ...owner, name }, model, { seen, last: undefined, answerSchema, owner }, null)
}
