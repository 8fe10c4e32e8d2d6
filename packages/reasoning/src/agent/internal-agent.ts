import type { Agent, Model, ModelResponse, UsageSummary } from '@x/interfaces'
import type { ModelCaller } from '../ask/ask-model.ts'

/** Options of an `InternalAgent`. */
export interface InternalAgentOptions {
  name: string
  description: string
  systemMessage: string
  /** Makes the model, at the first call, so that the model has the clients registered until then. */
  model: () => Model
}

/** The thinker or the grader of a reasoning agent: a name, a system message and a model, called without history. */
export class InternalAgent implements Agent, ModelCaller {
  readonly name: string
  readonly description: string
  readonly systemMessage: string
  readonly #makeModel: () => Model
  #model: Model | undefined
  #actualUsage: UsageSummary | null = null
  #totalUsage: UsageSummary | null = null

  constructor({ name, description, systemMessage, model }: InternalAgentOptions) {
    this.name = name
    this.description = description
    this.systemMessage = systemMessage
    this.#makeModel = model
  }

  /** The model, made at the first access. */
  get model(): Model {
    return (this.#model ??= this.#makeModel())
  }

  /** The usage of this agent without cache hits; null before the first call. */
  get actualUsage(): UsageSummary | null {
    return this.#actualUsage
  }

  /** The usage of this agent with cache hits; null before the first call. */
  get totalUsage(): UsageSummary | null {
    return this.#totalUsage
  }

  /** Counts a response; the usage of the model itself is that of the whole reasoning agent. */
  note(response: ModelResponse): void {
    this.#totalUsage = addUsage(this.#totalUsage, response)
    if (!response.cached) this.#actualUsage = addUsage(this.#actualUsage, response)
  }
}

function addUsage(summary: UsageSummary | null, { model, cost, usage }: ModelResponse): UsageSummary {
  const earlier = summary?.models[model]
  const used = {
    cost: (earlier?.cost ?? 0) + cost,
    promptTokens: (earlier?.promptTokens ?? 0) + (usage?.prompt_tokens ?? 0),
    completionTokens: (earlier?.completionTokens ?? 0) + (usage?.completion_tokens ?? 0),
    totalTokens: (earlier?.totalTokens ?? 0) + (usage?.total_tokens ?? 0),
  }
  return { totalCost: (summary?.totalCost ?? 0) + cost, models: { ...summary?.models, [model]: used } }
}
