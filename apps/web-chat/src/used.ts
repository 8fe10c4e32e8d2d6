import type { ModelEvent, UsageSummary, XEvent } from '@x/interfaces'
import type { ShownUsage } from './change.ts'

const NO_USAGE = { prompt: 0, completion: 0, cost: 0, unpriced: false }

/** Counts the usage of models in a chat: first from the events of answers, then from the value of a turn. */
export class Used {
  readonly #models = new Set<string>()
  #all = NO_USAGE
  /** Usage of the current turn so far. */
  #open = NO_USAGE
  #hasAttempts = false

  get shown(): ShownUsage {
    const { prompt, completion, cost, unpriced } = sum(this.#all, this.#open)
    return { models: [...this.#models], promptTokens: prompt, completionTokens: completion, cost, unpriced }
  }

  take(event: XEvent): void {
    if (event.type === 'modelAttemptStart') this.#hasAttempts = true
    if (event.type === 'modelDelta') this.#takeModelEvent(event.event)
    if (event.type !== 'modelAttemptEnd' || event.cached || !event.usage) return
    const { usage, cost } = event
    const { promptTokens: prompt, completionTokens: completion } = usage
    this.#open = sum(this.#open, { prompt, completion, cost: cost ?? 0, unpriced: cost === null })
  }

  /** Models without attempt events, such as the simulated one, report their tokens here, and their price at the end of the turn. */
  #takeModelEvent(event: ModelEvent): void {
    if (event.type === 'start') this.#models.add(event.model)
    if (event.type !== 'usage' || this.#hasAttempts) return
    const { prompt_tokens: prompt, completion_tokens: completion } = event.usage
    this.#open = sum(this.#open, { ...NO_USAGE, prompt, completion })
  }

  /** Ends a turn with its usage; without `usage`, because the turn was stopped or failed, the usage of its answers counts. */
  end(usage?: UsageSummary): void {
    const unpriced = !this.#hasAttempts && this.#open.prompt > 0
    this.#all = sum(this.#all, usage ? sumModels(usage) : { ...this.#open, unpriced: this.#open.unpriced || unpriced })
    for (const model of Object.keys(usage?.models ?? {})) this.#models.add(model)
    this.#open = NO_USAGE
  }
}

const sum = (one: typeof NO_USAGE, other: typeof NO_USAGE): typeof NO_USAGE => ({
  prompt: one.prompt + other.prompt,
  completion: one.completion + other.completion,
  cost: one.cost + other.cost,
  unpriced: one.unpriced || other.unpriced,
})

const sumModels = ({ models, totalCost: cost, unpriced = [] }: UsageSummary): typeof NO_USAGE =>
  Object.values(models).reduce(
    (all, { promptTokens: prompt, completionTokens: completion }) => sum(all, { ...NO_USAGE, prompt, completion }),
    { ...NO_USAGE, cost, unpriced: unpriced.length > 0 },
  )
