import type { ConversableAgent } from '@x/agent'
import { externalCall, internalsOf } from '@x/agent/steps'
import type { Agent, CallInput, ChatMessage, SpeakerReason } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { intendedMethod, SPEAKER_SELECTION_METHODS } from '../group/group-options.ts'
import { warningOnce, type GroupState } from '../group/group-state.ts'
import { nextAgent } from '../group/group.ts'
import { emptyDescriptionWarnings } from '../group/templates.ts'
import { CHOICE_SHAPE, askFunction, narrowCandidates } from './ask-function.steps.ts'
import { askModelForSpeaker, getSelectorModel } from './ask-model.steps.ts'
import { askPerson } from './ask-person.steps.ts'

type Method = (typeof SPEAKER_SELECTION_METHODS)[number]

/** The next speaker of a group, and the reason. */
export interface ChosenSpeaker {
  readonly agent: ConversableAgent
  readonly reason: SpeakerReason
}

/** Chooses who speaks after an agent, by the method of the group; null when no member may speak. */
export function* selectSpeaker(
  state: GroupState,
  lastSpeaker: Agent,
  selector: ConversableAgent,
): Steps<ChosenSpeaker | null> {
  const { speakerSelectionMethod: setting } = state.settings
  const choice = typeof setting === 'function' ? yield* askFunction(state, setting, lastSpeaker) : { method: setting }
  if (choice === null) return null
  if ('agent' in choice) return { agent: choice.agent, reason: 'function' }
  const method = requireMethod(choice.method, state.group.agentNames)
  yield* checkMembers(state, { method, lastSpeaker, selector })
  const { agents, executes } = findCandidates(state, lastSpeaker)
  const eligible = agents.length > 1 ? yield* narrowCandidates(state, agents) : agents
  const [first, second] = eligible
  if (!first) return null
  if (!second) return { agent: first, reason: executes ? 'executor' : 'only-one' }
  const agent = yield* chooseAmong(state, { method, eligible, lastSpeaker, selector })
  if (agent) return { agent, reason: method }
  return { agent: nextAgent(state.settings.agents, lastSpeaker, eligible), reason: 'next-in-order' }
}

/** Chooses who speaks after an agent; throws `no-eligible-speaker` when no member may speak. */
export function* requireSpeaker(
  state: GroupState,
  lastSpeaker: Agent,
  selector: ConversableAgent,
): Steps<ConversableAgent> {
  const speaker = yield* selectSpeaker(state, lastSpeaker, selector)
  if (speaker) return speaker.agent
  throw new XError(
    'no-eligible-speaker',
    `cannot choose who speaks after \`${lastSpeaker.name}\`: the transitions, \`allowRepeatSpeaker\` or the function that chooses leave no member; allow one`,
    { details: { lastSpeaker: lastSpeaker.name } },
  )
}

interface Choice {
  readonly method: Method
  /** The members that may speak, at least two. */
  readonly eligible: readonly ConversableAgent[]
  readonly lastSpeaker: Agent
  readonly selector: ConversableAgent
}

function* chooseAmong(
  state: GroupState,
  { method, eligible, lastSpeaker, selector }: Choice,
): Steps<ConversableAgent | null> {
  if (method === 'round_robin') return nextAgent(state.settings.agents, lastSpeaker, eligible)
  if (method === 'random') return yield* drawSpeaker(state, eligible)
  if (method === 'manual') return yield* askPerson(eligible, { io: internalsOf(selector).io, manager: selector })
  const model = getSelectorModel(state, selector)
  for (const text of emptyDescriptionWarnings(eligible)) yield* warn(state, selector, text)
  return yield* askModelForSpeaker(state, selector, { model, eligible })
}

/** Picks one of several agents at random; a journal keeps the choice. */
function* drawSpeaker(
  { settings: { random } }: GroupState,
  agents: readonly ConversableAgent[],
): Steps<ConversableAgent> {
  const asks = (): CallInput => ({ agents: agents.map(({ name }) => name) })
  const call = { kind: 'speaker', label: 'the random choice of the speaker', shape: CHOICE_SHAPE, asks } as const
  const { agent } = yield* externalCall(call, () => {
    const index = Math.min(Math.floor(random(agents) * agents.length), agents.length - 1)
    return { agent: agents[index]!.name }
  })
  return agents.find(({ name }) => name === agent)!
}

function requireMethod(name: string, members: readonly string[]): Method {
  const method = SPEAKER_SELECTION_METHODS.find((each) => each === name.toLowerCase())
  if (method) return method
  const intended = intendedMethod(name)
  const other = members.includes(name) ? 'return the agent to choose that member' : 'give one of them, or a function'
  const remedy = intended === undefined ? other : `did you mean \`${intended}\`?`
  throw new XError(
    'unknown-method',
    `cannot choose the next speaker by \`${name}\`: the methods are ${SPEAKER_SELECTION_METHODS.map((each) => `\`${each}\``).join(', ')}; ${remedy}`,
    { details: { method: name, known: SPEAKER_SELECTION_METHODS } },
  )
}

/** Refuses a group with fewer than two members, and warns of a group of two that needs no choice. */
function* checkMembers(state: GroupState, { method, lastSpeaker, selector }: Omit<Choice, 'eligible'>): Steps<void> {
  const { agents } = state.settings
  if (agents.length < 2) {
    throw new XError(
      'invalid-argument',
      `cannot choose the next speaker in a group of ${agents.length}: give it at least two members`,
    )
  }
  if (agents.length > 2 || method === 'round_robin' || !mayRepeat(state.settings, lastSpeaker)) return
  yield* warn(
    state,
    selector,
    'the group has two members and either may speak twice in a row: set `allowRepeatSpeaker: false`, choose `round_robin`, or use a chat of two',
  )
}

function* warn(state: GroupState, selector: ConversableAgent, text: string): Steps<void> {
  const event = warningOnce(state, selector.name, text)
  if (event) yield event
}

/** The members that may speak next. */
interface Candidates {
  readonly agents: readonly ConversableAgent[]
  /** True if the only candidate speaks because it executes the calls of the last message, whatever the other rules say. */
  readonly executes: boolean
}

/** Finds the members that may follow the last speaker, in the order of the group. */
function findCandidates({ settings, followers, messages }: GroupState, lastSpeaker: Agent): Candidates {
  const { agents, allowRepeatSpeaker: repeat } = settings
  const calls = settings.funcCallFilter ? calledFunctions(messages.at(-1)) : null
  const able = calls ? findExecutors(agents, calls) : agents
  if (calls && able.length === 1) return { agents: able, executes: true }
  const candidates =
    repeat === null || mayRepeat(settings, lastSpeaker) ? able : able.filter((agent) => agent !== lastSpeaker)
  // Anyone may follow a speaker from outside the group.
  if (!agents.some((agent) => agent === lastSpeaker)) return { agents: candidates, executes: false }
  const allowed = followers.get(lastSpeaker)
  // A member without transitions has no followers, even if one could execute its calls.
  if (!allowed) return { agents: [], executes: false }
  const eligible = candidates.filter((agent) => allowed.includes(agent))
  // Providers refuse calls without answers, so an executor overrides the transitions.
  return { agents: eligible.length === 0 && calls ? candidates : eligible, executes: false }
}

/** True if `allowRepeatSpeaker` lets an agent speak twice in a row; transitions may allow it too. */
const mayRepeat = ({ allowRepeatSpeaker: repeat }: GroupState['settings'], agent: Agent): boolean =>
  Array.isArray(repeat) ? (repeat as readonly Agent[]).includes(agent) : repeat === true

/** Returns the names of the functions that a message calls; null for a message without calls. */
function calledFunctions(message: ChatMessage | undefined): string[] | null {
  const { function_call: call, tool_calls: calls } = message ?? {}
  if (!call && !calls) return null
  const functions = calls?.filter(({ type }) => (type ?? 'function') === 'function').map((each) => each.function.name)
  return [...(call ? [call.name] : []), ...(functions ?? [])]
}

/** Finds the members that have all the functions, or else the members that have any function: somebody has to answer. */
function findExecutors(agents: readonly ConversableAgent[], names: readonly string[]): readonly ConversableAgent[] {
  const able = agents.filter((agent) => agent.canExecuteFunction(names))
  if (able.length > 0) return able
  const withAnyFunction = agents.filter(({ functionMap }) => Object.keys(functionMap).length > 0)
  if (withAnyFunction.length > 0) return withAnyFunction
  throw new XError(
    'no-executor',
    `cannot answer the calls of ${names.map((name) => `\`${name}\``).join(', ')}: no member of the group has any function; register them with a member by \`registerForExecution\`, or set \`funcCallFilter: false\``,
    { details: { functions: names } },
  )
}
