import type { StepsReply } from '../options/operations.ts'

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
