import type { UsageSummary, XEvent } from '@x/interfaces'
import type { ShownUsage } from './change.ts'

/** What the models of a chat have used: tokens as they come, money when a turn has ended. */
export class Used {
  readonly #models = new Set<string>()
  #prompt = 0
  #completion = 0
  #cost = 0
  #unpriced = false
  /** Tokens of the turn that runs. */
  #open = { prompt: 0, completion: 0 }

  get shown(): ShownUsage {
    return {
      models: [...this.#models],
      promptTokens: this.#prompt + this.#open.prompt,
      completionTokens: this.#completion + this.#open.completion,
      cost: this.#cost,
      unpriced: this.#unpriced,
    }
  }

  take(event: XEvent): void {
    if (event.type !== 'modelDelta') return
    if (event.event.type === 'start') this.#models.add(event.event.model)
    if (event.event.type !== 'usage') return
    this.#open.prompt += event.event.usage.prompt_tokens
    this.#open.completion += event.event.usage.completion_tokens
  }

  /** A turn has ended with what it has used; without, because it did not come to its end, its price is not known. */
  end(usage?: UsageSummary): void {
    const models = usage ? Object.values(usage.models) : []
    const open = usage ? { prompt: 0, completion: 0 } : this.#open
    this.#prompt += models.reduce((sum, { promptTokens }) => sum + promptTokens, open.prompt)
    this.#completion += models.reduce((sum, { completionTokens }) => sum + completionTokens, open.completion)
    this.#cost += usage?.totalCost ?? 0
    this.#unpriced ||= usage ? (usage.unpriced?.length ?? 0) > 0 : open.prompt > 0
    for (const model of Object.keys(usage?.models ?? {})) this.#models.add(model)
    this.#open = { prompt: 0, completion: 0 }
  }
}
