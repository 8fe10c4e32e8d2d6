import { AssistantAgent, UserProxyAgent, type ConversableAgent } from '@x/agent'
import type { Io, LlmConfig, Tool } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'

/** The two sides of a session. */
export interface SessionAgents {
  /** Stands for the person and executes the tools; must not ask for human input. */
  readonly user: ConversableAgent
  /** Answers the person and calls tools. */
  readonly assistant: ConversableAgent
}

/** Options of `createSessionAgents`. */
export interface SessionAgentsOptions {
  /** Model of the assistant. */
  readonly llmConfig: LlmConfig
  /** Instructions for the model; default: those of `AssistantAgent`. */
  readonly systemMessage?: string | undefined
  /** Tools that the assistant may call; default: none. */
  readonly tools?: readonly Tool[] | undefined
  /** Receives the events of both agents and the questions that tools ask the person; default: the console. */
  readonly io?: Io | undefined
}

const KINDS: OptionKinds<SessionAgentsOptions> = {
  llmConfig: AssistantAgent.optionKinds.llmConfig,
  systemMessage: kind.text,
  tools: kind.list,
  io: AssistantAgent.optionKinds.io,
}

/** Creates a person's agent and an assistant; a turn between them ends with the first answer that calls no tool. */
export function createSessionAgents(options: SessionAgentsOptions): SessionAgents {
  checkOptions(options ?? null, KINDS, 'run `createSessionAgents`')
  const { llmConfig, systemMessage, tools = [], io } = options
  const assistant = new AssistantAgent({
    name: 'assistant',
    llmConfig,
    functions: tools,
    ...(systemMessage !== undefined && { systemMessage }),
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
