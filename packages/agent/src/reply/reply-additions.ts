import type { Agent, Run } from '@x/interfaces'
import type { State } from '../memory/state.ts'
import type { AddedToReply } from '../options/reply-additions.ts'
import { scopeIn } from '../run/scope.ts'

/** Returns the additions to the reply of an agent to a sender; undefined for any other reply. */
export function addedTo(run: Run, { agent }: State, sender: Agent | null): AddedToReply | undefined {
  const { added } = scopeIn(run)
  return added && added.agent === agent && added.sender === sender ? added : undefined
}
