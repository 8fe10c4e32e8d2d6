import { ConversableAgent } from '@x/agent'
import { setManagerRole, toolNamesOf } from '@x/agent/steps'
import type { Agent, ChatMessage, LlmConfig, ReplyOutcome } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { noMember } from '../group/group-options.ts'
import { createManagerRole, createGroupState } from '../group/group-state.ts'
import { ContextVariables, copyForChat } from '../handoff/context-variables.ts'
import { checkGuardrail } from '../handoff/guardrail.ts'
import { checkHandoff, sortHandoffs, createHandoffTool, type HandoffTool } from '../handoff/handoff.ts'
import { isTargetObject, type Target } from '../handoff/target.ts'
import { type KnownNames, readPolicy } from './policy.ts'
import { checkTargets } from './check-targets.ts'
import { checkMember, type GroupPattern, type Member } from './pattern.ts'
import { PatternManager, TEMPORARY_USER_NAME, type PatternRun, type PreparedMember } from './pattern-run.ts'
import { needsStandIn, getStandIn, type RunInnerGroup } from './stand-ins.ts'

/** Options of preparing a run. */
interface PrepareOptions {
  /** The messages that the run goes on from; of a chat that begins, none. */
  readonly earlier: readonly ChatMessage[]
  readonly maxRounds: number
  readonly silent: boolean
  /** Runs the group from a message to the manager. */
  readonly replyByRun: (run: PatternRun, sender: Agent, message: ChatMessage) => Steps<ReplyOutcome>
  readonly runInner: RunInnerGroup
  readonly safeguardPolicy?: unknown
  readonly safeguardLlmConfig?: LlmConfig | undefined
}

/** Prepares a run of a pattern; an invalid pattern is refused with `invalid-argument`, before the first message. */
export function prepareRun(pattern: GroupPattern<never>, options: PrepareOptions): PatternRun {
  const members = readMembers(pattern)
  const user = readUserAgent(pattern)
  const agents = members.filter(({ agent }) => agent !== user).map(({ agent }) => agent)
  const initialAgent = findInitialAgent(pattern, members, options.earlier)
  const { groupManagerArgs = {}, random } = pattern
  const manager: PatternManager = new PatternManager(groupManagerArgs, (sender, message) =>
    options.replyByRun(run, sender, message),
  )
  const io = groupManagerArgs.io && { io: groupManagerArgs.io }
  const speakers = [
    ...agents,
    user ?? new ConversableAgent({ name: TEMPORARY_USER_NAME, humanInputMode: 'NEVER', ...io }),
  ]
  const group = createGroupState({ agents: speakers, maxRound: options.maxRounds, ...io, ...(random && { random }) })
  requireUniqueName(group.settings.agents, manager)
  manager.groupchat = group.group
  const variables: unknown = pattern.contextVariables
  const run: PatternRun = {
    pattern,
    manager,
    group,
    agents,
    userAgent: user,
    initialAgent,
    members: new Map(),
    variables:
      variables instanceof ContextVariables
        ? variables
        : new ContextVariables(copyForChat(variables as Record<string, unknown>)),
    maxRounds: options.maxRounds,
    silent: groupManagerArgs.silent ?? options.silent,
    standIns: new Map(),
    targets: collectTargets(pattern, members),
    handoffNames: new Set(),
    policy: readPolicy(options.safeguardPolicy ?? {}, policyNames(speakers)),
    policyModel: options.safeguardLlmConfig ?? null,
    offeredTools: new Map(),
    otherModels: new Set(),
    missingVariables: new Set(),
    safeguardEvents: [],
    next: null,
    lastAgent: null,
    isFirst: true,
    handoffsInRow: 0,
    handoffNotice: false,
    terminationDetail: null,
  }
  addMembers(run, members, options.runInner)
  checkTargets(run)
  requirePolicyModel(run)
  setRole(run)
  return run
}

/** Gives the manager its role, with the usage of all models of the run. */
function setRole({ manager, group, otherModels }: PatternRun): void {
  const role = createManagerRole(group)
  setManagerRole(manager, {
    ...role,
    models: () => [...role.models(), ...[...otherModels].flatMap((models) => models())],
  })
}

function readUserAgent({ userAgent, agents }: GroupPattern<never>): ConversableAgent | null {
  if (userAgent === undefined) return null
  const user = agentOf(userAgent)
  if (agents.every((each) => agentOf(each) !== user)) return user
  throw patternError(`\`${user.name}\` is its \`userAgent\` and among its \`agents\`; leave it out of \`agents\``)
}

/** Prepares the members, and adds them and the names of their handoff tools to the run. */
function addMembers(run: PatternRun, members: readonly Member<never>[], runInner: RunInnerGroup): void {
  const prepared = members.map((member) => prepareMember(run, member, runInner))
  for (const each of prepared) (run.members as Map<Agent, PreparedMember>).set(each.agent, each)
  for (const { tools } of prepared) for (const { name } of tools) (run.handoffNames as Set<string>).add(name)
}

/** Returns a member of a pattern as one with an agent; refuses what is none, with its position. */
export function readMember(value: unknown, index: number): Member<never> {
  const member = value instanceof ConversableAgent ? { agent: value } : (value as Member<never> | null | undefined)
  if (member?.agent instanceof ConversableAgent) return member
  const given: unknown = member?.agent ?? value
  throw patternError(`member ${index} ${noMember(given, 'a `ConversableAgent`, or `{ agent, handoffs }`')}`)
}

function readMembers({ agents, userAgent }: GroupPattern<never>): Member<never>[] {
  if (!Array.isArray(agents) || agents.length === 0) throw patternError('it has no `agents`; give a list of them')
  const listed: readonly unknown[] = [...agents, ...(userAgent === undefined ? [] : [userAgent])]
  return listed.map((each, index) => {
    const member = readMember(each, index)
    const attempt = `make \`${member.agent.name}\` a member of a group`
    checkMember(member, attempt)
    for (const handoff of member.handoffs ?? []) checkHandoff(handoff, attempt)
    for (const guardrail of [...(member.inputGuardrails ?? []), ...(member.outputGuardrails ?? [])]) {
      checkGuardrail(guardrail, attempt)
    }
    return member
  })
}

/** Returns the names that rules of a policy may refer to. */
const policyNames = (agents: readonly ConversableAgent[]): KnownNames => ({
  agents: agents.map(({ name }) => name),
  tools: agents.flatMap((agent) => [...toolNamesOf(agent), ...Object.keys(agent.functionMap)]),
})

function requirePolicyModel({ policy: { between, tools, models, users }, policyModel }: PatternRun): void {
  const rules = [...between, ...tools, ...models, ...users]
  if (policyModel || !rules.some(({ check }) => typeof check === 'string')) return
  throw patternError('a rule of its `safeguardPolicy` is checked by a model; give a `safeguardLlmConfig`')
}

/** Collects the targets of a pattern that are not plain data, in the order in which it names them. */
function collectTargets(
  { targets = [], groupAfterWork }: GroupPattern<never>,
  members: readonly Member<never>[],
): Target[] {
  const ofMembers = members.flatMap(({ handoffs = [], inputGuardrails = [], outputGuardrails = [] }) =>
    [...handoffs, ...inputGuardrails, ...outputGuardrails].map(({ to }): Target => to),
  )
  return [...targets, ...ofMembers, ...(groupAfterWork === undefined ? [] : [groupAfterWork])].filter(
    (each) => needsStandIn(each) || (isTargetObject(each) && each['~target'] === 'function'),
  )
}

const agentOf = (member: ConversableAgent | Member<never>): ConversableAgent =>
  member instanceof ConversableAgent ? member : member.agent

/**
 * Finds the agent that replies first. A name that is no member's but spoke in the earlier messages, as the `lastSpeaker` of
 * their chat may be one that answers calls, stands for the member that spoke last.
 */
function findInitialAgent(
  { initialAgent, userAgent }: GroupPattern<never>,
  members: readonly Member<never>[],
  earlier: readonly ChatMessage[],
): ConversableAgent {
  const isMember = (name: unknown): boolean =>
    members.some(({ agent }) => agent.name === name && agent !== (userAgent && agentOf(userAgent)))
  const isInitial = ({ agent }: Member<never>): boolean => agent === initialAgent || agent.name === initialAgent
  const hasSpoken = typeof initialAgent === 'string' && earlier.some((message) => message?.name === initialAgent)
  const last = hasSpoken ? earlier.findLast((message) => isMember(message?.name))?.name : undefined
  const initial = members.find(isInitial) ?? members.find(({ agent }) => agent.name === last)
  if (initial) return initial.agent
  if ((initialAgent ?? undefined) === undefined) {
    throw patternError('it has no `initialAgent`; name the agent of its `agents` that replies first')
  }
  const name = typeof initialAgent === 'string' ? initialAgent : initialAgent?.name
  throw patternError(`its \`initialAgent\` \`${name}\` is not among its agents; name one of them`)
}

/** Sorts the handoffs of a member, and makes their tools and stand-ins. */
function prepareMember(run: PatternRun, member: Member<never>, runInner: RunInnerGroup): PreparedMember {
  const { agent, handoffs = [], inputGuardrails = [], outputGuardrails = [], sees } = member
  const lists = sortHandoffs(handoffs)
  const standInName = (target: unknown): string | undefined =>
    needsStandIn(target) ? getStandIn(run, agent, target, runInner).agent.name : undefined
  const tools = lists.byModel.map((each, index): HandoffTool =>
    createHandoffTool(each, index + 1, standInName(each.to)),
  )
  for (const { to } of [...lists.tests, ...lists.after, ...inputGuardrails, ...outputGuardrails]) standInName(to)
  if (tools.length > 0 && !agent.llmConfig) {
    throw patternError(
      `\`${agent.name}\` has a handoff in words, but no model to choose it; give it an \`llmConfig\`, or the handoff a test`,
    )
  }
  const names = tools.map(({ name }) => name)
  const own = toolNamesOf(agent)
  const twin = names.find((name, index) => own.includes(name) || names.indexOf(name) < index)
  if (twin !== undefined)
    throw patternError(`two tools of \`${agent.name}\` are named \`${twin}\`; give a handoff another \`toolName\``)
  return { agent, ...lists, tools, inputGuardrails, outputGuardrails, sees }
}

function requireUniqueName(agents: readonly Agent[], { name }: ConversableAgent): void {
  if (!agents.some((agent) => agent.name === name)) return
  throw patternError(`its manager and a member are both named \`${name}\`; name the manager by \`groupManagerArgs\``)
}

const patternError = (problem: string): XError => new XError('invalid-argument', `cannot run a pattern: ${problem}`)
