import type { ConversableAgent } from '@x/agent'
import type { JsonSchema, ToolSchema } from '@x/interfaces'
import type { SessionAgents } from '@x/session'

/** Facts about the agents of a chat for its transcript. */
export class Speakers {
  /** Name of the agent that stands for the person. */
  readonly person: string
  readonly #answering: readonly ConversableAgent[]

  constructor({ user, assistant, members }: SessionAgents) {
    this.person = user.name
    this.#answering = (members ?? [assistant]).filter((agent) => agent !== user)
  }

  /** Names of the agents that answer: the members of a group, or the assistant. */
  get names(): readonly string[] {
    return this.#answering.map(({ name }) => name)
  }

  /** Returns the JSON Schema of a tool's arguments. */
  parametersOf(tool: string): JsonSchema | undefined {
    for (const { llmConfig } of this.#answering) {
      if (!llmConfig) continue
      const tools = (llmConfig.config.tools ?? []) as readonly ToolSchema[]
      const schema = tools.find(({ function: { name } }) => name === tool)
      if (schema) return schema.function.parameters
    }
    return undefined
  }
}
