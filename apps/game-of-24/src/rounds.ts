import type {
  ChatMessage,
  MaybePromise,
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelParams,
  Usage,
} from '@x/interfaces'

/**
 * A client on a virtual clock: every call takes one tick, and a tick passes when the program is idle. `rounds` is the number
 * of ticks, whatever the speed of the machine, and however often a run yields to the event loop.
 */
export class RoundCounter implements ModelClient {
  readonly #client: ModelClient
  #waiting: (() => void)[] = []
  rounds = 0
  calls = 0

  constructor(client: ModelClient) {
    this.#client = client
  }

  async create(params: ModelParams, options: ModelCallOptions): Promise<ModelAnswer> {
    this.calls += 1
    await this.#tick()
    return await this.#client.create(params, options)
  }

  #tick(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#pass())
    return promise
  }

  #pass(): void {
    // A run that kept the event loop for long continues in an immediate, where it may make further calls. This clock waits
    // for it by a timer: two counters that waited by immediates would wait for each other.
    if (process.getActiveResourcesInfo().includes('Immediate')) {
      setTimeout(() => this.#pass())
      return
    }
    this.rounds += 1
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[] {
    return this.#client.messageRetrieval(answer)
  }

  getUsage(answer: ModelAnswer): Usage {
    return this.#client.getUsage(answer)
  }

  cost(answer: ModelAnswer): number | null {
    return this.#client.cost(answer)
  }

  /** Returns a value one tick later, for interfaces other than a model. */
  async later<T>(value: MaybePromise<T>): Promise<T> {
    this.calls += 1
    await this.#tick()
    return await value
  }
}
