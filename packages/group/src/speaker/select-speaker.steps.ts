import type { ConversableAgent } from '@x/agent'
import { externalCall, internalsOf } from '@x/agent/steps'
import type { Agent, ChatMessage, SpeakerReason } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { warningOf, type GroupState } from '../group/group-state.ts'
import { nextAgent } from '../group/group.ts'
import { emptyDescriptions } from '../group/templates.ts'
import { CHOICE, askFunction, narrowed } from './ask-function.steps.ts'
import { askModelForSpeaker, selectorModel } from './ask-model.steps.ts'
import { askPerson } from './ask-person.steps.ts'

/** Names of the methods by which a speaker is chosen. */
const METHODS = ['auto', 'manual', 'random', 'round_robin'] as const
type Method = (typeof METHODS)[number]

/** The next speaker of a group, and why it is the next. */
export interface ChosenSpeaker {
  readonly agent: ConversableAgent
  readonly reason: SpeakerReason
}

/** Chooses who speaks after an agent, by the method of the group; null when nobody may. */
export function* selectSpeaker(
  state: GroupState,
  lastSpeaker: Agent,
  selector: ConversableAgent,
): Steps<ChosenSpeaker | null> {
  const { speakerSelectionMethod: given } = state.settings
  const chosen = typeof given === 'function' ? yield* askFunction(state, given, lastSpeaker) : { method: given }
  if (chosen === null) return null
  if ('agent' in chosen) return { agent: chosen.agent, reason: 'function' }
  const method = checkedMethod(chosen.method)
  yield* checkMembers(state, { method, lastSpeaker, selector })
  const { agents, executes } = candidatesFor(state, lastSpeaker)
  const eligible = agents.length > 1 ? yield* narrowed(state, agents) : agents
  const [first, second] = eligible
  if (!first) return null
  if (!second) return { agent: first, reason: executes ? 'executor' : 'only-one' }
  const agent = yield* chooseAmong(state, { method, eligible, lastSpeaker, selector })
  if (agent) return { agent, reason: method }
  return { agent: nextAgent(state.settings.agents, lastSpeaker, eligible), reason: 'next-in-order' }
}

/** Chooses who speaks after an agent; that nobody may is refused with `no-eligible-speaker`. */
export function* requireSpeaker(
  state: GroupState,
  lastSpeaker: Agent,
  selector: ConversableAgent,
): Steps<ConversableAgent> {
  const chosen = yield* selectSpeaker(state, lastSpeaker, selector)
  if (chosen) return chosen.agent
  throw new XError(
    'no-eligible-speaker',
    `nobody may speak after \`${lastSpeaker.name}\`: the transitions, \`allowRepeatSpeaker\` or the function that chooses leave no member; allow one`,
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
  const model = selectorModel(state, selector)
  for (const text of emptyDescriptions(eligible)) yield* warn(state, selector, text)
  return yield* askModelForSpeaker(state, selector, { model, eligible })
}

/** Draws one of several agents; a journal keeps which. */
function* drawSpeaker(
  { settings: { random } }: GroupState,
  agents: readonly ConversableAgent[],
): Steps<ConversableAgent> {
  const call = { kind: 'speaker', label: 'the random choice of the speaker', shape: CHOICE } as const
  const { agent } = yield* externalCall(call, () => {
    const index = Math.min(Math.floor(random(agents) * agents.length), agents.length - 1)
    return { agent: agents[index]!.name }
  })
  return agents.find(({ name }) => name === agent)!
}

function checkedMethod(given: string): Method {
  const method = METHODS.find((each) => each === given.toLowerCase())
  if (method) return method
  throw new XError(
    'unknown-method',
    `the next speaker cannot be chosen by \`${given}\`: the methods are ${METHODS.map((each) => `\`${each}\``).join(', ')}; give one of them, or a function`,
    { details: { method: given, known: METHODS } },
  )
}

/** Refuses a group in which nobody can follow, and warns of one that needs no choice. */
function* checkMembers(state: GroupState, { method, lastSpeaker, selector }: Omit<Choice, 'eligible'>): Steps<void> {
  const { agents } = state.settings
  if (agents.length < 2) {
    throw new XError(
      'invalid-argument',
      `no next speaker can be chosen in a group of ${agents.length}: give it at least two members`,
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
  const event = warningOf(state, selector.name, text)
  if (event) yield event
}

/** The members that may speak next. */
export interface Candidates {
  readonly agents: readonly ConversableAgent[]
  /** Whether the only one speaks because it executes the calls of the last message, whatever the other rules say. */
  readonly executes: boolean
}

/** The members that may follow the last speaker, in the order of the group. */
export function candidatesFor({ settings, followers, messages }: GroupState, lastSpeaker: Agent): Candidates {
  const { agents, allowRepeatSpeaker: repeat } = settings
  const calls = settings.funcCallFilter ? calledFunctions(messages.at(-1)) : null
  const able = calls ? executorsOf(agents, calls) : agents
  if (calls && able.length === 1) return { agents: able, executes: true }
  const candidates =
    repeat === null || mayRepeat(settings, lastSpeaker) ? able : able.filter((agent) => agent !== lastSpeaker)
  // Whoever speaks from outside may be followed by anyone.
  if (!agents.some((agent) => agent === lastSpeaker)) return { agents: candidates, executes: false }
  const allowed = followers.get(lastSpeaker)
  // A member that nobody was given for has no followers, whoever could execute its calls.
  if (!allowed) return { agents: [], executes: false }
  const eligible = candidates.filter((agent) => allowed.includes(agent))
  // Calls that are answered by nobody are refused by providers.
  return { agents: eligible.length === 0 && calls ? candidates : eligible, executes: false }
}

/** Whether the group allows an agent to speak twice in a row; transitions may say so, too. */
export const mayRepeat = ({ allowRepeatSpeaker: repeat }: GroupState['settings'], agent: Agent): boolean =>
  Array.isArray(repeat) ? (repeat as readonly Agent[]).includes(agent) : repeat === true

/** The names of the functions that a message calls; null for a message without calls. */
function calledFunctions(message: ChatMessage | undefined): string[] | null {
  const { function_call: call, tool_calls: calls } = message ?? {}
  if (!call && !calls) return null
  const functions = calls?.filter(({ type }) => (type ?? 'function') === 'function').map((each) => each.function.name)
  return [...(call ? [call.name] : []), ...(functions ?? [])]
}

/** The members that have all of some functions, or else those that have any function: one has to answer. */
function executorsOf(agents: readonly ConversableAgent[], names: readonly string[]): readonly ConversableAgent[] {
  const able = agents.filter((agent) => agent.canExecuteFunction(names))
  if (able.length > 0) return able
  const willing = agents.filter(({ functionMap }) => Object.keys(functionMap).length > 0)
  if (willing.length > 0) return willing
  throw new XError(
    'no-executor',
    `the calls of ${names.map((name) => `\`${name}\``).join(', ')} cannot be answered: no member of the group has any function; register them with one by \`registerForExecution\`, or set \`funcCallFilter: false\``,
    { details: { functions: names } },
  )
}
