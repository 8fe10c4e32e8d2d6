import { AssistantAgent, UserProxyAgent, type ConversableAgent } from '@x/agent'
import type { HistoryView, Io, LlmConfig, Tool } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

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

const KINDS: OptionKinds<SessionAgentsOptions> = {
  llmConfig: AssistantAgent.optionKinds.llmConfig,
  systemMessage: kind.text,
  tools: kind.list,
  history: AssistantAgent.optionKinds.history,
  io: AssistantAgent.optionKinds.io,
}

/** Creates a person's agent and an assistant; a turn between them ends with the first answer that calls no tool. */
export function createSessionAgents(options: SessionAgentsOptions): SessionAgents {
  checkOptions(options ?? null, KINDS, 'run `createSessionAgents`')
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
