import type { ConversableAgent } from '@x/agent'
import { externalCall, internalsOf, isRecorded, append } from '@x/agent/steps'
import type { Agent, CallInput, JsonSchema, SpeakerReason } from '@x/interfaces'
import { isThenable, type Steps } from '@x/kernel'
import { nextAgent } from '../group/group.ts'
import type { GroupState } from '../group/group-state.ts'
import { fillVariables } from '../handoff/context-variables.ts'
import {
  checkFunctionTargetResult,
  isTargetObject,
  stay,
  type FunctionTarget,
  type FunctionTargetResult,
  type GroupManagerTarget,
  type RandomAgentTarget,
  type Target,
} from '../handoff/target.ts'
import { askModelForSpeaker, getSelectorModel } from '../speaker/ask-model.steps.ts'
import { askPerson } from '../speaker/ask-person.steps.ts'
import { AnswerCodec } from './answer-codec.ts'
import { findMember } from './check-targets.ts'
import { readVariables, type PatternRun } from './pattern-run.ts'

/** The next speaker that a person or a model chose, and the reason. */
interface ChosenAgent {
  readonly agent: ConversableAgent | null
  readonly reason: SpeakerReason
}

/** Lets a person choose the next speaker; without a choice the next in order speaks. */
export function* chooseByPerson(run: PatternRun, current: ConversableAgent): Steps<ChosenAgent> {
  const all = choosableAgents(run)
  const { manager } = run
  const agent = yield* askPerson(all, { io: internalsOf(manager).io, manager })
  return agent ? { agent, reason: 'manual' } : { agent: nextAgent(all, current), reason: 'next-in-order' }
}

/** Lets the model of the manager choose among the candidates of a target; without a choice the next in order speaks. */
export function* chooseByManager(
  run: PatternRun,
  { selectionMessage, candidates, allowRepeatSpeaker = true }: GroupManagerTarget,
  current: ConversableAgent,
): Steps<ChosenAgent> {
  const all = choosableAgents(run)
  const listed = candidates?.map((each) => findMember(run, each, 'a choice by the manager') as ConversableAgent) ?? all
  const eligible = allowRepeatSpeaker ? listed : listed.filter((each) => each !== current)
  const [first, second] = eligible
  if (!first) return { agent: null, reason: 'auto' }
  if (!second) return { agent: first, reason: 'only-one' }
  const { manager, group } = run
  const state = selectionMessage === undefined ? group : withSelectionPrompt(run, selectionMessage, eligible)
  const model = getSelectorModel(group, manager)
  const agent = yield* askModelForSpeaker(state, manager, { model, eligible })
  return agent ? { agent, reason: 'auto' } : { agent: nextAgent(all, current, eligible), reason: 'next-in-order' }
}

/** Returns all agents that can be chosen: the agents, the stand-ins, and the user agent. */
const choosableAgents = ({ agents, standIns, userAgent }: PatternRun): ConversableAgent[] => [
  ...agents,
  ...[...standIns.values()].map(({ agent }) => agent),
  ...(userAgent ? [userAgent] : []),
]

/** Returns the state of the group with another prompt of the choice, which does not list stand-ins. */
function withSelectionPrompt(run: PatternRun, template: string, eligible: readonly ConversableAgent[]): GroupState {
  const listed = eligible.filter((agent) => !run.standIns.has(agent))
  const agentlist = `[${listed.map(({ name }) => `'${name}'`).join(', ')}]`
  const variables = { ...(readVariables(run) as object), agentlist }
  const prompt = fillVariables(template, variables, (name) => run.missingVariables.add(name))
  return { ...run.group, settings: { ...run.group.settings, selectSpeakerPromptTemplate: prompt } }
}

const PICKED_AGENT_SHAPE: JsonSchema = {
  type: 'object',
  properties: { agent: { type: 'string' } },
  required: ['agent'],
}

/** Picks one agent of a random target, never the current one; null when nobody is left. A journal keeps the choice. */
export function* pickAgent(run: PatternRun, target: RandomAgentTarget, current: Agent): Steps<ConversableAgent | null> {
  const others = randomCandidates(run, target, current)
  if (others.length === 0) return null
  const asks = (): CallInput => ({ agents: others.map(({ name }) => name) })
  const label = 'the random choice of the next agent'
  const call = { kind: 'speaker', label, shape: PICKED_AGENT_SHAPE, asks } as const
  const { agent: name } = yield* externalCall(call, () => ({ agent: pickFrom(run, others).name }))
  return others.find((each) => each.name === name) ?? null
}

/** Returns the agents of a random target without the current agent. */
export const randomCandidates = (run: PatternRun, { agents }: RandomAgentTarget, current: Agent): ConversableAgent[] =>
  agents.map((each) => findMember(run, each, 'a random choice') as ConversableAgent).filter((each) => each !== current)

/** Picks one of some agents at random. */
export function pickFrom({ group: { settings } }: PatternRun, agents: readonly ConversableAgent[]): ConversableAgent {
  const index = Math.floor(settings.random(agents) * agents.length)
  return agents[Math.min(index, agents.length - 1)]!
}

/** The decision of a function, in the form that a journal keeps. */
interface RecordedDecision {
  readonly answer: unknown
  readonly messages: readonly { readonly to: string | null; readonly content: string }[]
}

const FUNCTION_DECISION_SHAPE: JsonSchema = {
  type: 'object',
  properties: { messages: { type: 'array', items: { type: 'object' } } },
  required: ['messages'],
}

/** Lets a function decide: sets its variables, sends its messages to their readers, and returns its target. */
export function* askFunctionTarget(
  run: PatternRun,
  { name, fn }: FunctionTarget<never>,
  current: ConversableAgent,
): Steps<Target> {
  const codec = new AnswerCodec(run.targets, yield* isRecorded())
  const record = (result: FunctionTargetResult<never>): RecordedDecision => {
    checkFunctionTargetResult(result, name)
    const { message, messages, target: to = stay, contextVariables } = result
    const listed = messages ?? (message ? [{ to: null, content: message }] : [])
    return {
      answer: codec.encode({ '~replyResult': true, target: to, message: '', contextVariables }),
      messages: listed.map(({ to: reader, content }) => ({
        to: reader === null || typeof reader === 'string' ? reader : reader.name,
        content,
      })),
    }
  }
  const asks = (): CallInput => ({
    function: name,
    message: run.group.messages.at(-1) ?? null,
    variables: readVariables(run),
  })
  const call = { kind: 'handoff', label: `the function ${name}`, shape: FUNCTION_DECISION_SHAPE, asks } as const
  const decision = yield* externalCall<RecordedDecision>(call, (context) => {
    const message = run.group.messages.at(-1) ?? {}
    const { signal, emit, contextVariables } = context
    const result = fn({ message, variables: readVariables(run), run: context.run, signal, emit, contextVariables })
    return isThenable(result) ? result.then(record) : record(result)
  })
  const { target: to = stay, variables } = codec.decode(decision.answer)
  if (variables) run.variables.update(variables)
  for (const { to: reader, content } of decision.messages) {
    const addressee = reader ?? (isTargetObject(to) ? findReader(run, to, current) : to)
    const agent = findMember(run, addressee, `a message of the function \`${name}\``)
    const text = `[FUNCTION_HANDOFF] - Reply from function ${name}: \n\n ${content}`
    yield* append(run.manager, { role: 'user', name, content: text }, agent, run.silent)
  }
  return to
}

/** Finds the reader of a message to a target that is not an agent. */
const findReader = (run: PatternRun, target: Target, current: ConversableAgent): ConversableAgent =>
  isTargetObject(target) && target['~target'] === 'revertToUser' && run.userAgent ? run.userAgent : current
