import type { ConversableAgent } from '@x/agent'
import { generateReply } from '@x/agent/steps'
import type { ChatMessage, Reply, ReplyOutcome, ToolSchema } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { toolSchemaOf, type HandoffTool } from '../handoff/handoff.ts'
import { isTargetObject, targetFacts, type Target, type TargetFacts } from '../handoff/target.ts'
import { firstFinding, unansweredBy } from './guard.steps.ts'
import { valuesIn, type PatternRun, type PreparedMember } from './pattern-run.ts'
import { drawAgent } from './choose.steps.ts'
import { messageOnWay, messagesForModel } from './policy.steps.ts'
import { isForStandIn } from './stand-ins.ts'
import { withoutCalls } from './without-calls.ts'

/** The reply of a member, between its guardrails; null when it has none. */
export function* replyOf(run: PatternRun, member: PreparedMember): Steps<Reply | null> {
  const { agent, inputGuardrails, outputGuardrails } = member
  run.handoffNotice = false
  if (inputGuardrails.length > 0) {
    const found = yield* firstFinding(run, inputGuardrails, { agent, messages: unansweredBy(run, agent) })
    if (found) return yield* stopped(run, member, found)
  }
  const additions = {
    sees: (messages: readonly ChatMessage[]) => seenBy(run, member, messages),
    begin: () => beginReply(run, member),
    tools: () => offeredTools(run, member),
  }
  const given = yield* generateReply(agent, { sender: run.manager }, additions)
  const reply = given === null ? null : yield* afterPolicy(run, agent, withStructuredOutput(given))
  const text = typeof reply === 'string' ? reply : reply?.content
  if (outputGuardrails.length === 0 || typeof text !== 'string' || text === '') return reply
  const found = yield* firstFinding(run, outputGuardrails, { agent, messages: [{ role: 'user', content: text }] })
  return found ? yield* stopped(run, member, found) : reply
}

/** A reply as the rules on models and people leave it. */
function* afterPolicy(run: PatternRun, agent: ConversableAgent, reply: Reply): Steps<Reply> {
  const { models, users } = run.policy
  if (models.length === 0 && users.length === 0) return reply
  const message = typeof reply === 'string' ? { content: reply } : reply
  const rules = agent.humanInputMode === 'NEVER' ? models : users
  const from = agent.humanInputMode === 'NEVER' ? 'llm' : 'user'
  const left = yield* messageOnWay(run, rules, { from, to: agent.name }, message)
  return left === message ? reply : left
}

/** Tells of what rules have found on the way to the model, and looks at the tests. */
function* beginReply(run: PatternRun, member: PreparedMember): Steps<ReplyOutcome> {
  yield* run.findings.splice(0)
  return yield* testsOf(run, member)
}

function* stopped(
  run: PatternRun,
  { agent }: PreparedMember,
  { guardrail, text }: { readonly guardrail: { readonly to: Target }; readonly text: string },
): Steps<Reply> {
  const { to } = guardrail
  run.next = { target: to, by: 'guardrail' }
  run.handoffNotice = true
  yield { type: 'handoff', agent: agent.name, ...factsOf(run, agent, to), by: 'guardrail' }
  return text
}

/** The messages that a member's model is shown. */
function seenBy(run: PatternRun, { agent, sees }: PreparedMember, messages: readonly ChatMessage[]) {
  const isHiding = run.pattern.excludeTransitMessage !== false && agent !== run.userAgent
  const shown = isHiding ? withoutCalls(messages, run.handoffNames) : messages
  const seen = sees ? sees(shown) : shown
  if (run.policy.models.length === 0) return seen
  const { messages: left, events } = messagesForModel(run, agent, seen)
  run.findings.push(...events)
  return left
}

/** The first test of a member that holds gives the floor away: the member says so, and its model is not asked. */
function* testsOf(run: PatternRun, { agent, tests }: PreparedMember): Steps<ReplyOutcome> {
  for (const { when, available, to } of tests) {
    if (available && !available(valuesIn(run))) continue
    if (when !== true && !when(valuesIn(run))) continue
    const drawn = isTargetObject(to) && to['~target'] === 'randomAgent' ? yield* drawAgent(run, to, agent) : null
    const facts = { ...factsOf(run, agent, to), ...(drawn && { to: drawn.name }) }
    run.next = { target: drawn ?? to, by: 'test' }
    run.handoffNotice = true
    yield { type: 'handoff', agent: agent.name, ...facts, by: 'test' }
    return [true, `[Handing off to ${facts.to}]`]
  }
  return [false, null]
}

/** The kind of a target and its name to show; an agent that stands for one is shown by its own. */
export function factsOf(run: PatternRun, agent: ConversableAgent, target: Target): TargetFacts {
  const standIn = isForStandIn(target) ? run.standInsOf.get(agent)?.get(target) : undefined
  return standIn ? targetFacts(standIn.agent) : targetFacts(target)
}

/** The handoffs that a member's model may choose now. */
export function availableTools(run: PatternRun, { tools }: Pick<PreparedMember, 'tools'>): readonly HandoffTool[] {
  return tools.filter(({ handoff: { available } }) => !available || available(valuesIn(run)))
}

function offeredTools(run: PatternRun, member: PreparedMember): readonly ToolSchema[] {
  const tools = availableTools(run, member)
  run.offered.set(member.agent, tools)
  return tools.map((each) => toolSchemaOf(each, valuesIn(run), (name) => run.missing.add(name)))
}

const STRUCTURED = '__structured_output'

/** A reply whose only call is that of its shape is the text of the call's arguments. */
function withStructuredOutput(reply: Reply): Reply {
  if (typeof reply === 'string' || !reply.tool_calls) return reply
  const shaped = reply.tool_calls.find((call) => call.function.name === STRUCTURED)
  if (!shaped) return reply
  const { tool_calls: calls, ...rest } = reply
  const others = calls.filter((call) => call !== shaped)
  return { ...rest, content: shaped.function.arguments, ...(others.length > 0 && { tool_calls: others }) }
}
