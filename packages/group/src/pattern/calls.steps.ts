import type { ConversableAgent } from '@x/agent'
import { callFor, functionOf, internalsOf, isRecorded, noteAnswers, toolNamesOf } from '@x/agent/steps'
import type { ChatMessage, ContentPart, ToolCall, ToolContext, ToolResponse } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { contentOfResult, contentText } from '@x/kernel/tool-content'
import { plainAnswers, readAnswer, type MappedFunction, type ReadAnswer } from './call-answers.ts'
import { argumentsOf, type HandoffTool } from '../handoff/handoff.ts'
import { handoffText, isTargetObject, type Target } from '../handoff/target.ts'
import { drawnOf, othersIn } from './choose.steps.ts'
import { withText } from './policy.ts'
import { blockedOnWay } from './policy.steps.ts'
import { EXECUTOR, callsIn, type PatternRun } from './pattern-run.ts'
import { availableTools, factsOf } from './reply.steps.ts'
import { isForStandIn, standInFor, type RunInnerGroup } from './stand-ins.ts'

/** Makes the calls of a message for the member whose message it is, one after the other, and gives the answer to all. */
export function* answerCalls(
  run: PatternRun,
  caller: ConversableAgent,
  message: ChatMessage,
  runInner: RunInnerGroup,
): Steps<ChatMessage> {
  const responses: ToolResponse[] = []
  yield* noteAnswers(caller, run.manager, responses)
  let handoffs = 0
  for (const call of callsIn(message)) {
    const { content, target } = yield* answerCall(run, caller, call, runInner)
    if (target !== undefined) handoffs++
    responses.push({ ...(call.id !== undefined && { tool_call_id: call.id }), role: 'tool', content })
  }
  yield* noteAnswers(caller, run.manager, null)
  if (handoffs > 1) {
    const text = `a message of \`${caller.name}\` hands over ${handoffs} times: the last target holds`
    yield { type: 'warning', agent: caller.name, topic: 'handoff', text }
  }
  return { role: 'tool', name: EXECUTOR, tool_responses: responses, content: joined(responses) }
}

const joined = (responses: readonly ToolResponse[]): string =>
  responses.map(({ content }) => contentText(content)).join('\n')

const STOPPED = 'Error: the call was stopped before it answered'

/** The answer to calls that are not made, since the chat ends. */
export function stoppedCalls(message: ChatMessage): ChatMessage {
  const responses = callsIn(message).map(({ id }): ToolResponse => ({
    ...(id !== undefined && { tool_call_id: id }),
    role: 'tool',
    content: STOPPED,
  }))
  // It is nothing that a summary could be made of.
  return { role: 'tool', name: EXECUTOR, tool_responses: responses, content: '' }
}

interface AnsweredCall {
  readonly content: string | ContentPart[]
  readonly target?: Target | undefined
}

function* answerCall(
  run: PatternRun,
  caller: ConversableAgent,
  call: ToolCall,
  runInner: RunInnerGroup,
): Steps<AnsweredCall> {
  const { name } = call.function
  const { tools } = run.policy
  const input = yield* blockedOnWay(run, tools, { from: caller.name, to: name }, call.function.arguments)
  if (input.blocked !== null) return { content: input.blocked }
  const offered = offeredTo(run, caller).find((each) => each.name === name)
  const answers = plainAnswers({ known: run.targets, isRecorded: yield* isRecorded() })
  const own = offered ? handoffFunction(run, caller, offered) : ownFunction(run, caller, name)
  const mapped = own && answers.plain(own)
  const {
    success,
    content: answered,
    arguments: args,
  } = yield* callFor(
    caller,
    { ...call, function: { ...call.function, arguments: input.text } },
    { mapped, recipient: EXECUTOR },
  )
  const answer: ReadAnswer = success ? readAnswer(answered, answers) : { result: answered }
  const to = offered && success ? (answer.target ?? offered.handoff.to) : answer.target
  const given = answer.text ?? contentOfResult(answer.result) ?? resultText(answer.result)
  const result = contentText(given)
  yield {
    type: 'executedFunction',
    agent: caller.name,
    funcName: name,
    callId: call.id ?? null,
    arguments: args,
    content: result,
    recipient: EXECUTOR,
  }
  const output = yield* blockedOnWay(run, tools, { from: name, to: caller.name }, result)
  const content: AnsweredCall['content'] =
    output.blocked ?? (output.text === result ? given : withText(given, output.text))
  if (answer.variables) run.variables.update(answer.variables)
  if (to === undefined) return { content }
  if (isForStandIn(to)) standInFor(run, caller, to, runInner)
  const isRandom = offered && isTargetObject(offered.handoff.to) && offered.handoff.to['~target'] === 'randomAgent'
  const facts = { ...factsOf(run, caller, to), ...(isRandom && { target: 'randomAgent' }) }
  const by = offered ? 'tool' : 'result'
  run.next = { target: to, by }
  yield { type: 'handoff', agent: caller.name, ...facts, by }
  return { content, target: to }
}

/** The handoffs that an agent's model was offered, or could have been. */
const offeredTo = (run: PatternRun, caller: ConversableAgent): readonly HandoffTool[] =>
  run.offered.get(caller) ?? availableTools(run, run.members.get(caller) ?? { tools: [] })

/** The function of a handoff: its arguments become context variables. */
function handoffFunction(run: PatternRun, caller: ConversableAgent, offered: HandoffTool): MappedFunction {
  const { raw, needsApproval } = argumentsOf(offered)
  const { to } = offered.handoff
  return Object.assign(
    (args: unknown, context: ToolContext): unknown => {
      const given = raw(args, context)
      const answer = (variables: unknown) => answerOf(run, caller, to, variables)
      return typeof (given as PromiseLike<unknown> | null)?.then === 'function'
        ? (given as PromiseLike<unknown>).then(answer)
        : answer(given)
    },
    { needsApproval },
  )
}

function answerOf(run: PatternRun, caller: ConversableAgent, to: Target, variables: unknown): object {
  const given = typeof variables === 'object' && variables !== null && Object.keys(variables).length > 0
  const contextVariables = given ? { contextVariables: variables } : {}
  if (isTargetObject(to) && to['~target'] === 'randomAgent') {
    const others = othersIn(run, to, caller)
    const target = others.length > 0 ? drawnOf(run, others).name : undefined
    const message = target === undefined ? 'Error: there is nobody else to transfer to' : `Transfer to ${target}`
    return { '~replyResult': true, message, ...(target !== undefined && { target }), ...contextVariables }
  }
  const standIn = isForStandIn(to) ? run.standInsOf.get(caller)?.get(to) : undefined
  return { '~replyResult': true, message: handoffText(standIn?.agent ?? to), ...contextVariables }
}

/** The function that an agent may call: only one that its model was told of, whoever has it. */
function ownFunction(run: PatternRun, caller: ConversableAgent, name: string): MappedFunction | undefined {
  const isTold = internalsOf(caller).model === null || toolNamesOf(caller).includes(name)
  if (!isTold) return undefined
  const others = internalsOf(caller).model === null ? [] : [...run.members.keys()].filter((each) => each !== caller)
  for (const agent of [caller, ...others]) {
    const its = functionOf(agent, name)
    if (its) return its
  }
  return undefined
}

/** The member whose calls are open, where a chat goes on with a message from before. */
export function callerOf(run: PatternRun, name: string | undefined): ConversableAgent {
  const found = [...run.members.values()].find(({ agent }) => agent.name === name)
  if (found) return found.agent
  throw new XError('invalid-argument', `the calls of \`${name}\` cannot be made: nobody of that name is in the group`)
}

/** The result of a tool as a model reads it: a text as it is, nothing as an empty one, parts by their text, others as JSON. */
export function resultText(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === null || result === undefined) return ''
  if (isParts(result)) return result.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('')
  try {
    return JSON.stringify(result) ?? ''
  } catch {
    // A cycle or a BigInt: JSON knows neither, and a message needs a text.
    return typeof result === 'bigint' ? result.toString() : Object.prototype.toString.call(result)
  }
}

const isParts = (value: unknown): value is readonly ContentPart[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((each: unknown) => typeof each === 'object' && each !== null && 'type' in each && 'text' in each)
