/** Options of one call. */
export interface ExecuteFunctionOptions {
  /** Identifier of the call. */
  readonly callId?: string | null | undefined
  /** Whether an `executedFunction` event follows the call; default false. */
  readonly verbose?: boolean | undefined
}

/** What came of a call: whether it succeeded, and the message that says so. */
export type FunctionOutcome = [success: boolean, result: { name: string; role: 'function'; content: unknown }]
