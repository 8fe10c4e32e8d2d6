import type { Histogram, Meter } from '@opentelemetry/api'
import type { MeasuredAttributes } from './attributes.ts'

/** Bounds of the buckets of durations, in seconds, as the conventions have them. */
const SECONDS_BOUNDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]

/** Bounds of the buckets of tokens, as the conventions have them: the powers of 4 from 1 on. */
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** The facts of one answer or failure that the metrics keep. */
export interface MeasuredCall {
  readonly attributes: MeasuredAttributes
  readonly errorType: string | undefined
  readonly seconds: number
  /** Seconds to the first content; undefined without a stream. */
  readonly secondsToFirst: number | undefined
  /** Tokens that are paid for; null for none. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens?: number } | null
  /** US dollars; null if the price is not known. */
  readonly cost: number | null
}

/** The metrics of calls of models. */
export class RunMetrics {
  readonly #tokens: Histogram
  readonly #duration: Histogram
  readonly #toFirst: Histogram
  readonly #cost: Histogram

  constructor(meter: Meter) {
    const seconds = { unit: 's', advice: { explicitBucketBoundaries: SECONDS_BOUNDS } }
    this.#tokens = meter.createHistogram('gen_ai.client.token.usage', {
      description: 'Number of input and output tokens used.',
      unit: '{token}',
      advice: { explicitBucketBoundaries: TOKEN_BOUNDS },
    })
    this.#duration = meter.createHistogram('gen_ai.client.operation.duration', {
      description: 'GenAI operation duration.',
      ...seconds,
    })
    this.#toFirst = meter.createHistogram('gen_ai.client.operation.time_to_first_chunk', {
      description: 'Time to receive the first chunk of a streamed answer.',
      ...seconds,
    })
    this.#cost = meter.createHistogram('x.client.cost', { description: 'Cost of an answer.', unit: '{USD}' })
  }

  record({ attributes, errorType, seconds, secondsToFirst, usage, cost }: MeasuredCall): void {
    const { call, input, output } = attributes
    this.#duration.record(seconds, errorType === undefined ? call : { ...call, 'error.type': errorType })
    if (secondsToFirst !== undefined) this.#toFirst.record(secondsToFirst, call)
    if (usage) {
      this.#tokens.record(usage.promptTokens, input)
      if (usage.completionTokens !== undefined) this.#tokens.record(usage.completionTokens, output)
    }
    if (cost !== null && cost > 0) this.#cost.record(cost, call)
  }
}
