import type { ReplyInput, ReplyOutcome } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import type { ConversableAgent } from '../conversable-agent.ts'

/** A reply function that works in every face: it answers in steps. */
export interface StepsReply {
  /** Its name in the log. */
  readonly name: string
  readonly steps: (agent: ConversableAgent, input: ReplyInput) => Steps<ReplyOutcome>
  /** Says at once when it has nothing to say, so that no steps are taken; default: it always has. */
  readonly applies?: ((input: ReplyInput, agent: ConversableAgent) => boolean) | undefined
}

/** Makes a reply function of steps, for packages that bring one in all faces. */
export function stepsReply(
  name: string,
  steps: StepsReply['steps'],
  { applies }: Pick<StepsReply, 'applies'> = {},
): StepsReply {
  return Object.freeze({ name, steps, applies })
}

/** Tells a reply function in steps from a plain one. */
export const isStepsReply = (reply: unknown): reply is StepsReply =>
  typeof reply === 'object' && reply !== null && 'steps' in reply
