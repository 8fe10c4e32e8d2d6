import type { Agent, Model, ModelResponse, UsageSummary } from '@x/interfaces'
import type { Asker } from '../ask/ask-model.ts'

/** What makes an internal agent. */
export interface InternalAgentOptions {
  name: string
  description: string
  systemMessage: string
  /** Makes its model when it is first asked, so that clients registered until then are known to it. */
  model: () => Model
}

/** A part of a reasoner with a name, a system message and a model; it is asked without history, as often as needed. */
export class InternalAgent implements Agent, Asker {
  readonly name: string
  readonly description: string
  readonly systemMessage: string
  readonly #make: () => Model
  #model: Model | undefined
  #actual: UsageSummary | null = null
  #total: UsageSummary | null = null

  constructor({ name, description, systemMessage, model }: InternalAgentOptions) {
    this.name = name
    this.description = description
    this.systemMessage = systemMessage
    this.#make = model
  }

  get model(): Model {
    return (this.#model ??= this.#make())
  }

  /** What it has used, cache hits left out; null before its first call. */
  get actualUsage(): UsageSummary | null {
    return this.#actual
  }

  /** What it has used, cache hits included; null before its first call. */
  get totalUsage(): UsageSummary | null {
    return this.#total
  }

  /** Counts an answer; the ledger of its model is the one of the whole reasoner. */
  note(response: ModelResponse): void {
    this.#total = added(this.#total, response)
    if (!response.cached) this.#actual = added(this.#actual, response)
  }
}

function added(summary: UsageSummary | null, { model, cost, usage }: ModelResponse): UsageSummary {
  const known = summary?.models[model]
  const used = {
    cost: (known?.cost ?? 0) + cost,
    promptTokens: (known?.promptTokens ?? 0) + (usage?.prompt_tokens ?? 0),
    completionTokens: (known?.completionTokens ?? 0) + (usage?.completion_tokens ?? 0),
    totalTokens: (known?.totalTokens ?? 0) + (usage?.total_tokens ?? 0),
  }
  return { totalCost: (summary?.totalCost ?? 0) + cost, models: { ...summary?.models, [model]: used } }
}
