import type { ModelEvent, UsageSummary, XEvent } from '@x/interfaces'
import type { ShownUsage } from './change.ts'

const NOTHING = { prompt: 0, completion: 0, cost: 0, unpriced: false }

/** Counts the use of models in a chat: as answers come, and by what a turn says at its end. */
export class Used {
  readonly #models = new Set<string>()
  #all = NOTHING
  /** The use so far of the turn that runs. */
  #open = NOTHING
  #tellsAttempts = false

  get shown(): ShownUsage {
    const { prompt, completion, cost, unpriced } = sum(this.#all, this.#open)
    return { models: [...this.#models], promptTokens: prompt, completionTokens: completion, cost, unpriced }
  }

  take(event: XEvent): void {
    if (event.type === 'modelAttemptStart') this.#tellsAttempts = true
    if (event.type === 'modelDelta') this.#takePiece(event.event)
    if (event.type !== 'modelAttemptEnd' || event.cached || !event.usage) return
    const { usage, cost } = event
    const { promptTokens: prompt, completionTokens: completion } = usage
    this.#open = sum(this.#open, { prompt, completion, cost: cost ?? 0, unpriced: cost === null })
  }

  /** Models that tell of no attempts, such as the simulated one, tell their tokens here, and their price at the end. */
  #takePiece(event: ModelEvent): void {
    if (event.type === 'start') this.#models.add(event.model)
    if (event.type !== 'usage' || this.#tellsAttempts) return
    const { prompt_tokens: prompt, completion_tokens: completion } = event.usage
    this.#open = sum(this.#open, { ...NOTHING, prompt, completion })
  }

  /** A turn has ended with what it has used; without, because it did not come to its end, what came with its answers counts. */
  end(usage?: UsageSummary): void {
    const unpriced = !this.#tellsAttempts && this.#open.prompt > 0
    this.#all = sum(this.#all, usage ? summed(usage) : { ...this.#open, unpriced: this.#open.unpriced || unpriced })
    for (const model of Object.keys(usage?.models ?? {})) this.#models.add(model)
    this.#open = NOTHING
  }
}

const sum = (one: typeof NOTHING, other: typeof NOTHING): typeof NOTHING => ({
  prompt: one.prompt + other.prompt,
  completion: one.completion + other.completion,
  cost: one.cost + other.cost,
  unpriced: one.unpriced || other.unpriced,
})

const summed = ({ models, totalCost: cost, unpriced = [] }: UsageSummary): typeof NOTHING =>
  Object.values(models).reduce(
    (all, { promptTokens: prompt, completionTokens: completion }) => sum(all, { ...NOTHING, prompt, completion }),
    { ...NOTHING, cost, unpriced: unpriced.length > 0 },
  )
