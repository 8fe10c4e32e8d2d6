import type { ConversableAgent } from '@x/agent'
import type { JsonSchema, ToolSchema } from '@x/interfaces'
import type { SessionAgents } from '@x/session'

/** The agents of a chat, as a transcript needs to know them. */
export class Speakers {
  readonly #agents: () => SessionAgents
  readonly #models = new Map<string, string>()

  constructor(agents: () => SessionAgents) {
    this.#agents = agents
  }

  /** Names of the agents that answer: the members of a group, or the assistant. */
  get names(): readonly string[] {
    return this.#answering.map(({ name }) => name)
  }

  /** Name of the agent that stands for the person. */
  get person(): string {
    return this.#agents().user.name
  }

  /** Notes the model that answers for an agent. */
  noteModel(agent: string, model: string): void {
    this.#models.set(agent, model)
  }

  /** The model that answered last for an agent; of an earlier process it is known when the agent has used only one. */
  modelOf(agent: string): string | undefined {
    const noted = this.#models.get(agent)
    if (noted !== undefined) return noted
    const used = this.#answering.find(({ name }) => name === agent)?.getActualUsage()?.models ?? {}
    const [model, another] = Object.keys(used)
    return another === undefined ? model : undefined
  }

  /** The JSON Schema of a tool's arguments. */
  parametersOf(tool: string): JsonSchema | undefined {
    for (const { llmConfig } of this.#answering) {
      if (!llmConfig) continue
      const tools = (llmConfig.config.tools ?? []) as readonly ToolSchema[]
      const schema = tools.find(({ function: { name } }) => name === tool)
      if (schema) return schema.function.parameters
    }
    return undefined
  }

  get #answering(): readonly ConversableAgent[] {
    const { assistant, members } = this.#agents()
    return members ?? [assistant]
  }
}
