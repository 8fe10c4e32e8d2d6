import { XError } from '@x/kernel'
import type { SessionAgents } from './session-agents.ts'
import type { SavedAgents } from './session-store.ts'

/** Returns the states of all agents of a session. */
export const savedAgents = ({ user, assistant, members }: SessionAgents): SavedAgents => ({
  user: user.saveState(),
  assistant: assistant.saveState(),
  ...(members && { members: members.map((member) => member.saveState()) }),
})

/** Loads saved states into the agents of a session; fails with `invalid-state` when there are other members. */
export function loadSaved({ user, assistant, members = [] }: SessionAgents, saved: SavedAgents): void {
  const states = saved.members ?? []
  const names = members.map(({ name }) => name)
  const had = states.map(({ name }) => name)
  if (names.join('\n') !== had.join('\n')) {
    throw new XError(
      'invalid-state',
      `could not open the chat: it was saved with the members ${listed(had)} and now has ${listed(names)}; open it with the same agents`,
    )
  }
  const all = [user, assistant, ...members]
  for (const [index, state] of [saved.user, saved.assistant, ...states].entries()) {
    const agent = all[index]!
    agent.loadState(state, { agents: all.filter((other) => other !== agent) })
  }
}

const listed = (names: readonly string[]): string => (names.length > 0 ? `\`${names.join('`, `')}\`` : '(none)')
