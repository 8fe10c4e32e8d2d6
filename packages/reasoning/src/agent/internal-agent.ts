import type { Agent, Model, UsageSummary } from '@x/interfaces'
import type { Asker } from '../ask/ask-model.ts'

/** What makes an internal agent. */
export interface InternalAgentOptions {
  name: string
  description: string
  systemMessage: string
  model: Model
}

/** A part of a reasoner with a name, a system message and a model; it is asked without history, as often as needed. */
export class InternalAgent implements Agent, Asker {
  readonly name: string
  readonly description: string
  readonly systemMessage: string
  readonly model: Model

  constructor({ name, description, systemMessage, model }: InternalAgentOptions) {
    this.name = name
    this.description = description
    this.systemMessage = systemMessage
    this.model = model
  }

  /** What it has used, cache hits left out; null before its first call. */
  get actualUsage(): UsageSummary | null {
    return this.model.actualUsageSummary
  }

  /** What it has used, cache hits included; null before its first call. */
  get totalUsage(): UsageSummary | null {
    return this.model.totalUsageSummary
  }
}
