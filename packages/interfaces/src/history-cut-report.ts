/** Numbers of one cut, for its event. */
export interface HistoryCutReport {
  /** Why the history was cut: too many tokens or messages, or a refusal of the provider. */
  readonly reason: 'tokens' | 'messages' | 'overflow'
  /** Estimated tokens of the request before the cut. */
  readonly tokensBefore: number
  /** Estimated tokens of the request after the cut. */
  readonly tokensAfter: number
  /** Messages that are no longer sent. */
  readonly leftOut: number
  /** Messages of those that a summary stands for. */
  readonly summarized: number
  /** Messages of which tool results, calls or attachments were cleared. */
  readonly cleared: number
  /** Messages that are too large alone and of which the middle was left out. */
  readonly shortened: number
}
