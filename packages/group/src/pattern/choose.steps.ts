import type { ConversableAgent } from '@x/agent'
import { externalCall, internalsOf, isRecorded, say } from '@x/agent/steps'
import type { Agent, JsonSchema, SpeakerReason } from '@x/interfaces'
import { XError, isThenable, type Steps } from '@x/kernel'
import type { GroupState } from '../group/group-state.ts'
import { nextAgent } from '../group/group.ts'
import { filledText } from '../handoff/context-variables.ts'
import {
  isTarget,
  isTargetObject,
  stay,
  type FunctionTarget,
  type FunctionTargetResult,
  type GroupManagerTarget,
  type RandomAgentTarget,
  type Target,
} from '../handoff/target.ts'
import { askModelForSpeaker, selectorModel } from '../speaker/ask-model.steps.ts'
import { askPerson } from '../speaker/ask-person.steps.ts'
import { memberOf } from './check-targets.ts'
import { valuesIn, type PatternRun } from './pattern-run.ts'
import { plainAnswers, readAnswer } from './call-answers.ts'

/** An agent that was chosen, and how. */
interface Chosen {
  readonly agent: ConversableAgent | null
  readonly reason: SpeakerReason
}

/** All that may be chosen: the agents, those that stand for chats, and the user agent. */
const choosable = ({ agents, standIns, userAgent }: PatternRun): ConversableAgent[] => [
  ...agents,
  ...[...standIns.values()].map(({ agent }) => agent),
  ...(userAgent ? [userAgent] : []),
]

/** Lets a person choose; one that chooses nobody leaves it to the order. */
export function* chooseByPerson(run: PatternRun, current: ConversableAgent): Steps<Chosen> {
  const all = choosable(run)
  const { manager } = run
  const agent = yield* askPerson(all, { io: internalsOf(manager).io, manager })
  return agent ? { agent, reason: 'manual' } : { agent: nextAgent(all, current), reason: 'next-in-order' }
}

/** Lets the manager's model choose among the candidates of a target; one that names nobody leaves it to the order. */
export function* chooseByManager(
  run: PatternRun,
  { selectionMessage, candidates, allowRepeatSpeaker = true }: GroupManagerTarget,
  current: ConversableAgent,
): Steps<Chosen> {
  const all = choosable(run)
  const named = candidates?.map((each) => memberOf(run, each, 'a choice by the manager') as ConversableAgent) ?? all
  const eligible = allowRepeatSpeaker ? named : named.filter((each) => each !== current)
  const [first, second] = eligible
  if (!first) return { agent: null, reason: 'auto' }
  if (!second) return { agent: first, reason: 'only-one' }
  const { manager, group } = run
  const state = selectionMessage === undefined ? group : withPrompt(run, selectionMessage, eligible)
  const model = selectorModel(group, manager)
  const agent = yield* askModelForSpeaker(state, manager, { model, eligible })
  return agent ? { agent, reason: 'auto' } : { agent: nextAgent(all, current, eligible), reason: 'next-in-order' }
}

/** The group with another last message of the choice; those that stand for chats are not in its list. */
function withPrompt(run: PatternRun, template: string, eligible: readonly ConversableAgent[]): GroupState {
  const listed = eligible.filter((agent) => !run.standIns.has(agent))
  const agentlist = `[${listed.map(({ name }) => `'${name}'`).join(', ')}]`
  const prompt = filledText(template, { ...(valuesIn(run) as object), agentlist }, (name) => run.missing.add(name))
  return { ...run.group, settings: { ...run.group.settings, selectSpeakerPromptTemplate: prompt } }
}

const DRAWN: JsonSchema = { type: 'object', properties: { agent: { type: 'string' } }, required: ['agent'] }

/** Returns the agents that a random target may take: all of it but the current agent. */
export const othersIn = (run: PatternRun, { agents }: RandomAgentTarget, current: Agent): ConversableAgent[] =>
  agents.map((each) => memberOf(run, each, 'a random choice') as ConversableAgent).filter((each) => each !== current)

/** Draws one of some agents. */
export function drawnOf({ group: { settings } }: PatternRun, agents: readonly ConversableAgent[]): ConversableAgent {
  const index = Math.floor(settings.random(agents) * agents.length)
  return agents[Math.min(index, agents.length - 1)]!
}

/** Draws one agent of a random target, never the current one; null when nobody is left. A journal keeps who it is. */
export function* drawAgent(run: PatternRun, target: RandomAgentTarget, current: Agent): Steps<ConversableAgent | null> {
  const others = othersIn(run, target, current)
  if (others.length === 0) return null
  const call = { kind: 'speaker', label: 'the random choice of the next agent', shape: DRAWN } as const
  const { agent: name } = yield* externalCall(call, () => ({ agent: drawnOf(run, others).name }))
  return others.find((each) => each.name === name) ?? null
}

/** What a function has decided, as a journal keeps it. */
interface KeptDecision {
  readonly answer: unknown
  readonly messages: readonly { readonly to: string | null; readonly content: string }[]
}

const DECISION: JsonSchema = {
  type: 'object',
  properties: { messages: { type: 'array', items: { type: 'object' } } },
  required: ['messages'],
}

/** Lets a function decide: sets its variables, hands its messages to their readers, and gives the target that it names. */
export function* askFunctionTarget(
  run: PatternRun,
  target: FunctionTarget<never>,
  current: ConversableAgent,
): Steps<Target> {
  const { name, fn } = target
  const answers = plainAnswers({ known: run.targets, isRecorded: yield* isRecorded() })
  const plain = (result: FunctionTargetResult<never>): KeptDecision => {
    const { message, messages, target: to = stay, contextVariables } = checked(name, result)
    const listed = messages ?? (message === undefined ? [] : [{ to: null, content: message }])
    return {
      answer: answers.plainOf({ '~replyResult': true, target: to, message: '', contextVariables }),
      messages: listed.map(({ to: reader, content }) => ({
        to: reader === null || typeof reader === 'string' ? reader : reader.name,
        content,
      })),
    }
  }
  const call = { kind: 'handoff', label: `the function ${name}`, shape: DECISION } as const
  const kept = yield* externalCall<KeptDecision>(call, ({ run: its, signal, emit, contextVariables }) => {
    const message = run.group.messages.at(-1) ?? {}
    const context = { run: its, signal, emit, contextVariables }
    const result = fn({ message, variables: valuesIn(run), ...context })
    return isThenable(result) ? result.then(plain) : plain(result)
  })
  const { target: to = stay, variables } = readAnswer(kept.answer, answers)
  if (variables) run.variables.update(variables)
  for (const { to: reader, content } of kept.messages) {
    const whom = reader ?? (isTargetObject(to) ? readerOf(run, to, current) : to)
    const agent = memberOf(run, whom, `a message of the function \`${name}\``)
    const text = `[FUNCTION_HANDOFF] - Reply from function ${name}: \n\n ${content}`
    yield* say(run.manager, { role: 'user', name, content: text }, agent, run.silent)
  }
  return to
}

/** Who reads a message to a target that is no agent. */
const readerOf = (run: PatternRun, target: Target, current: ConversableAgent): ConversableAgent =>
  isTargetObject(target) && target['~target'] === 'revertToUser' && run.userAgent ? run.userAgent : current

function checked(name: string, result: FunctionTargetResult<never>): FunctionTargetResult<never> {
  const given: unknown = result
  if (typeof given === 'object' && given !== null && (result.target === undefined || isTarget(result.target))) {
    return result
  }
  throw new XError(
    'invalid-argument',
    `the function target \`${name}\` gave ${JSON.stringify(given) ?? typeof given}, and not \`{ target, message, contextVariables }\`; return an object with a target`,
  )
}
