import type { Agent } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Refuses a chat of two agents of one name: their messages could not be told apart. An agent may talk to itself. */
export function refuseHomonyms(one: Agent, other: Agent | undefined): void {
  if (one === other || one.name !== other?.name) return
  throw new XError(
    'invalid-argument',
    `cannot begin a chat of \`${one.name}\`: the other agent is named \`${one.name}\` too, and their messages could not be told apart; rename one of them`,
    { details: { name: one.name } },
  )
}
