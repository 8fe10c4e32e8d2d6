import type { ConversableAgent } from '@x/agent'
import { callFor, functionOf, internalsOf, isRecorded, noteAnswers, toolNamesOf } from '@x/agent/steps'
import type { ChatMessage, ContentPart, ToolCall, ToolContext, ToolResponse } from '@x/interfaces'
import { isThenable, XError, type Steps } from '@x/kernel'
import { contentOfResult, contentText, isParts } from '@x/kernel/tool-content'
import { handoffFunctionParts, type HandoffTool } from '../handoff/handoff.ts'
import { handoffText, isTargetObject, type Target } from '../handoff/target.ts'
import { AnswerCodec, type DecodedAnswer, type MappedFunction } from './answer-codec.ts'
import { pickFrom, randomCandidates } from './choose.steps.ts'
import { TOOL_EXECUTOR_NAME, toolCallsOf, type PatternRun } from './pattern-run.ts'
import { screenText } from './policy.steps.ts'
import { replaceText } from './policy.ts'
import { availableTools, describeTargetIn } from './reply.steps.ts'
import { findStandIn, getStandIn, needsStandIn, type RunInnerGroup } from './stand-ins.ts'

/** Executes the calls of a member's message one after the other, and returns the message with all answers. */
export function* answerCalls(
  run: PatternRun,
  caller: ConversableAgent,
  message: ChatMessage,
  runInner: RunInnerGroup,
): Steps<ChatMessage> {
  const responses: ToolResponse[] = []
  yield* noteAnswers(caller, run.manager, responses)
  let handoffs = 0
  for (const call of toolCallsOf(message)) {
    const { content, target } = yield* answerCall(run, caller, call, runInner)
    if (target !== undefined) handoffs++
    responses.push({ ...(call.id !== undefined && { tool_call_id: call.id }), role: 'tool', content })
  }
  yield* noteAnswers(caller, run.manager, null)
  if (handoffs > 1) {
    const text = `a message of \`${caller.name}\` hands over ${handoffs} times: the last target holds`
    yield { type: 'warning', agent: caller.name, topic: 'handoff', text }
  }
  const content = responses.map((response) => contentText(response.content)).join('\n')
  return { role: 'tool', name: TOOL_EXECUTOR_NAME, tool_responses: responses, content }
}

/** Finds the member whose calls are open, where a chat goes on with an earlier message. */
export function findCaller(run: PatternRun, name: string | undefined): ConversableAgent {
  const caller = [...run.members.values()].find(({ agent }) => agent.name === name)
  if (caller) return caller.agent
  throw new XError('invalid-argument', `cannot execute the calls of \`${name}\`: nobody in the group has that name`)
}

/** The answer to one call, and the target of a handoff. */
interface AnsweredCall {
  readonly content: string | ContentPart[]
  readonly target?: Target | undefined
}

/** Executes one call between the rules on tools, and notes its variables and its handoff in the run. */
function* answerCall(
  run: PatternRun,
  caller: ConversableAgent,
  call: ToolCall,
  runInner: RunInnerGroup,
): Steps<AnsweredCall> {
  const { name } = call.function
  const { tools } = run.policy
  const input = yield* screenText(run, tools, { from: caller.name, to: name }, call.function.arguments)
  if (input.blocked !== null) return { content: input.blocked }
  const handoff = offeredTo(run, caller).find((each) => each.name === name)
  const screened = { ...call, function: { ...call.function, arguments: input.text } }
  const { answer, success } = yield* executeCall(run, caller, screened, handoff)
  const result = contentText(answer.content)
  const output = yield* screenText(run, tools, { from: name, to: caller.name }, result)
  const content: AnsweredCall['content'] =
    output.blocked ?? (output.text === result ? answer.content : replaceText(answer.content, output.text))
  if (answer.variables) run.variables.update(answer.variables)
  const to = handoff && success ? (answer.target ?? handoff.handoff.to) : answer.target
  if (to === undefined) return { content }
  if (needsStandIn(to)) getStandIn(run, caller, to, runInner)
  const isRandom = handoff && isTargetObject(handoff.handoff.to) && handoff.handoff.to['~target'] === 'randomAgent'
  const description = { ...describeTargetIn(run, caller, to), ...(isRandom && { target: 'randomAgent' }) }
  const by = handoff ? 'tool' : 'result'
  run.next = { target: to, by }
  yield { type: 'handoff', agent: caller.name, ...description, by }
  return { content, target: to }
}

/** The answer of an executed call, with its content for the model. */
interface ExecutedCall {
  readonly answer: DecodedAnswer & { readonly content: string | ContentPart[] }
  readonly success: boolean
}

/** Executes a call by a handoff tool or by a function of a member, and sends its event. */
function* executeCall(
  run: PatternRun,
  caller: ConversableAgent,
  call: ToolCall,
  handoff: HandoffTool | undefined,
): Steps<ExecutedCall> {
  const { name } = call.function
  const codec = new AnswerCodec(run.targets, yield* isRecorded())
  const fn = handoff ? handoffFunction(run, caller, handoff) : findFunction(run, caller, name)
  const called = yield* callFor(caller, call, { mapped: fn && codec.wrap(fn), recipient: TOOL_EXECUTOR_NAME })
  const { success } = called
  const answer: DecodedAnswer = success ? codec.decode(called.content) : { result: called.content }
  const content = answer.text ?? contentOfResult(answer.result) ?? resultText(answer.result)
  yield {
    type: 'executedFunction',
    agent: caller.name,
    funcName: name,
    callId: call.id ?? null,
    arguments: called.arguments,
    content: contentText(content),
    recipient: TOOL_EXECUTOR_NAME,
  }
  return { answer: { ...answer, content }, success }
}

/** Returns the handoff tools that the model of an agent was offered, or could have been offered. */
const offeredTo = (run: PatternRun, caller: ConversableAgent): readonly HandoffTool[] =>
  run.offeredTools.get(caller) ?? availableTools(run, run.members.get(caller) ?? { tools: [] })

/** Returns the function of a handoff tool: its arguments become context variables. */
function handoffFunction(run: PatternRun, caller: ConversableAgent, handoff: HandoffTool): MappedFunction {
  const { raw, needsApproval } = handoffFunctionParts(handoff)
  const { to } = handoff.handoff
  return Object.assign(
    (args: unknown, context: ToolContext): unknown => {
      const checked = raw(args, context)
      const answer = (variables: unknown) => handoffAnswer(run, caller, to, variables)
      return isThenable(checked) ? checked.then(answer) : answer(checked)
    },
    { needsApproval },
  )
}

/** Returns the answer of a handoff tool, in the form of a `replyResult`. */
function handoffAnswer(run: PatternRun, caller: ConversableAgent, to: Target, variables: unknown): object {
  const hasVariables = typeof variables === 'object' && variables !== null && Object.keys(variables).length > 0
  const contextVariables = hasVariables ? { contextVariables: variables } : {}
  if (isTargetObject(to) && to['~target'] === 'randomAgent') {
    const others = randomCandidates(run, to, caller)
    const target = others.length > 0 ? pickFrom(run, others).name : undefined
    const message = target === undefined ? 'Error: there is nobody else to transfer to' : `Transfer to ${target}`
    return { '~replyResult': true, message, ...(target !== undefined && { target }), ...contextVariables }
  }
  const standIn = findStandIn(run, caller, to)
  return { '~replyResult': true, message: handoffText(standIn?.agent ?? to), ...contextVariables }
}

/** Finds a function that an agent may call: one that its model was told of, from any member. */
function findFunction(run: PatternRun, caller: ConversableAgent, name: string): MappedFunction | undefined {
  const hasModel = internalsOf(caller).model !== null
  if (hasModel && !toolNamesOf(caller).includes(name)) return undefined
  const others = hasModel ? [...run.members.keys()].filter((each) => each !== caller) : []
  for (const agent of [caller, ...others]) {
    const fn = functionOf(agent, name)
    if (fn) return fn
  }
  return undefined
}

/** Returns the result of a tool as text for a model: a text as it is, null as empty, parts by their text, others as JSON. */
function resultText(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === null || result === undefined) return ''
  if (isParts(result)) return contentText(result)
  try {
    return JSON.stringify(result) ?? ''
  } catch {
    // JSON has neither cycles nor BigInt, but the message needs a text.
    return typeof result === 'bigint' ? result.toString() : Object.prototype.toString.call(result)
  }
}
