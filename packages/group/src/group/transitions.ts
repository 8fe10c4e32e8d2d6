import type { ConversableAgent } from '@x/agent'
import type { Agent } from '@x/interfaces'
import { groupChatError, isAgent, type SpeakerTransitions } from './group.ts'

/** The agents that may follow each agent. */
export type Followers = ReadonlyMap<Agent, readonly ConversableAgent[]>

/** Options of a group that decide who may follow whom. */
export interface TransitionOptions {
  readonly agents: readonly ConversableAgent[]
  readonly allowRepeatSpeaker: boolean | readonly Agent[] | null
  readonly transitions: SpeakerTransitions | null
  /** `allowed` or `disallowed`. */
  readonly type: string | null
}

/** Works out who may follow whom; invalid transitions are refused with `invalid-argument`, naming the agent. */
export function readFollowers({ agents, allowRepeatSpeaker, transitions, type }: TransitionOptions): Followers {
  if (!transitions) return allowEveryone(agents, allowRepeatSpeaker)
  const listed = readTransitions(agents, transitions)
  if (type === 'allowed') return listed
  return new Map(
    agents.map((agent) => [agent, agents.filter((follower) => !listed.get(agent)?.includes(follower))] as const),
  )
}

/** Lets every agent follow every other, and itself where repetition is allowed. */
function allowEveryone(
  agents: readonly ConversableAgent[],
  repeat: TransitionOptions['allowRepeatSpeaker'],
): Followers {
  if (Array.isArray(repeat)) {
    for (const agent of repeat as readonly Agent[]) requireMember(agents, agent, 'in `allowRepeatSpeaker`')
  }
  const mayRepeat = (agent: Agent): boolean =>
    Array.isArray(repeat) ? (repeat as readonly Agent[]).includes(agent) : repeat === true
  return new Map(
    agents.map((agent) => {
      const others = agents.filter((follower) => follower !== agent)
      return [agent, mayRepeat(agent) ? [...others, agent] : others] as const
    }),
  )
}

function readTransitions(agents: readonly ConversableAgent[], transitions: SpeakerTransitions): Followers {
  const entries: (readonly [unknown, unknown])[] =
    transitions instanceof Map
      ? [...(transitions as ReadonlyMap<Agent, readonly Agent[]>)]
      : Object.entries(transitions).map(([name, list]) => [agents.find((each) => each.name === name) ?? name, list])
  return new Map(
    entries.map(([agent, list]) => {
      const member = requireMember(agents, agent, 'among those that others follow')
      if (!Array.isArray(list)) throw groupChatError(`the followers of \`${member.name}\` must be a list of agents`)
      for (const follower of list as unknown[]) {
        if (isAgent(follower)) continue
        throw groupChatError(`among the followers of \`${member.name}\` is a ${typeof follower}; give agents`)
      }
      return [member, list as ConversableAgent[]] as const
    }),
  )
}

function requireMember(agents: readonly ConversableAgent[], agent: unknown, where: string): ConversableAgent {
  const member = agents.find((each) => each === agent)
  if (member) return member
  throw groupChatError(`\`${isAgent(agent) ? agent.name : String(agent)}\` ${where} is not a member of the group`)
}

/** Returns warnings of transitions that are probably mistakes. */
export function transitionWarnings(agents: readonly ConversableAgent[], allowed: Followers): string[] {
  const mentioned = new Set<Agent>([...allowed].flatMap(([agent, list]) => [agent, ...list]))
  const isolated = agents.filter(
    (agent) => !allowed.get(agent)?.length && ![...allowed.values()].some((list) => list.includes(agent)),
  )
  const repeating = [...allowed].filter(([, list]) => new Set(list).size < list.length).map(([agent]) => agent)
  const differ =
    agents.some((agent) => !mentioned.has(agent)) || [...mentioned].some((agent) => !isMember(agents, agent))
  return [
    ...(isolated.length > 0 ? [`${namesOf(isolated)} can neither follow another member nor be followed`] : []),
    ...(differ ? [`the agents in the transitions differ from the members of the group ${namesOf(agents)}`] : []),
    ...(repeating.length > 0 ? [`the followers of ${namesOf(repeating)} list an agent twice`] : []),
  ]
}

const isMember = (agents: readonly Agent[], agent: Agent): boolean => agents.includes(agent)

const namesOf = (agents: readonly Agent[]): string => agents.map(({ name }) => `\`${name}\``).join(', ')
