import { AssistantAgent, UserProxyAgent, type ConversableAgent } from '@x/agent'
import type { Io, LlmConfig, Tool } from '@x/interfaces'

/** Who takes part in a chat of a person with an assistant. */
export interface Cast {
  /** Stands for the person, and executes the tools. */
  readonly user: ConversableAgent
  readonly assistant: ConversableAgent
}

/** What the two are made of. */
export interface CastOptions {
  readonly llmConfig: LlmConfig
  readonly systemMessage: string
  readonly tools?: readonly Tool[] | undefined
  /** Where an agent or a tool asks the person something in the middle of a turn; default: the console. */
  readonly io?: Io | undefined
}

/** A person and an assistant: a turn goes on as long as the assistant calls tools, and ends with its answer. */
export function castOf({ llmConfig, systemMessage, tools = [], io }: CastOptions): Cast {
  const assistant = new AssistantAgent({ name: 'assistant', llmConfig, systemMessage, ...(io && { io }) })
  const user = new UserProxyAgent({
    name: 'user',
    humanInputMode: 'NEVER',
    isTerminationMsg: ({ tool_calls: calls }) => !calls?.length,
    ...(io && { io }),
  })
  for (const tool of tools) {
    assistant.registerForLlm(tool)
    user.registerForExecution(tool)
  }
  return { user, assistant }
}
