import type { ConversableAgent } from '@x/agent'
import { generateReply } from '@x/agent/steps'
import type { ChatMessage, Reply, ReplyOutcome, ToolSchema } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { contentText } from '@x/kernel/tool-content'
import { handoffToolSchema, passes, type HandoffTool } from '../handoff/handoff.ts'
import { isTargetObject, describeTarget, type Target, type TargetDescription } from '../handoff/target.ts'
import { runGuardrails, unansweredMessages, type Finding } from './guard.steps.ts'
import { readVariables, type PatternRun, type PreparedMember } from './pattern-run.ts'
import { pickAgent } from './choose.steps.ts'
import { screenMessage, screenModelMessages } from './policy.steps.ts'
import { findStandIn } from './stand-ins.ts'
import { withoutCalls } from './without-calls.ts'

/** Asks a member for its reply, between its guardrails; null when it has none. */
export function* replyOfMember(run: PatternRun, member: PreparedMember): Steps<Reply | null> {
  const { agent, inputGuardrails, outputGuardrails } = member
  run.handoffNotice = false
  if (inputGuardrails.length > 0) {
    const finding = yield* runGuardrails(run, inputGuardrails, { agent, messages: unansweredMessages(run, agent) })
    if (finding) return yield* handOverByGuardrail(run, member, finding)
  }
  const additions = {
    sees: (messages: readonly ChatMessage[]) => modelView(run, member, messages),
    begin: () => beginReply(run, member),
    tools: () => offerTools(run, member),
  }
  const generated = yield* generateReply(agent, { sender: run.manager }, additions)
  const reply = generated === null ? null : yield* screenReply(run, agent, withStructuredOutput(generated))
  if (outputGuardrails.length === 0 || reply === null) return reply
  const text = typeof reply === 'string' ? reply : contentText(reply.content)
  if (text === '') return reply
  const finding = yield* runGuardrails(run, outputGuardrails, { agent, messages: [{ role: 'user', content: text }] })
  return finding ? yield* handOverByGuardrail(run, member, finding) : reply
}

/** Applies the rules on models and people to a reply. */
function* screenReply(run: PatternRun, agent: ConversableAgent, reply: Reply): Steps<Reply> {
  const { models, users } = run.policy
  if (models.length === 0 && users.length === 0) return reply
  const message = typeof reply === 'string' ? { content: reply } : reply
  const rules = agent.humanInputMode === 'NEVER' ? models : users
  const from = agent.humanInputMode === 'NEVER' ? 'llm' : 'user'
  const screened = yield* screenMessage(run, rules, { from, to: agent.name }, message)
  return screened === message ? reply : screened
}

/** Sends the events of rules on the way to the model, and runs the tests. */
function* beginReply(run: PatternRun, member: PreparedMember): Steps<ReplyOutcome> {
  yield* run.safeguardEvents.splice(0)
  return yield* runTests(run, member)
}

/** Hands over by a guardrail; the member says its text in place of a reply. */
function* handOverByGuardrail(run: PatternRun, { agent }: PreparedMember, { guardrail, text }: Finding): Steps<Reply> {
  const { to } = guardrail
  run.next = { target: to, by: 'guardrail' }
  run.handoffNotice = true
  yield { type: 'handoff', agent: agent.name, ...describeTargetIn(run, agent, to), by: 'guardrail' }
  return text
}

/** Returns the messages for the model of a member. */
function modelView(run: PatternRun, { agent, sees }: PreparedMember, messages: readonly ChatMessage[]) {
  const hidesHandoffs = run.pattern.excludeTransitMessage !== false && agent !== run.userAgent
  const visible = hidesHandoffs ? withoutCalls(messages, run.handoffNames) : messages
  const view = sees ? sees(visible) : visible
  if (run.policy.models.length === 0) return view
  const { messages: screened, events } = screenModelMessages(run, agent, view)
  run.safeguardEvents.push(...events)
  return screened
}

/** Hands over by the first test of a member that passes: the member says so, and its model is not called. */
function* runTests(run: PatternRun, { agent, tests }: PreparedMember): Steps<ReplyOutcome> {
  for (const { when, available, to } of tests) {
    if (available && !passes(available, readVariables(run))) continue
    if (when !== true && !passes(when, readVariables(run))) continue
    const picked = isTargetObject(to) && to['~target'] === 'randomAgent' ? yield* pickAgent(run, to, agent) : null
    const description = { ...describeTargetIn(run, agent, to), ...(picked && { to: picked.name }) }
    run.next = { target: picked ?? to, by: 'test' }
    run.handoffNotice = true
    yield { type: 'handoff', agent: agent.name, ...description, by: 'test' }
    return [true, `[Handing off to ${description.to}]`]
  }
  return [false, null]
}

/** Describes a target; a target with a stand-in has the name of the stand-in. */
export function describeTargetIn(run: PatternRun, agent: ConversableAgent, target: Target): TargetDescription {
  return describeTarget(findStandIn(run, agent, target)?.agent ?? target)
}

/** Returns the handoffs that the model of a member may choose now. */
export function availableTools(run: PatternRun, { tools }: Pick<PreparedMember, 'tools'>): readonly HandoffTool[] {
  return tools.filter(({ handoff: { available } }) => !available || passes(available, readVariables(run)))
}

function offerTools(run: PatternRun, member: PreparedMember): readonly ToolSchema[] {
  const tools = availableTools(run, member)
  run.offeredTools.set(member.agent, tools)
  return tools.map((each) => handoffToolSchema(each, readVariables(run), (name) => run.missingVariables.add(name)))
}

const STRUCTURED_OUTPUT_TOOL_NAME = '__structured_output'

/** Turns the call of `__structured_output` in a reply into its content. */
function withStructuredOutput(reply: Reply): Reply {
  if (typeof reply === 'string' || !reply.tool_calls) return reply
  const structured = reply.tool_calls.find((call) => call.function.name === STRUCTURED_OUTPUT_TOOL_NAME)
  if (!structured) return reply
  const { tool_calls: calls, ...rest } = reply
  const others = calls.filter((call) => call !== structured)
  return { ...rest, content: structured.function.arguments, ...(others.length > 0 && { tool_calls: others }) }
}
