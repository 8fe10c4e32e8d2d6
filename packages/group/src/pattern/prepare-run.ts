import { ConversableAgent } from '@x/agent'
import { setManagerRole, toolNamesOf } from '@x/agent/steps'
import type { Agent, ChatMessage, LlmConfig, ReplyOutcome } from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { managerRole, newGroupState } from '../group/group-state.ts'
import { ContextVariables } from '../handoff/context-variables.ts'
import { checkGuardrail } from '../handoff/guardrail.ts'
import { checkHandoff, handoffLists, handoffTool, type HandoffTool } from '../handoff/handoff.ts'
import { isTargetObject, type Target } from '../handoff/target.ts'
import { readPolicy, type Policy, type PolicyNames } from './policy.ts'
import { checkTargets } from './check-targets.ts'
import type { GroupPattern, Member } from './pattern.ts'
import { PatternManager, TEMPORARY_USER, type PatternRun, type PreparedMember } from './pattern-run.ts'
import { isForStandIn, standInFor, type RunInnerGroup } from './stand-ins.ts'

/** How a run is begun. */
interface RunChoice {
  readonly maxRounds: number
  readonly silent: boolean
  /** Answers a message of the chat with the manager. */
  readonly runMessage: (run: PatternRun, sender: Agent, message: ChatMessage) => Steps<ReplyOutcome>
  readonly runInner: RunInnerGroup
  readonly safeguardPolicy?: unknown
  readonly safeguardLlmConfig?: LlmConfig | undefined
}

/** Makes all that a run of a pattern needs; what cannot be is refused with `invalid-argument`, before anything is said. */
export function prepareRun(pattern: GroupPattern<never>, choice: RunChoice): PatternRun {
  const members = readMembers(pattern)
  const user = pattern.userAgent === undefined ? null : agentOf(pattern.userAgent)
  if (user && pattern.agents.some((each) => agentOf(each) === user)) {
    throw refused(`\`${user.name}\` is its \`userAgent\` and among its \`agents\`; leave it out of \`agents\``)
  }
  const agents = members.filter(({ agent }) => agent !== user).map(({ agent }) => agent)
  const initialAgent = initialOf(pattern, members)
  const { groupManagerArgs = {}, random } = pattern
  const manager: PatternManager = new PatternManager(groupManagerArgs, (sender, message) =>
    choice.runMessage(run, sender, message),
  )
  const { io } = groupManagerArgs
  const others = user
    ? [user]
    : [new ConversableAgent({ name: TEMPORARY_USER, humanInputMode: 'NEVER', ...(io && { io }) })]
  const group = newGroupState({
    agents: [...agents, ...others],
    maxRound: choice.maxRounds,
    ...(io && { io }),
    ...(random && { random }),
  })
  requireOwnName(group.settings.agents, manager)
  manager.groupchat = group.group
  const given: unknown = pattern.contextVariables
  const run: PatternRun = {
    pattern,
    manager,
    group,
    agents,
    userAgent: user,
    initialAgent,
    members: new Map(),
    variables: given instanceof ContextVariables ? given : new ContextVariables(given as Record<string, unknown>),
    maxRounds: choice.maxRounds,
    silent: groupManagerArgs.silent ?? choice.silent,
    standIns: new Map(),
    standInsOf: new Map(),
    targets: targetsOf(pattern, members),
    handoffNames: new Set(),
    policy: readPolicy(choice.safeguardPolicy ?? {}, namesFor([...agents, ...others])),
    policyModel: choice.safeguardLlmConfig ?? null,
    offered: new Map(),
    otherModels: new Set(),
    missing: new Set(),
    findings: [],
    next: null,
    lastAgent: null,
    isFirst: true,
    handoffsInRow: 0,
    handoffNotice: false,
    detail: null,
  }
  const prepared = members.map((member) => prepareMember(run, member, choice.runInner))
  for (const each of prepared) (run.members as Map<Agent, PreparedMember>).set(each.agent, each)
  for (const { tools } of prepared) for (const { name } of tools) (run.handoffNames as Set<string>).add(name)
  checkTargets(run)
  requirePolicyModel(run)
  const role = managerRole(group)
  setManagerRole(manager, {
    ...role,
    models: () => [...role.models(), ...[...run.otherModels].flatMap((models) => models())],
  })
  return run
}

function readMembers({ agents, userAgent }: GroupPattern<never>): Member<never>[] {
  if (!Array.isArray(agents) || agents.length === 0) throw refused('it has no `agents`; give a list of them')
  const given = [...agents, ...(userAgent === undefined ? [] : [userAgent])] as (ConversableAgent | Member<never>)[]
  return given.map((each, index) => {
    const member = each instanceof ConversableAgent ? { agent: each } : each
    if (!(member?.agent instanceof ConversableAgent)) {
      throw refused(`member ${index} is not an agent; give a \`ConversableAgent\`, or \`{ agent, handoffs }\``)
    }
    const attempt = `make \`${member.agent.name}\` a member of a group`
    for (const handoff of member.handoffs ?? []) checkHandoff(handoff, attempt)
    for (const guardrail of [...(member.inputGuardrails ?? []), ...(member.outputGuardrails ?? [])]) {
      checkGuardrail(guardrail, attempt)
    }
    return member
  })
}

/** The names that rules of a policy may have. */
const namesFor = (agents: readonly ConversableAgent[]): PolicyNames => ({
  agents: agents.map(({ name }) => name),
  tools: agents.flatMap((agent) => [...toolNamesOf(agent), ...Object.keys(agent.functionMap)]),
})

function requirePolicyModel({ policy, policyModel }: PatternRun): void {
  if (
    policyModel ||
    !Object.values(policy as unknown as Record<string, Policy['between']>).some((rules) =>
      rules.some(({ check }) => typeof check === 'string'),
    )
  )
    return
  throw refused('a rule of its `safeguardPolicy` is checked by a model; give a `safeguardLlmConfig`')
}

/** The targets of a pattern that are not plain, in the order in which it names them. */
function targetsOf({ targets = [], groupAfterWork }: GroupPattern<never>, members: readonly Member<never>[]): Target[] {
  const named = members.flatMap(({ handoffs = [], inputGuardrails = [], outputGuardrails = [] }) =>
    [...handoffs, ...inputGuardrails, ...outputGuardrails].map(({ to }): Target => to),
  )
  return [...targets, ...named, ...(groupAfterWork === undefined ? [] : [groupAfterWork])].filter(
    (each) => isForStandIn(each) || (isTargetObject(each) && each['~target'] === 'function'),
  )
}

const agentOf = (member: ConversableAgent | Member<never>): ConversableAgent =>
  member instanceof ConversableAgent ? member : member.agent

function initialOf({ initialAgent }: GroupPattern<never>, members: readonly Member<never>[]): ConversableAgent {
  const found = members.find(({ agent }) => agent === initialAgent || agent.name === initialAgent)
  if (found) return found.agent
  const name = typeof initialAgent === 'string' ? initialAgent : initialAgent?.name
  throw refused(`its \`initialAgent\` \`${name}\` is not among its agents; name one of them`)
}

/** Sorts the handoffs of a member and makes the tools and the stand-ins of them. */
function prepareMember(run: PatternRun, member: Member<never>, runInner: RunInnerGroup): PreparedMember {
  const { agent, handoffs = [], inputGuardrails = [], outputGuardrails = [], sees } = member
  const lists = handoffLists(handoffs)
  const standIn = (target: unknown): string | undefined =>
    isForStandIn(target) ? standInFor(run, agent, target, runInner).agent.name : undefined
  const tools = lists.words.map((each, index): HandoffTool => handoffTool(each, index + 1, standIn(each.to)))
  for (const { to } of [...lists.tests, ...lists.after, ...inputGuardrails, ...outputGuardrails]) standIn(to)
  const twin = tools.find(({ name }, index) => tools.findIndex((each) => each.name === name) < index)
  if (twin)
    throw refused(`two handoffs of \`${agent.name}\` are the tool \`${twin.name}\`; give one another \`toolName\``)
  return { agent, ...lists, tools, inputGuardrails, outputGuardrails, sees }
}

function requireOwnName(agents: readonly Agent[], { name }: ConversableAgent): void {
  if (!agents.some((agent) => agent.name === name)) return
  throw refused(`its manager and a member are both named \`${name}\`; name the manager by \`groupManagerArgs\``)
}

const refused = (problem: string): XError => new XError('invalid-argument', `cannot run a pattern: ${problem}`)
