import type { ConversableAgent } from '@x/agent'
import { externalCall } from '@x/agent/steps'
import type { Agent, CallInput, JsonSchema, MaybePromise } from '@x/interfaces'
import { isThenable, XError, type Steps } from '@x/kernel'
import type { SelectSpeaker } from '../group/group.ts'
import type { GroupState } from '../group/group-state.ts'

/** The choice of a function, in the form that a journal keeps. */
type RecordedChoice = { readonly agent?: string; readonly method?: string; readonly problem?: string }

/** Shape of a choice that a journal keeps. */
export const CHOICE_SHAPE: JsonSchema = {
  type: 'object',
  properties: { agent: { type: 'string' }, method: { type: 'string' } },
}

/** Asks a function for the next speaker, or for the method that chooses this time; null when nobody is to speak. */
export function* askFunction(
  { group, settings: { agents } }: GroupState,
  choose: SelectSpeaker,
  lastSpeaker: Agent,
): Steps<{ readonly agent: ConversableAgent } | { readonly method: string } | null> {
  const record = (choice: Agent | string | null): RecordedChoice => {
    if (choice === null || choice === undefined) return {}
    if (typeof choice === 'string') return { method: choice }
    if (agents.some((each) => each === choice)) return { agent: choice.name }
    return {
      problem: choice?.name === undefined ? `a ${typeof choice}` : `\`${choice.name}\`, who is not a member,`,
    }
  }
  const label = choose.name || 'the function that chooses the speaker'
  const asks = (): CallInput => ({ function: label, lastSpeaker: lastSpeaker.name, messages: group.messages })
  const call = { kind: 'speaker', label, shape: CHOICE_SHAPE, asks } as const
  const { agent, method, problem } = yield* externalCall(call, (context) =>
    mapMaybe(choose(lastSpeaker, group, context), record),
  )
  if (problem !== undefined) {
    throw new XError(
      'invalid-argument',
      `\`${label}\` chose ${problem} as the next speaker; return a member of the group, the name of a method, or null`,
    )
  }
  if (method !== undefined) return { method }
  return agent === undefined ? null : { agent: agents.find(({ name }) => name === agent)! }
}

/** The members that a function returned, in the form that a journal keeps. */
interface RecordedCandidates {
  readonly agents: readonly string[]
  /** Name of an agent that is not eligible, or what is there in place of one. */
  readonly stranger?: string
}

const CANDIDATES_SHAPE: JsonSchema = {
  type: 'object',
  properties: { agents: { type: 'array', items: { type: 'string' } } },
  required: ['agents'],
}

/** Lets the function `candidates` of a group narrow the eligible speakers. */
export function* narrowCandidates(
  { group, settings: { candidates } }: GroupState,
  eligible: readonly ConversableAgent[],
): Steps<readonly ConversableAgent[]> {
  if (!candidates) return eligible
  const record = (selected: readonly (Agent | string)[]): RecordedCandidates => {
    if (!Array.isArray(selected)) return { agents: [], stranger: nameOf(selected) }
    const names = selected.map(nameOf)
    const stranger = names.find((name) => !eligible.some((agent) => agent.name === name))
    return { agents: names, ...(stranger !== undefined && { stranger }) }
  }
  const asks = (): CallInput => ({ eligible: eligible.map(({ name }) => name), messages: group.messages })
  const label = 'the function `candidates` of a group'
  const call = { kind: 'speaker', label, shape: CANDIDATES_SHAPE, asks } as const
  const { agents, stranger } = yield* externalCall(call, (context) =>
    mapMaybe(candidates(eligible, group, context), record),
  )
  if (stranger !== undefined) {
    throw new XError(
      'invalid-argument',
      `the function \`candidates\` of a group returned \`${stranger}\`, who may not speak next; return a list of some of the agents that it is given`,
      { details: { name: stranger, eligible: eligible.map(({ name }) => name) } },
    )
  }
  return eligible.filter(({ name }) => agents.includes(name))
}

/** The name of an agent, or else what a function returned in its place. */
const nameOf = (value: unknown): string =>
  typeof value === 'string' ? value : ((value as Agent | null | undefined)?.name ?? String(value))

/** Applies a function to a value now, or when its promise resolves. */
const mapMaybe = <A, B>(value: MaybePromise<A>, map: (value: A) => B): MaybePromise<B> =>
  isThenable(value) ? value.then(map) : map(value)
