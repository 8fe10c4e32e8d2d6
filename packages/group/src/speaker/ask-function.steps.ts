import type { ConversableAgent } from '@x/agent'
import { externalCall } from '@x/agent/steps'
import type { Agent, JsonSchema, MaybePromise } from '@x/interfaces'
import { XError, isThenable, type Steps } from '@x/kernel'
import type { SelectSpeaker } from '../group/group.ts'
import type { GroupState } from '../group/group-state.ts'

/** What a function has chosen, as a journal keeps it. */
type KeptChoice = { readonly agent?: string; readonly method?: string; readonly problem?: string }

/** Shape of a choice that a journal keeps. */
export const CHOICE: JsonSchema = {
  type: 'object',
  properties: { agent: { type: 'string' }, method: { type: 'string' } },
}

/** Asks a function for the next speaker, or for the method that chooses this time; null when nobody is to speak. */
export function* askFunction(
  { group, settings: { agents } }: GroupState,
  choose: SelectSpeaker,
  lastSpeaker: Agent,
): Steps<{ readonly agent: ConversableAgent } | { readonly method: string } | null> {
  const plain = (chosen: Agent | string | null): KeptChoice => {
    if (chosen === null || chosen === undefined) return {}
    if (typeof chosen === 'string') return { method: chosen }
    if (agents.some((each) => each === chosen)) return { agent: chosen.name }
    return { problem: chosen?.name === undefined ? `a ${typeof chosen}` : `\`${chosen.name}\`, who is no member` }
  }
  const label = choose.name || 'the function that chooses the speaker'
  const { agent, method, problem } = yield* externalCall({ kind: 'speaker', label, shape: CHOICE }, (context) =>
    then(choose(lastSpeaker, group, context), plain),
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

/** Members that a function leaves, as a journal keeps them. */
interface KeptCandidates {
  readonly agents: readonly string[]
  /** Name of one that may not speak, or is no member. */
  readonly stranger?: string
}

const CANDIDATES: JsonSchema = {
  type: 'object',
  properties: { agents: { type: 'array', items: { type: 'string' } } },
  required: ['agents'],
}

/** Lets the function `candidates` of a group narrow those that may speak next. */
export function* narrowed(
  { group, settings: { candidates } }: GroupState,
  eligible: readonly ConversableAgent[],
): Steps<readonly ConversableAgent[]> {
  if (!candidates) return eligible
  const plain = (given: readonly (Agent | string)[]): KeptCandidates => {
    const names = given.map((each) => (typeof each === 'string' ? each : each.name))
    const stranger = names.find((name) => !eligible.some((agent) => agent.name === name))
    return { agents: names, ...(stranger !== undefined && { stranger }) }
  }
  const call = { kind: 'speaker', label: 'the function `candidates` of a group', shape: CANDIDATES } as const
  const { agents, stranger } = yield* externalCall(call, (context) => then(candidates(eligible, group, context), plain))
  if (stranger !== undefined) {
    throw new XError(
      'invalid-argument',
      `the function \`candidates\` of a group returned \`${stranger}\`, who may not speak next; return some of those that it is given`,
      { details: { name: stranger, eligible: eligible.map(({ name }) => name) } },
    )
  }
  return eligible.filter(({ name }) => agents.includes(name))
}

/** Goes on with a value now, or when its promise is settled. */
const then = <A, B>(value: MaybePromise<A>, next: (value: A) => B): MaybePromise<B> =>
  isThenable(value) ? value.then(next) : next(value)
