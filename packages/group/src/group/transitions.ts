import type { ConversableAgent } from '@x/agent'
import type { Agent } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { SpeakerTransitions } from './group.ts'

/** The agents that may follow each agent. */
export type Followers = ReadonlyMap<Agent, readonly ConversableAgent[]>

/** The part of a group's options that says who may follow whom. */
export interface TransitionOptions {
  readonly agents: readonly ConversableAgent[]
  readonly allowRepeatSpeaker: boolean | readonly Agent[] | null
  readonly transitions: SpeakerTransitions | null
  /** `allowed` or `disallowed`. */
  readonly type: string | null
}

/** Works out who may follow whom; what cannot be is refused with `invalid-argument`, naming the agent. */
export function followersOf({ agents, allowRepeatSpeaker, transitions, type }: TransitionOptions): Followers {
  if (!transitions) return everyone(agents, allowRepeatSpeaker)
  const given = readTransitions(agents, transitions)
  if (type === 'allowed') return given
  return new Map(
    agents.map((agent) => [agent, agents.filter((follower) => !given.get(agent)?.includes(follower))] as const),
  )
}

/** Everyone may follow every other, and itself where repetition is allowed. */
function everyone(agents: readonly ConversableAgent[], repeat: TransitionOptions['allowRepeatSpeaker']): Followers {
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
      if (!Array.isArray(list)) throw refused(`the followers of \`${member.name}\` must be a list of agents`)
      for (const follower of list as unknown[]) {
        if (isAgent(follower)) continue
        throw refused(`among the followers of \`${member.name}\` is a ${typeof follower}; give agents`)
      }
      return [member, list as ConversableAgent[]] as const
    }),
  )
}

function requireMember(agents: readonly ConversableAgent[], agent: unknown, where: string): ConversableAgent {
  const member = agents.find((each) => each === agent)
  if (member) return member
  throw refused(`\`${isAgent(agent) ? agent.name : String(agent)}\` ${where} is not a member of the group`)
}

const isAgent = (value: unknown): value is Agent => typeof value === 'object' && value !== null && '~state' in value

const refused = (problem: string): XError => new XError('invalid-argument', `cannot make a group chat: ${problem}`)

/** Warnings of transitions that are probably not meant. */
export function doubtfulTransitions(agents: readonly ConversableAgent[], allowed: Followers): string[] {
  const named = new Set<Agent>([...allowed].flatMap(([agent, list]) => [agent, ...list]))
  const isolated = agents.filter(
    (agent) => !allowed.get(agent)?.length && ![...allowed.values()].some((list) => list.includes(agent)),
  )
  const twice = [...allowed].filter(([, list]) => new Set(list).size < list.length).map(([agent]) => agent)
  const differ = agents.some((agent) => !named.has(agent)) || [...named].some((agent) => !isMember(agents, agent))
  return [
    ...(isolated.length > 0 ? [`nobody follows ${namesOf(isolated)}, and they are followed by nobody`] : []),
    ...(differ ? [`the agents of the transitions are not the members of the group ${namesOf(agents)}`] : []),
    ...(twice.length > 0 ? [`the followers of ${namesOf(twice)} have an agent twice`] : []),
  ]
}

const isMember = (agents: readonly Agent[], agent: Agent): boolean => agents.includes(agent)

const namesOf = (agents: readonly Agent[]): string => agents.map(({ name }) => `\`${name}\``).join(', ')
