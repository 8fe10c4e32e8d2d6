/** Limits of a model, in tokens; absent means unknown. */
export interface ModelLimits {
  /** Size of the context window: input and answer together. */
  readonly contextWindow?: number | undefined
  /** Most tokens of one answer, reasoning included. */
  readonly maxOutput?: number | undefined
}
