import type { ConversableAgent } from '@x/agent'
import type { Agent, ChatMessage, MaybePromise, RunContext } from '@x/interfaces'
import { XError } from '@x/kernel'

/** A group chat as the functions of a program see it. */
export interface Group {
  /** The members, in their order. */
  readonly agents: readonly ConversableAgent[]
  readonly agentNames: readonly string[]
  /** The common history, oldest first; each message has the `name` of its speaker. */
  readonly messages: readonly ChatMessage[]
  /** Messages of a run, the first one included. */
  readonly maxRound: number
  /** Finds the first member of a name. */
  agentByName(name: string): ConversableAgent | null
  /** Finds the first one of `agents` (default: all members) that comes after `agent` in the order of the group. */
  nextAgent(agent: Agent, agents?: readonly Agent[]): ConversableAgent
}

/**
 * Chooses the next speaker: a member, or the name of a method that chooses this time (`auto`, `manual`, `random`,
 * `round_robin`). With null nobody speaks, and the run ends.
 */
export type SelectSpeaker = (
  lastSpeaker: Agent,
  groupchat: Group,
  context: RunContext,
) => MaybePromise<Agent | string | null>

/**
 * Narrows those that may speak next to some of them, by member or by name; an empty list leaves nobody, and the run ends.
 * It is not asked where one member speaks anyway, nor where a function chooses the member.
 */
export type SelectCandidates = (
  eligible: readonly ConversableAgent[],
  groupchat: Group,
  context: RunContext,
) => MaybePromise<readonly (Agent | string)[]>

/** Changes the messages that a model reads when it chooses the next speaker. */
export type TransformMessages = (messages: readonly ChatMessage[]) => MaybePromise<readonly ChatMessage[]>

/** The members that may follow each member, by member or by its name. */
export type SpeakerTransitions = ReadonlyMap<Agent, readonly Agent[]> | Readonly<Record<string, readonly Agent[]>>

/** Finds the first one of `candidates` behind an agent in the order of all, going round; the agent itself comes last. Candidates are members. */
export function nextAgent(
  all: readonly ConversableAgent[],
  agent: Agent,
  candidates: readonly Agent[] = all,
): ConversableAgent {
  const index = all.findIndex((each) => each === agent)
  const strangers = candidates.filter((each) => !all.some((member) => member === each))
  const found = [...all.slice(index + 1), ...all.slice(0, index + 1)].find((each) => candidates.includes(each))
  if (found && strangers.length === 0) return found
  const names = strangers.map(({ name }) => `\`${name}\``).join(', ')
  throw new XError(
    'undefined-next-agent',
    `nobody comes after \`${agent.name}\`: ${names ? `${names} among the candidates is not a member of the group` : 'there are no candidates'}; give members`,
  )
}
