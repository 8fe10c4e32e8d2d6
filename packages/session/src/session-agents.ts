import { AssistantAgent, UserProxyAgent, type ConversableAgent } from '@x/agent'
import type { HistoryView, Io, LlmConfig, Tool, UsageSummary } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { SavedAgents } from './session-store.ts'

/** The two sides of a session. */
export interface SessionAgents {
  /** Stands for the person and executes the tools; must not ask for human input, except as a member of a group. */
  readonly user: ConversableAgent
  /** Answers the person and calls tools. */
  readonly assistant: ConversableAgent
  /** Further agents whose states are saved, with names of their own: the members of a group that `assistant` manages. */
  readonly members?: readonly ConversableAgent[] | undefined
}

/** Options of `createSessionAgents`. */
export interface SessionAgentsOptions {
  /** Model of the assistant. */
  readonly llmConfig: LlmConfig
  /** Instructions for the model; default: those of `AssistantAgent`. */
  readonly systemMessage?: string | undefined
  /** Tools that the assistant may call; default: none. */
  readonly tools?: readonly Tool[] | undefined
  /** Chooses what the model sees of a long chat, as `fit` of `@x/history` makes it; default: everything. */
  readonly history?: HistoryView | undefined
  /** Receives the events of both agents and the questions that tools ask the person; default: the console. */
  readonly io?: Io | undefined
}

const SESSION_AGENTS_KINDS: OptionKinds<SessionAgentsOptions> = {
  llmConfig: AssistantAgent.optionKinds.llmConfig,
  systemMessage: kind.text,
  tools: kind.list,
  history: AssistantAgent.optionKinds.history,
  io: AssistantAgent.optionKinds.io,
}

/** Creates a person's agent and an assistant; a turn between them ends with the first answer that calls no tool. */
export function createSessionAgents(options: SessionAgentsOptions): SessionAgents {
  checkOptions(options ?? null, SESSION_AGENTS_KINDS, 'run `createSessionAgents`')
  const { llmConfig, systemMessage, tools = [], history, io } = options
  const assistant = new AssistantAgent({
    name: 'assistant',
    llmConfig,
    functions: tools,
    ...(systemMessage !== undefined && { systemMessage }),
    ...(history && { history }),
    ...(io && { io }),
  })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'NEVER',
    isTerminationMsg: ({ tool_calls: calls }) => !calls?.length,
    ...(io && { io }),
  })
  for (const tool of tools) user.registerForExecution(tool)
  return { user, assistant }
}

/** Returns the states of all agents of a session. */
export const saveAgents = ({ user, assistant, members }: SessionAgents): SavedAgents => ({
  user: user.saveState(),
  assistant: assistant.saveState(),
  ...(members && { members: members.map((member) => member.saveState()) }),
})

/** Loads saved states into the agents of a session; fails with `invalid-state` when the members are not the saved ones. */
export function loadAgents({ user, assistant, members = [] }: SessionAgents, saved: SavedAgents): void {
  const states = saved.members ?? []
  const names = members.map(({ name }) => name)
  const savedNames = states.map(({ name }) => name)
  if (names.join('\n') !== savedNames.join('\n')) {
    throw new XError(
      'invalid-state',
      `could not open the chat: it was saved with the members ${listNames(savedNames)} and now has ${listNames(names)}; open it with the same agents`,
    )
  }
  const agents = [user, assistant, ...members]
  for (const [index, state] of [saved.user, saved.assistant, ...states].entries()) {
    const agent = agents[index]!
    agent.loadState(state, { agents: agents.filter((other) => other !== agent) })
  }
}

const listNames = (names: readonly string[]): string => (names.length > 0 ? `\`${names.join('`, `')}\`` : '(none)')

/** Sums the usage of the models of all agents of a session, without cached answers. */
export function usageOf({ user, assistant, members = [] }: SessionAgents): UsageSummary {
  const sum: UsageSummary = { totalCost: 0, models: {} }
  const unpriced = new Set<string>()
  for (const agent of [user, assistant, ...members]) {
    const summary = agent.getActualUsage()
    if (!summary) continue
    sum.totalCost += summary.totalCost
    for (const [name, usage] of Object.entries(summary.models)) sum.models[name] = addUsage(sum.models[name], usage)
    for (const name of summary.unpriced ?? []) unpriced.add(name)
  }
  return unpriced.size > 0 ? { ...sum, unpriced: [...unpriced] } : sum
}

const addUsage = (
  one: UsageSummary['models'][string] | undefined,
  other: UsageSummary['models'][string],
): UsageSummary['models'][string] => ({
  cost: (one?.cost ?? 0) + other.cost,
  promptTokens: (one?.promptTokens ?? 0) + other.promptTokens,
  completionTokens: (one?.completionTokens ?? 0) + other.completionTokens,
  totalTokens: (one?.totalTokens ?? 0) + other.totalTokens,
})
