import type { Model, ModelClient, ModelEvent, ModelRequest, ModelResponse, UsageSummary } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'

/** A model of a single client, without cache, failover and prices, for tests and benches of other things. */
export class BareModel implements Model {
  readonly #client: ModelClient
  #summary: UsageSummary | null = null

  constructor(client: ModelClient) {
    this.#client = client
  }

  async create(request: ModelRequest, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<ModelResponse> {
    const { sample, messages } = request
    return this.#response(await this.#client.create({ messages: [...messages] }, { signal, sample: sample ?? 0 }))
  }

  createSync({ sample, messages }: ModelRequest): ModelResponse {
    const answer = this.#client.create({ messages: [...messages] }, { sample: sample ?? 0 })
    if (!isThenable(answer)) return this.#response(answer)
    throw new XError('async-in-sync', 'cannot call a client synchronously: it returned a promise; use `create`')
  }

  async *createStream(request: ModelRequest): AsyncGenerator<ModelEvent, ModelResponse> {
    const response = await this.create(request)
    yield { type: 'start', id: response.id, model: response.model }
    return response
  }

  registerModelClient(): void {
    throw new XError('unknown-client', 'cannot register a client with a `BareModel`: use `ModelWrapper` of `@x/model`')
  }

  get actualUsageSummary(): UsageSummary | null {
    return this.#summary
  }

  get totalUsageSummary(): UsageSummary | null {
    return this.#summary
  }

  printUsageSummary(): void {}

  clearUsageSummary(): void {
    this.#summary = null
  }

  #response(answer: Awaited<ReturnType<ModelClient['create']>>): ModelResponse {
    const usage = this.#client.getUsage(answer)
    const summary = (this.#summary ??= { totalCost: 0, models: {} })
    const earlier = summary.models[usage.model] ?? { cost: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0 }
    summary.totalCost += usage.cost
    summary.models[usage.model] = {
      cost: earlier.cost + usage.cost,
      promptTokens: earlier.promptTokens + usage.promptTokens,
      completionTokens: earlier.completionTokens + usage.completionTokens,
      totalTokens: earlier.totalTokens + usage.totalTokens,
    }
    return {
      ...answer,
      cost: usage.cost,
      configId: 0,
      passFilter: true,
      cached: false,
      messageRetrievalFunction: (answer) => this.#client.messageRetrieval(answer),
    }
  }
}
