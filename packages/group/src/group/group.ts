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
  /** Most messages of a run, the first one included. */
  readonly maxRound: number
  /** Finds the first member of a name. */
  agentByName(name: string): ConversableAgent | null
  /** Finds the first of `agents` (default: all members) that comes after `agent` in the order of the group. */
  nextAgent(agent: Agent, agents?: readonly Agent[]): ConversableAgent
}

/**
 * Chooses the next speaker: a member, or the name of a method that chooses this time (`auto`, `manual`, `random`,
 * `round_robin`). Null lets nobody speak and ends the run.
 */
export type SelectSpeaker = (
  lastSpeaker: Agent,
  groupchat: Group,
  context: RunContext,
) => MaybePromise<Agent | string | null>

/**
 * Narrows the eligible speakers to some of them, by member or by name; an empty list ends the run. It is not called where
 * only one member can speak, nor where a function chooses the speaker.
 */
export type SelectCandidates = (
  eligible: readonly ConversableAgent[],
  groupchat: Group,
  context: RunContext,
) => MaybePromise<readonly (Agent | string)[]>

/** Changes the messages that a model reads when it chooses the next speaker. */
export type TransformMessages = (messages: readonly ChatMessage[]) => MaybePromise<readonly ChatMessage[]>

/** The members that may follow each member, keyed by member or by name. */
export type SpeakerTransitions = ReadonlyMap<Agent, readonly Agent[]> | Readonly<Record<string, readonly Agent[]>>

/**
 * Finds the first of `candidates` after an agent in the order of all members, going round; the agent itself comes last.
 * Candidates that are not members are refused.
 */
export function nextAgent(
  all: readonly ConversableAgent[],
  agent: Agent,
  candidates: readonly Agent[] = all,
): ConversableAgent {
  const index = all.findIndex((each) => each === agent)
  const outsiders = candidates.filter((each) => !all.some((member) => member === each))
  const next = [...all.slice(index + 1), ...all.slice(0, index + 1)].find((each) => candidates.includes(each))
  if (next && outsiders.length === 0) return next
  const names = outsiders.map(({ name }) => `\`${name}\``).join(', ')
  throw new XError(
    'undefined-next-agent',
    `cannot find the agent after \`${agent.name}\`: ${names ? `${names} among the candidates is not a member of the group` : 'there are no candidates'}; give members`,
  )
}

/** True if a value is an agent. */
export const isAgent = (value: unknown): value is Agent =>
  typeof value === 'object' && value !== null && '~state' in value

/** Makes the error for a group chat that cannot be made. */
export const groupChatError = (problem: string): XError =>
  new XError('invalid-argument', `cannot make a group chat: ${problem}`)
