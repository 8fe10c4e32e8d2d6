import type { Model, ModelClient, ModelEvent, ModelRequest, ModelResponse, UsageSummary } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'

/** One client as a model: no cache, no failover, no price. For tests and benches that are not about those. */
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
    throw new XError('async-in-sync', 'a blocking call was made to a client that answers with a promise: use `create`')
  }

  async *createStream(request: ModelRequest): AsyncGenerator<ModelEvent, ModelResponse> {
    const response = await this.create(request)
    yield { type: 'start', id: response.id, model: response.model }
    return response
  }

  registerModelClient(): void {
    throw new XError('unknown-client', 'a bare model takes no further client: use the wrapper of the model package')
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
    const known = summary.models[usage.model] ?? { cost: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0 }
    summary.totalCost += usage.cost
    summary.models[usage.model] = {
      cost: known.cost + usage.cost,
      promptTokens: known.promptTokens + usage.promptTokens,
      completionTokens: known.completionTokens + usage.completionTokens,
      totalTokens: known.totalTokens + usage.totalTokens,
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
