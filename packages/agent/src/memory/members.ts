import { stateOf, type State } from './state.ts'

/** The agents that some agents manage, as far as they manage any. */
export const membersOf = (states: readonly State[]): State[] =>
  states.flatMap(({ managerRole }) => managerRole?.members().map(stateOf) ?? [])

/** Some agents with all those that they manage, and those that these manage; each one once. */
export function withAllMembers(states: readonly State[]): ReadonlySet<State> {
  const all = new Set(states)
  // A set hands out what is added to it meanwhile.
  for (const state of all) for (const member of membersOf([state])) all.add(member)
  return all
}
